/**
 * A transcript of Claude Code: read from its last line on, and waited for when that comes late. One
 * line holds one content block; the blocks of one message share its id. A user line names the
 * prompt its turn belongs to.
 */

import { textOf } from "./events.ts";
import { isFile, regularFile, sleepSync } from "./files.ts";
import { isObject } from "./json.ts";

export interface Line {
  text: string;
  partial: boolean;
}

export function joinBlocks(blocks: string[]): string {
  return blocks.join("\n\n");
}

export interface Entry {
  type: "user" | "assistant" | "system";
  fields: Record<string, unknown>;
  message: Record<string, unknown>;
}

/**
 * A line of the conversation itself, or the one after a Stop's hooks; undefined for all else
 * (attachments, subagents, errors …).
 */
export function parseEntry(text: string): Entry | undefined {
  if (!/"type"\s*:\s*"(?:user|assistant)"|"stop_hook_summary"/.test(text)) return undefined;
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(fields) || fields.isSidechain === true) return undefined;
  const { type, message } = fields;
  if (type === "system" && fields.subtype === "stop_hook_summary") {
    return { type, fields, message: {} };
  }
  if (!isObject(message)) return undefined;
  if (type === "user") return { type, fields, message };
  const isClaude = type === "assistant" && fields.isApiErrorMessage !== true &&
    message.model !== "<synthetic>";
  return isClaude ? { type, fields, message } : undefined;
}

/** The instruction of a Stop hook that sent Claude on. */
export function isFeedback(entry: Entry): boolean {
  return isAdded(entry, "Stop hook feedback");
}

/** Claude Code added it between two messages of one turn. */
export function isAdded({ fields, message }: Entry, beginning: string): boolean {
  return fields.isMeta === true && textIn(message.content).startsWith(beginning);
}

/** A user line that begins a turn: not a tool's result, not one that Claude Code added itself. */
export function isPrompt(
  fields: Record<string, unknown>,
  message: Record<string, unknown>,
): boolean {
  if (fields.isMeta === true) return false;
  const { content } = message;
  return !Array.isArray(content) ||
    !content.some((block) => isObject(block) && block.type === "tool_result");
}

/** An instruction by the inbox socket: Claude Code marks it as not typed. */
export function isFromPeer({ origin }: Record<string, unknown>): boolean {
  return isObject(origin) && origin.kind === "peer";
}

export function textIn(content: unknown): string {
  if (typeof content === "string") return content.trim() === "" ? "" : content;
  if (!Array.isArray(content)) return "";
  const texts = content.filter(isObject).filter((block) => block.type === "text")
    .map((block) => textOf(block, "text")).filter((text) => text.trim() !== "");
  return joinBlocks(texts);
}

/**
 * A last line was seen up to 107 ms late on an idle machine. On a busy one everything is late, the
 * start of this process as well: so the limit grows with the time since that start.
 */
const LEAST_WAIT_MS = 500;
const MOST_WAIT_MS = 3000;
const WAIT_PER_START = 5;
const LOOK_EVERY_MS = 5;
/** How far back a transcript is read: what is looked for is at its end. */
const MOST_BYTES = 64 * 1024 * 1024;

const MOST_AT_THE_END = 1_000_000;

/** The last lines. Further back no line belongs to the last message, so a long turn is not read to its beginning. */
export function* lastLines(lines: Iterable<Line>): Generator<Line> {
  let passed = 0;
  for (const line of lines) {
    if (passed > MOST_AT_THE_END) return;
    passed += line.text.length;
    yield line;
  }
}

/** Time, so that a test can be quick and exact about it. */
export interface BlockingClock {
  /** Milliseconds since the process started. */
  now(): number;
  sleep(ms: number): void;
}

const REAL_CLOCK: BlockingClock = { now: () => performance.now(), sleep: sleepSync };

