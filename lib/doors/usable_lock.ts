/** A lock that nothing else in its place can block. */

import { prepareGuards } from "../fence.ts";
import { type JournalRecord, record } from "../journal.ts";
import { messageOf } from "../process.ts";
import type { Paths } from "../paths.ts";
import { type HeldLock, holdLock } from "./held_lock.ts";

/** One of another user, such as root, or that is no file is set aside: it would block for ever. */
export async function holdUsableLock(
  paths: Paths,
  path: string,
  whose: Pick<JournalRecord, "session" | "agent_id">,
  note = "",
): Promise<HeldLock | undefined> {
  try {
    return holdLock(path, note);
  } catch (error) {
    const isForeign = error instanceof Deno.errors.PermissionDenied;
    if (!isForeign && !isNoFile(path)) throw error;
    // At once: what comes in its place is another process's lock. A second try says why it fails.
    if (!setAside(path)) return holdLock(path, note);
    await prepareGuards();
    const what = isForeign
      ? "A lock of another user was set aside"
      : "A lock that is no file was set aside";
    const reason = `${what}: ${messageOf(error)}`;
    record(paths, { kind: "problem", ...whose, reason });
    return holdLock(path, note);
  }
}

function setAside(path: string): boolean {
  try {
    Deno.renameSync(path, `${path}.unreadable`);
    return true;
  } catch {
    return false; // another process has done it, or the folder is closed
  }
}

function isNoFile(path: string): boolean {
  try {
    return !Deno.lstatSync(path).isFile;
  } catch {
    return false; // it could not be made, such as on a full disk
  }
}
