/** Follows the journals: what is added to them, within a second. */

import { textOf } from "../events.ts";
import { openRegular } from "../files.ts";
import { journalFile } from "../journal.ts";
import { journalSessions, recordsIn } from "../journal_read.ts";
import type { Paths } from "../paths.ts";
import { pause } from "../time.ts";
import type { StoryLine } from "./story_line.ts";

interface OpenJournal {
  file: Deno.FsFile;
  ino: number | null;
  decoder: TextDecoder;
  /** The start of a line whose end is not written yet. */
  rest: string;
  /** Nothing was read of it. */
  isNew: boolean;
}

/** Reads on from the ends that the journals have when it is made. */
export class StoryTail implements Disposable {
  readonly #open = new Map<string, OpenJournal>();
  /** In this round; their old files may be part of a new one. */
  readonly #replaced: OpenJournal[] = [];

  constructor(private readonly paths: Paths) {
    for (const session of this.#sessions()) {
      const journal = this.#opened(session);
      journal?.file.seekSync(0, Deno.SeekMode.End);
      if (journal !== undefined) journal.isNew = false;
    }
  }

  /** The records since the last call, without those that were read besides. */
  next(read: StoryLine[] = []): StoryLine[] {
    const sessions = this.#sessions();
    // A renamed journal first: its old name may be in use again.
    for (const session of sessions) this.#opened(session);
    // Also one that is full, of which no new one is there yet.
    const all = new Set([...sessions, ...this.#open.keys()]);
    const lines = [...all].flatMap((session) => this.#added(session));
    for (const { file } of this.#replaced.splice(0)) file.close();
    const times = new Set(lines.map(({ at }) => at));
    const known = new Set(read.filter(({ at }) => times.has(at)).map(contentOf));
    return lines.filter((line) => !known.has(contentOf(line)))
      .sort((a, b) => textOf(a, "at") < textOf(b, "at") ? -1 : 1);
  }

  #sessions(): string[] {
    try {
      return journalSessions(this.paths);
    } catch {
      return []; // it cannot be read now
    }
  }

  #added(session: string): StoryLine[] {
    const journal = this.#opened(session);
    if (journal === undefined) return [];
    const lines = this.#read(journal);
    if (isCurrent(journalFile(this.paths, session), journal)) return lines;
    // The journal was rotated, or joined with that of an earlier name.
    this.#open.delete(session);
    this.#replaced.push(journal);
    const next = this.#opened(session);
    return next === undefined ? lines : [...lines, ...this.#read(next)];
  }

  /** A rename may have put other journals into a new one: what was read of those is not new. */
  #read(journal: OpenJournal): StoryLine[] {
    if (!journal.isNew) return readOn(journal);
    journal.isNew = false;
    const text = readText(journal);
    let lines = text.split("\n");
    const unread: StoryLine[] = [];
    for (const other of [...this.#open.values(), ...this.#replaced]) {
      const known = other === journal ? "" : wholeText(other);
      const first = known.slice(0, known.indexOf("\n") + 1);
      if (first === "" || !text.includes(first)) continue;
      // Line by line: one that was written meanwhile may be in one of them only.
      const old = new Set(known.split("\n"));
      lines = lines.filter((line) => !old.has(line));
      unread.push(...readOn(other));
    }
    return [...unread, ...recordsIn(lines.join("\n"))];
  }

  #opened(session: string): OpenJournal | undefined {
    const known = this.#open.get(session);
    if (known !== undefined) return known;
    try {
      const file = openRegular(journalFile(this.paths, session), { read: true });
      const { ino } = file.statSync();
      const [old, renamed] = [...this.#open].find(([, one]) => one.ino === ino) ?? [];
      if (old !== undefined && renamed !== undefined) {
        // The session was renamed: read on.
        file.close();
        this.#open.delete(old);
        this.#open.set(session, renamed);
        return renamed;
      }
      const journal = { file, ino, decoder: new TextDecoder(), rest: "", isNew: true };
      this.#open.set(session, journal);
      return journal;
    } catch {
      return undefined; // not there, or not to be read
    }
  }

  #close(session: string): void {
    this.#open.get(session)?.file.close();
    this.#open.delete(session);
  }

  [Symbol.dispose](): void {
    for (const session of [...this.#open.keys()]) this.#close(session);
  }
}

/** A record of a story may have got a cost, and its session's present name. */
function contentOf(line: StoryLine): string {
  return JSON.stringify({ ...line, session: "", cost_usd: undefined });
}

function isCurrent(path: string, { ino }: OpenJournal): boolean {
  try {
    return Deno.statSync(path).ino === ino;
  } catch {
    return true; // the new one is not there yet
  }
}

function readOn(journal: OpenJournal): StoryLine[] {
  return [...recordsIn(readText(journal))];
}

/** Its whole lines since the last call. */
function readText(journal: OpenJournal): string {
  const buffer = new Uint8Array(64 * 1024);
  let text = journal.rest;
  for (let count; (count = journal.file.readSync(buffer)) !== null;) {
    text += journal.decoder.decode(buffer.subarray(0, count), { stream: true });
  }
  const end = text.lastIndexOf("\n") + 1;
  journal.rest = text.slice(end);
  return text.slice(0, end);
}

/** Also what was read before; it goes on at its place. */
function wholeText({ file }: OpenJournal): string {
  const at = file.seekSync(0, Deno.SeekMode.Current);
  file.seekSync(0, Deno.SeekMode.Start);
  const whole = { file, ino: null, decoder: new TextDecoder(), rest: "", isNew: false };
  const text = readText(whole);
  file.seekSync(at, Deno.SeekMode.Start);
  return text + whole.rest;
}

/** Some file systems report no changes, so it looks at least this often. */
const LOOK_EVERY_MS = 500;

/** Gives the new records of `tail` until `signal` aborts. */
export async function* followJournal(
  tail: StoryTail,
  paths: Paths,
  signal: AbortSignal,
): AsyncGenerator<StoryLine[]> {
  const change = watching(`${paths.state}/journal`, signal);
  while (!signal.aborted) {
    const lines = tail.next();
    if (lines.length > 0) yield lines;
    await Promise.race([pause(LOOK_EVERY_MS), change()]);
  }
}

/** A function whose promise resolves at the next change; never, where changes are not reported. */
function watching(folder: string, signal: AbortSignal): () => Promise<void> {
  let next = Promise.withResolvers<void>();
  const wake = () => {
    next.resolve();
    next = Promise.withResolvers<void>();
  };
  signal.addEventListener("abort", wake);
  try {
    const watcher = Deno.watchFs(folder);
    signal.addEventListener("abort", () => watcher.close());
    (async () => {
      for await (const _ of watcher) wake();
    })().catch(() => {}); // then the looks are enough
  } catch {
    // The folder is not there yet.
  }
  return () => next.promise;
}
