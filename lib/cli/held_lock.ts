/** A lock that is held while work goes on, and that notices when its file is taken away. */

import { ensureDir } from "../files.ts";

export interface HeldLock {
  /** False once the file was deleted or replaced: then another may hold the new one. */
  isOurs(): boolean;
  release(): void;
}

/** The lock, or undefined when another process (or another part of this one) holds it. */
export function holdLock(path: string): HeldLock | undefined {
  ensureDir(path.slice(0, path.lastIndexOf("/")));
  for (;;) {
    const file = Deno.openSync(path, { write: true, create: true, mode: 0o600 });
    if (!file.tryLockSync(true)) {
      file.close();
      return undefined;
    }
    const isOurs = () => sameFile(file, path);
    if (isOurs()) return { isOurs, release: () => release(file) };
    release(file); // deleted between open and lock: the next round makes a new one
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
