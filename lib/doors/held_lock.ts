/** A lock file that is held during some work. */

import { isFile, openInDir, readTextIfThere } from "../files.ts";

export interface HeldLock {
  /** False once the file was deleted or replaced: another process may hold the new one. */
  isOurs(): boolean;
  release(): void;
}

/** The lock, or undefined when another process (or another part of this one) holds it. */
export function holdLock(path: string, note = ""): HeldLock | undefined {
  for (;;) {
    const file = openInDir(path, { write: true, create: true, mode: 0o600 });
    if (!file.tryLockSync(true)) {
      file.close();
      return undefined;
    }
    const isOurs = () => sameFile(file, path);
    if (isOurs()) {
      leaveNote(file, note);
      return { isOurs, release: () => release(file) };
    }
    release(file); // deleted between open and lock: the next round makes a new one
  }
}

/** Whether a process holds it now. Makes no file. */
export function isHeld(path: string): boolean {
  try {
    if (!isFile(path)) return false;
    const file = Deno.openSync(path, { read: true });
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

/** The note of the last holder, for a message to those who find the lock taken. */
export function noteOn(path: string): string {
  try {
    return readTextIfThere(path) ?? "";
  } catch {
    return "";
  }
}

function leaveNote(file: Deno.FsFile, note: string): void {
  try {
    file.truncateSync();
    if (note !== "") file.writeSync(new TextEncoder().encode(note));
  } catch {
    // A full disk: the lock holds without it.
  }
}

/** Closing is not enough: a program that is just being started may still share the file. */
function release(file: Deno.FsFile): void {
  file.unlockSync();
  file.close();
}

function sameFile(file: Deno.FsFile, path: string): boolean {
  try {
    const [ours, there] = [file.statSync(), Deno.statSync(path)];
    return ours.ino === there.ino && ours.dev === there.dev;
  } catch {
    return false;
  }
}
