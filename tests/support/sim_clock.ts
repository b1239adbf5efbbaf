/** A clock for concurrent work. It moves only when all of it sleeps. */

/** A module that is loaded late takes some turns of the event loop. */
const MOST_TURNS = 200;

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
    let turns = 0;
    work?.finally(() => isDone = true);
    for (;;) {
      await settled();
      if (isDone) return;
      this.sleeping.sort((a, b) => a.at - b.at);
      const next = this.sleeping[0];
      // Not over, and nothing waits for time: it loads a module.
      if (next === undefined && work !== undefined && turns++ < MOST_TURNS) {
        await new Promise((resolve) => setTimeout(resolve, 0));
        continue;
      }
      if (next === undefined || next.at > until) break;
      this.sleeping.shift();
      this.now = Math.max(this.now, next.at);
      next.wake();
    }
    this.now = Math.max(this.now, until);
  }
}
