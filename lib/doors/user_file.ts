/** Replaces a user's file in one step; links, mode and owner stay. */

import { namesIn, readTextIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { messageOf } from "../process.ts";

/** The file that a link leads to, also when it does not exist yet. */
export function followLinks(path: string): string {
  for (let hops = 0; hops < 40; hops++) {
    let target: string;
    try {
      target = Deno.readLinkSync(path);
    } catch {
      return path;
    }
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    path = target.startsWith("/") ? target : folder + target;
  }
  return path;
}

/** A path with its links followed as far as it exists. */
export function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    const slash = path.lastIndexOf("/");
    if (slash <= 0) return path;
    const parent = realPath(path.slice(0, slash));
    return `${parent === "/" ? "" : parent}${path.slice(slash)}`;
  }
}

export interface Replacement {
  /** Puts it in the file's place. */
  put(): void;
  /** Removes it; does nothing after `put`. */
  drop(): void;
}

/** Writes the new file beside the old one; throws when it cannot have the same owner. */
export function replacementFor(file: string, text: string, temporary: string): Replacement {
  const present = statIfThere(file);
  const mode = (present?.mode ?? 0o600) & 0o7777;
  const drop = () => removeIfThere(temporary);
  try {
    writeAtomic(temporary, text, { mode, durable: true });
    Deno.chmodSync(temporary, mode); // writing has applied the umask
    if (present !== undefined) keepOwner(temporary, present);
  } catch (error) {
    drop();
    throw error;
  }
  return { put: () => Deno.renameSync(temporary, file), drop };
}

/** Gives a file the owner and the group of another. */
function keepOwner(file: string, { uid, gid }: Deno.FileInfo): void {
  const own = Deno.statSync(file);
  if (own.uid === uid && own.gid === gid) return;
  try {
    Deno.chownSync(file, uid, gid);
  } catch (error) {
    throw new Error(
      `cannot keep its owner and group (${uid}:${gid}): ${messageOf(error)}`,
    );
  }
}

/** The text of a file; undefined where it does not exist or cannot be read. */
export function readableText(file: string): string | undefined {
  try {
    return readTextIfThere(file);
  } catch {
    return undefined;
  }
}

export function statIfThere(file: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

const BACKUPS = 5;

/** Copies the file to a backup beside it, with its owner; removes the oldest backups. */
export function backUp(file: string, bytes: Uint8Array, now: Date): string {
  const info = Deno.statSync(file);
  const stamp = now.toISOString().replace(/[-:]/g, "").replace(".", "-");
  const backup = `${file}.gsd-backup-${stamp}`;
  Deno.writeFileSync(backup, bytes, { mode: 0o600 });
  Deno.chmodSync(backup, (info.mode ?? 0o600) & 0o777);
  keepOwner(backup, info);
  const all = besides(file, (rest) => /^\.gsd-backup-[0-9TZ-]+$/.test(rest));
  for (const old of all.slice(0, -BACKUPS)) removeIfThere(old);
  return backup;
}

/** The files beside it whose names begin with its name. */
export function besides(file: string, isOurs: (rest: string) => boolean): string[] {
  const slash = file.lastIndexOf("/");
  const [folder, name] = [file.slice(0, slash), file.slice(slash + 1)];
  return namesIn(folder)
    .filter((other) => other.startsWith(name) && isOurs(other.slice(name.length)))
    .map((other) => `${folder}/${other}`);
}
