/** The door to the disk: whole files or nothing, and locks that give up. */

// Only regular files are opened: a fifo, a socket or a device can block for ever.

/** Far more than a file of ours holds. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The file at `path`; undefined when there is none. Throws when it is not a regular file. */
export function regularFile(path: string): Deno.FileInfo | undefined {
  let info: Deno.FileInfo;
  try {
    info = Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  if (!info.isFile) throw new Error(`${path} is ${kindOf(info)}, not a file`);
  return info;
}

function kindOf(info: Deno.FileInfo): string {
  if (info.isDirectory) return "a folder";
  if (info.isFifo) return "a fifo";
  return info.isSocket ? "a socket" : "a device";
}

/** A file that is read as a whole, or undefined when it is not there. Other failures are thrown. */
export function readIfThere<T>(path: string, read: (path: string) => T): T | undefined {
  try {
    const info = regularFile(path);
    if (info === undefined) return undefined;
    refuseHuge(path, info.size);
    return read(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function refuseHuge(path: string, size: number): void {
  if (size <= MOST_BYTES) return;
  const [megabytes, most] = [size, MOST_BYTES].map((bytes) => Math.round(bytes / 1024 / 1024));
  throw new Error(`${path} holds ${megabytes} MB; no file of ours holds more than ${most} MB`);
}

export function openRegular(path: string, options: Deno.OpenOptions): Deno.FsFile {
  // With createNew, open itself fails where anything is there.
  if (!options.createNew) regularFile(path);
  return Deno.openSync(path, options);
}

const encoder = new TextEncoder();
const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Sleeps without a timer: `setTimeout` would cost a hook a third of its start-up. */
export function sleepSync(ms: number): void {
  Atomics.wait(sleeper, 0, 0, ms);
}

export function ensureDir(dir: string): void {
  Deno.mkdirSync(dir, { recursive: true, mode: 0o700 });
}

/** The text of a file, or undefined when it is not there. Other failures are thrown. */
export function readTextIfThere(path: string): string | undefined {
  return readIfThere(path, Deno.readTextFileSync);
}

/** The value in a JSON file; undefined where it is missing, cannot be read or is no JSON. */
export function readJsonIfThere(path: string): unknown {
  try {
    return JSON.parse(readTextIfThere(path) ?? "null");
  } catch {
    return undefined;
  }
}

let temporaryCount = 0;

export interface WriteOptions {
  mode?: number;
  /** Waits for the disk, for what must outlive a power cut. */
  durable?: boolean;
  /** How the name of the temporary file ends. */
  ending?: string;
  /** The folder must be there: one that was deleted is not made again. */
  inFolder?: boolean;
}

/**
 * Readers see the old file or the new one, never a half; a crash leaves at most a `.tmp`. That one
 * is locked while its writer lives.
 */
export function writeAtomic(
  path: string,
  text: string,
  { mode = 0o600, durable = false, ending = ".tmp", inFolder = false }: WriteOptions = {},
): void {
  const temporary = `${path}.${Deno.pid}-${temporaryCount++}${ending}`;
  try {
    const options = { write: true, createNew: true, mode };
    const file = inFolder
      ? openRegular(temporary, options)
      : openInDir(temporary, options, durable);
    try {
      if (durable) lockIfPossible(file);
      writeAll(file, encoder.encode(text));
      if (durable) file.syncDataSync();
      Deno.renameSync(temporary, path); // before the lock goes
    } finally {
      file.close();
    }
  } catch (error) {
    removeIfThere(temporary);
    throw error;
  }
  if (durable) syncFolder(folderOf(path));
}

function lockIfPossible(file: Deno.FsFile): void {
  try {
    file.tryLockSync(true);
  } catch {
    // A file system without locks: what is left of a crash there is not found again.
  }
}

/** Until then a power cut can undo what was made, renamed or removed in the folder. */
function syncFolder(folder: string): void {
  try {
    const file = Deno.openSync(folder, { read: true });
    try {
      file.syncSync();
    } finally {
      file.close();
    }
  } catch {
    // Not every file system can do it, and a hook may not open the folders above the state folder.
  }
}

/** Makes a file; false when there is one already. */
export function createNew(path: string, text: string): boolean {
  let file: Deno.FsFile;
  try {
    file = openInDir(path, { write: true, createNew: true, mode: 0o600 });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
  try {
    writeAll(file, encoder.encode(text));
  } finally {
    file.close();
  }
  return true;
}

/** One write call on an appending file: lines of several processes do not mix. Its size then. */
export function appendLine(path: string, line: string): number {
  const file = openInDir(path, { append: true, create: true, mode: 0o600 });
  try {
    writeAll(file, encoder.encode(line + "\n"));
    return file.seekSync(0, Deno.SeekMode.Current);
  } finally {
    file.close();
  }
}

export function removeIfThere(path: string, options?: { recursive: boolean }): void {
  try {
    Deno.removeSync(path, options);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Whether anything is there; also true where that cannot be seen. */
export function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}

export function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

export function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** The names in a folder, sorted; none when the folder is not there. */
export function namesIn(dir: string): string[] {
  try {
    return Array.from(Deno.readDirSync(dir), (entry) => entry.name).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/**
 * The names in a folder of ours, to see whether a file is there: to ask for one that is missing
 * costs a hook more. So a missing folder is made.
 */
export function namesInOurs(dir: string): string[] {
  const names = namesIn(dir);
  try {
    if (names.length === 0) ensureDir(dir);
  } catch {
    // Then the next hook pays that again.
  }
  return names;
}

export type Locked<T> = { kind: "done"; value: T } | { kind: "busy" };

/** Runs `work` alone among all processes that lock `path`, or says "busy" after `waitMs`. */
export function withLock<T>(path: string, waitMs: number, work: () => T): Locked<T> {
  return underLock(openInDir(path, { write: true, create: true, mode: 0o600 }), waitMs, work);
}

/** The same with an open file or folder, which is closed afterwards. */
export function underLock<T>(file: Deno.FsFile, waitMs: number, work: () => T): Locked<T> {
  try {
    const until = performance.now() + waitMs;
    while (!file.tryLockSync(true)) {
      if (performance.now() >= until) return { kind: "busy" };
      sleepSync(10);
    }
    try {
      return { kind: "done", value: work() };
    } finally {
      // Closing is not enough: a program that is just being started may still share the file.
      file.unlockSync();
    }
  } finally {
    file.close();
  }
}

function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) {
    written += file.writeSync(bytes.subarray(written));
  }
}

// The folder is made only when it is missing: a hook saves the calls on every other run.
export function openInDir(path: string, options: Deno.OpenOptions, durable = false): Deno.FsFile {
  try {
    return openRegular(path, options);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const above: string[] = []; // each folder that gets a new one, the innermost first
    for (let dir = folderOf(path); durable && !isThere(dir); dir = folderOf(dir)) {
      above.push(folderOf(dir));
    }
    ensureDir(folderOf(path));
    above.forEach(syncFolder);
    return openRegular(path, options);
  }
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
