/** A clock that moves when it is slept on, and at no other time. */

import type { Clock } from "../../lib/time.ts";

export class FakeClock implements Clock {
  #ms = 0;

  now(): number {
    return this.#ms;
  }

  sleep(ms: number): Promise<void> {
    this.#ms += ms;
    return Promise.resolve();
  }
}
