/** One watch per user: who holds this lock is it. */

import { type HeldLock, holdLock } from "../doors/held_lock.ts";
import { isFile } from "../files.ts";
import type { Paths } from "../paths.ts";

function fileOf({ state }: Pick<Paths, "state">): string {
  return `${state}/locks/watch`;
}

/** The lock, or undefined while another watch runs. */
export function holdWatch(paths: Pick<Paths, "state">): HeldLock | undefined {
  return holdLock(fileOf(paths), String(Deno.pid));
}

export function isWatched(paths: Pick<Paths, "state">): boolean {
  try {
    if (!isFile(fileOf(paths))) return false;
    const file = Deno.openSync(fileOf(paths), { read: true });
    try {
      const isFree = file.tryLockSync(false);
      if (isFree) file.unlockSync();
      return !isFree;
    } finally {
      file.close();
    }
  } catch {
    return false;
  }
}
