/** A file that is the user's: links stay links, mode and owner stay, and it changes in one step. */

import { namesIn, removeIfThere, writeAtomic } from "../files.ts";
import { messageOf } from "../process.ts";

/** The file a link leads to, also when that one is still to be made. */
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
  /** From now on it is the file. */
  put(): void;
  /** As if there had been none; harmless once it was put. */
  drop(): void;
}

/** Writes what is to take the file's place beside it; throws when it cannot be like it. */
export function replacementFor(file: string, text: string, temporary: string): Replacement {
  const present = statIfThere(file);
  const mode = (present?.mode ?? 0o600) & 0o7777;
  const drop = () => removeIfThere(temporary);
  try {
    writeAtomic(temporary, text, { mode, durable: true });
    Deno.chmodSync(temporary, mode); // the process's umask has had its say
    if (present !== undefined) keepOwner(temporary, present);
  } catch (error) {
    drop();
    throw error;
  }
  return { put: () => Deno.renameSync(temporary, file), drop };
}

/** Gives a file the owner and the group of another. */
export function keepOwner(file: string, { uid, gid }: Deno.FileInfo): void {
  const own = Deno.statSync(file);
  if (own.uid === uid && own.gid === gid) return;
  try {
    Deno.chownSync(file, uid, gid);
  } catch (error) {
    throw new Error(
      `its owner and group (${uid}:${gid}) could not be kept by you: ${messageOf(error)}`,
    );
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

/** Keeps what the file was beside it, as its owner has it; the oldest of these go. */
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

/** The files whose names go on where this one's ends. */
export function besides(file: string, isOurs: (rest: string) => boolean): string[] {
  const slash = file.lastIndexOf("/");
  const [folder, name] = [file.slice(0, slash), file.slice(slash + 1)];
  return namesIn(folder)
    .filter((other) => other.startsWith(name) && isOurs(other.slice(name.length)))
    .map((other) => `${folder}/${other}`);
}
