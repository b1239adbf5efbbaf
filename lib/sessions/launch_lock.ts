/** One launch at a time: names are chosen, records written and servers started without a race. */

import { holdLock } from "../doors/held_lock.ts";
import { pause } from "../time.ts";
import type { World } from "../cli/world.ts";

export const LAUNCH_WAIT_MS = 60_000;

let last: Promise<unknown> = Promise.resolve();

/** Runs `work` alone among all that start sessions here, or says who is in the way. */
export function launchingAlone<T>(
  world: World,
  work: () => Promise<T>,
  waitMs = LAUNCH_WAIT_MS,
): Promise<T> {
  // In this process one behind the other: only others are waited for against the clock.
  const mine = last.then(() => locked(world, work, waitMs));
  last = mine.catch(() => {});
  return mine;
}

async function locked<T>(world: World, work: () => Promise<T>, waitMs: number): Promise<T> {
  const path = `${world.paths.state}/locks/launch`;
  const until = performance.now() + waitMs;
  let lock = holdLock(path);
  for (; lock === undefined; lock = holdLock(path)) {
    if (performance.now() > until) {
      const seconds = Math.round(waitMs / 1000);
      throw new Error(
        `another spawn or recovery has been starting sessions for ${seconds} s; ` +
          "try again when it has ended",
      );
    }
    await pause(50);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
