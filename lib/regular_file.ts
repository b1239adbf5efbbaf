/** Opens regular files and nothing else: a fifo, a socket or a device can block for good. */

/** Far more than a file of ours holds. */
const MOST_BYTES = 64 * 1024 * 1024;

/** What lies at `path`; undefined when nothing does. Throws when it is not a regular file. */
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
  // A file that must be new is never one that is there.
  if (!options.createNew) regularFile(path);
  return Deno.openSync(path, options);
}
