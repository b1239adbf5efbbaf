/** One launch at a time, so that choosing a name and starting a server do not race. */

import { holdLock } from "../doors/held_lock.ts";
import { pause } from "../time.ts";
import type { World } from "../cli/world.ts";

const LAUNCH_WAIT_MS = 60_000;

/** Runs `work` while no other spawn or recovery of this user starts sessions; throws after `waitMs`. */
export async function launchingAlone<T>(
  world: World,
  work: () => Promise<T>,
  waitMs = LAUNCH_WAIT_MS,
): Promise<T> {
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
