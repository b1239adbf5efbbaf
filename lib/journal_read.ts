/** Reads the journal, also while it is written. */

import { journalFile, MOST_OLD } from "./journal.ts";
import { namesIn, readIfThere } from "./files.ts";
import { isObject, messageOf } from "./json.ts";
import { originalName, type Paths, safeName } from "./paths.ts";

/**
 * The latest records of one session, oldest first, at least a megabyte of them; a line that is half
 * written is passed over.
 */
export function readJournal(paths: Paths, session: string): Generator<Record<string, unknown>> {
  return readFiles([journalFile(paths, session), `${journalFile(paths, session)}.1`]);
}

/**
 * All records of one session in files that were written to since then, oldest first. Those from before
 * a rename came along with the journal; they get the present name.
 */
export function* readStory(
  paths: Paths,
  session: string,
  since = 0,
): Generator<Record<string, unknown>> {
  const path = journalFile(paths, session);
  const older = Array.from({ length: MOST_OLD }, (_, index) => `${path}.${index + 1}`);
  for (const line of readFiles([path, ...older], since)) {
    const { session: name } = line;
    const isOld = typeof name === "string" && safeName(name) !== safeName(session);
    yield isOld ? { ...line, session } : line;
  }
}

/** `files`: the newest first. If one becomes an older one meanwhile, it is only read once. */
function* readFiles(files: string[], since = 0): Generator<Record<string, unknown>> {
  const opened: Deno.FsFile[] = [];
  try {
    const seen = new Set<number | null>();
    for (const path of files) {
      const file = openIfThere(path);
      if (file === undefined) continue;
      opened.unshift(file);
      const { ino, mtime } = file.statSync();
      const isOld = (mtime?.getTime() ?? since) < since;
      if (seen.has(ino) || isOld) opened.shift()!.close();
      if (isOld) break;
      seen.add(ino);
    }
    for (const file of opened) yield* recordsIn(new TextDecoder().decode(wholeFile(file)));
  } finally {
    for (const file of opened) file.close();
  }
}

/** Why the journal of a session cannot be read; undefined when it can, or is not there. */
export function whyUnreadable(paths: Paths, session: string): string | undefined {
  const path = journalFile(paths, session);
  try {
    for (const file of [path, `${path}.1`]) readIfThere(file, open)?.close();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The sessions that have a journal. */
export function journalSessions(paths: Paths): string[] {
  return namesIn(`${paths.state}/journal`).filter((name) => name.endsWith(".jsonl"))
    .map((name) => originalName(name.slice(0, -".jsonl".length)));
}

export function* recordsIn(text: string): Generator<Record<string, unknown>> {
  for (const line of text.split("\n")) {
    // A disk that was full leaves half a line, and the next record after it.
    const value = parsed(line) ?? parsed(line.slice(line.lastIndexOf('{"at":"')));
    if (value !== undefined) yield value;
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = line === "" ? undefined : JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function openIfThere(path: string): Deno.FsFile | undefined {
  try {
    return readIfThere(path, open);
  } catch {
    return undefined;
  }
}

function open(path: string): Deno.FsFile {
  return Deno.openSync(path, { read: true });
}

function wholeFile(file: Deno.FsFile): Uint8Array {
  const bytes = new Uint8Array(file.statSync().size);
  let filled = 0;
  while (filled < bytes.length) {
    const count = file.readSync(bytes.subarray(filled));
    if (count === null) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}