/** What `read` makes of a transcript's lines, the last first; undefined where there is none. */
export function fromEnd<T>(path: string, read: (lines: Iterable<Line>) => T): T | undefined {
  try {
    return path === "" || !isFile(path) ? undefined : read(linesFromEnd(path, MOST_BYTES));
  } catch {
    return undefined;
  }
}

/**
 * Reads until it is all there, again only when the file has grown, and what was read last when the
 * time is up. `restMs`: the file must not have grown for this long. Without a file nothing is waited
 * for, unless the line `isSure` to come: in a first turn the file may be missing while its folder is
 * there. Where there is a file, such a line is given the longest time.
 */
export function waitForLine<T>(
  path: string,
  read: (lines: Iterable<Line>) => T,
  isWhole: (value: T) => boolean,
  { restMs = 0, clock = REAL_CLOCK, isSure = false }: {
    restMs?: number;
    clock?: BlockingClock | undefined;
    isSure?: boolean;
  } = {},
): T | undefined {
  const start = clock.now();
  while (true) {
    const size = sizeOf(path);
    const value = fromEnd(path, read);
    if (value === undefined && !(isSure && size === -1 && hasFolder(path))) return undefined;
    const until = start + (isSure && size > 0 ? MOST_WAIT_MS : patience(start));
    const whole = value !== undefined && isWhole(value);
    if (whole && restMs === 0) return value;
    do {
      if (clock.now() >= until) return value;
      clock.sleep(whole ? restMs : LOOK_EVERY_MS);
      if (whole && sizeOf(path) === size) return value;
    } while (sizeOf(path) === size);
  }
}

function patience(startMs: number): number {
  return Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, WAIT_PER_START * startMs));
}

function hasFolder(path: string): boolean {
  try {
    return Deno.statSync(path.slice(0, path.lastIndexOf("/"))).isDirectory;
  } catch {
    return false;
  }
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return -1;
  }
}

const decoder = new TextDecoder();

/**
 * The lines of a file from its last to its first, without the newline. Reads 64 KB at a time, so
 * that the size of the file does not matter; what has no newline at the end comes first, marked
 * `partial`. Stops after `limitBytes`. Only a regular file is read: a fifo would block.
 */
export function* linesFromEnd(
  path: string,
  limitBytes: number,
): Generator<{ text: string; partial: boolean }> {
  if (!regularFile(path)) return;
  const file = Deno.openSync(path, { read: true });
  try {
    let position = file.seekSync(0, Deno.SeekMode.End);
    const stop = Math.max(0, position - limitBytes);
    let pieces: Uint8Array[] = []; // of the line being gathered, the last piece first
    let partial = true;
    while (position > stop) {
      const size = Math.min(CHUNK, position - stop);
      position -= size;
      const chunk = readAt(file, position, size);
      let end = chunk.length;
      for (let at = chunk.lastIndexOf(NEWLINE); at !== -1;) {
        const text = joined(chunk.subarray(at + 1, end), pieces);
        if (text !== "" || !partial) yield { text, partial };
        pieces = [];
        partial = false;
        end = at;
        at = at === 0 ? -1 : chunk.lastIndexOf(NEWLINE, at - 1);
      }
      if (end > 0) pieces.push(chunk.subarray(0, end));
    }
    if (position === 0 && pieces.length > 0) yield { text: joined(EMPTY, pieces), partial };
  } finally {
    file.close();
  }
}

const CHUNK = 64 * 1024;
const NEWLINE = 10;
const EMPTY = new Uint8Array();

function joined(first: Uint8Array, laterPieces: Uint8Array[]): string {
  if (laterPieces.length === 0) return decoder.decode(first);
  const all = [first, ...laterPieces.toReversed()];
  const whole = new Uint8Array(all.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of all) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return decoder.decode(whole);
}

function readAt(file: Deno.FsFile, position: number, size: number): Uint8Array {
  const buffer = new Uint8Array(size);
  file.seekSync(position, Deno.SeekMode.Start);
  let filled = 0;
  while (filled < size) {
    const count = file.readSync(buffer.subarray(filled));
    if (count === null) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}
