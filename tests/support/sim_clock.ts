/** A clock for concurrent work. It moves only when all of it sleeps. */

/** Lets everything run that does not wait for time. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 100; turns++) await Promise.resolve();
}

export class SimClock {
  private readonly sleeping: { at: number; wake: () => void }[] = [];

  constructor(public now = Date.parse("2026-11-16T10:00:00Z")) {}

  sleep = (ms: number): Promise<void> =>
    new Promise((wake) => this.sleeping.push({ at: this.now + ms, wake }));

  /** Lets time pass until that moment, or until the work is done. */
  async run(until: number, work?: Promise<unknown>): Promise<void> {
    let isDone = false;
    work?.finally(() => isDone = true);
    for (;;) {
      await settled();
      if (isDone) return;
      this.sleeping.sort((a, b) => a.at - b.at);
      const next = this.sleeping[0];
      if (next === undefined || next.at > until) break;
      this.sleeping.shift();
      this.now = Math.max(this.now, next.at);
      next.wake();
    }
    this.now = Math.max(this.now, until);
  }
}
