/** One watch per user: who holds this lock is it. */

import { type HeldLock, holdLock, isHeld } from "../doors/held_lock.ts";
import type { Paths } from "../paths.ts";

function fileOf({ state }: Pick<Paths, "state">): string {
  return `${state}/locks/watch`;
}

/** The lock, or undefined while another watch runs. */
export function holdWatch(paths: Pick<Paths, "state">): HeldLock | undefined {
  return holdLock(fileOf(paths), String(Deno.pid));
}

export function isWatched(paths: Pick<Paths, "state">): boolean {
  return isHeld(fileOf(paths));
}
