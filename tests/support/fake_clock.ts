/** A clock that moves only when a caller sleeps. */

import type { Clock } from "../../lib/time.ts";

export class FakeClock implements Clock {
  #ms = 0;
  readonly #plans: { ms: number; work: () => void }[] = [];

  now(): number {
    return this.#ms;
  }

  /** Runs `work` at that time, while a caller sleeps. */
  at(ms: number, work: () => void): void {
    this.#plans.push({ ms, work });
    this.#plans.sort((one, other) => one.ms - other.ms);
  }

  sleep(ms: number): Promise<void> {
    const end = this.#ms + ms;
    while (this.#plans.length > 0 && this.#plans[0]!.ms <= end) {
      const { ms, work } = this.#plans.shift()!;
      this.#ms = Math.max(this.#ms, ms);
      work();
    }
    this.#ms = end;
    return Promise.resolve();
  }
}
