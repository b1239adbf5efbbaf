/** A hook that waits for a reply holds a lock. However the hook ends, the deliverer can see it. */

import { ensureDir, namesIn, removeIfThere, sleepSync } from "./files.ts";
import type { Paths } from "./paths.ts";

const ENDING = ".waits";
const held = new Map<string, Deno.FsFile>();

function waitFile(paths: Paths, wakeId: string): string {
  return `${paths.state}/replies/${wakeId}${ENDING}`;
}

/** Called by the hook before its wake is queued: from then on the deliverer may look. */
export function holdReplyWait(paths: Paths, wakeId: string): void {
  if (held.has(wakeId)) return;
  ensureDir(`${paths.state}/replies`);
  const options = { write: true, createNew: true, mode: 0o600 };
  const file = Deno.openSync(waitFile(paths, wakeId), options);
  held.set(wakeId, file);
  // A deliverer that checks just now holds it for a moment.
  for (let tries = 0; !file.tryLockSync(true) && tries < 100; tries++) sleepSync(5);
}

/** Called by the hook when it no longer waits. */
export function endReplyWait(paths: Paths, wakeId: string): void {
  held.get(wakeId)?.close();
  held.delete(wakeId);
  try {
    removeIfThere(waitFile(paths, wakeId));
  } catch {
    // A file without a lock means the same.
  }
}

/** Whether a hook waits for the reply to this wake now. */
export function isAwaited(paths: Paths, wakeId: string): boolean {
  const path = waitFile(paths, wakeId);
  let file: Deno.FsFile;
  try {
    if (!Deno.lstatSync(path).isFile) return false;
    file = Deno.openSync(path, { read: true });
  } catch {
    return false;
  }
  try {
    if (!file.tryLockSync(true)) return true;
    file.unlockSync();
    return false;
  } finally {
    file.close();
  }
}

/** The wakes whose reply a hook waits for now. */
export function awaitedIds(paths: Paths): string[] {
  return namesIn(`${paths.state}/replies`).filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length))
    .filter((wakeId) => isAwaited(paths, wakeId));
}
