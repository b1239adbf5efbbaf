/** Whether a step has reached Claude: what the transcript has of it since it was to be given. */

import { textOf } from "./events.ts";
import { namesIn, openRegular, regularFile } from "./files.ts";
import { isObject } from "./json.ts";
import { commandOf, isDoneBy, type StepGiving } from "./steps.ts";
import { isFeedback, isFromPeer, isPrompt, textIn } from "./transcript.ts";

export type Proof =
  | { kind: "none" }
  /** Its prompt is in the conversation. */
  | { kind: "prompt"; promptId: string }
  /** Its command was run; whether it began a turn is not known. */
  | { kind: "command" }
  /** All hooks of the Stop that was to give it have ended, and it is not there. */
  | { kind: "passed" };

/** So much of a transcript is read: the step is near the place where the conversation was. */
const MOST_BYTES = 8 * 1024 * 1024;

/** `since`: only what was written from then on. */
export function proofIn(lines: Iterable<string>, text: string, since = 0): Proof {
  const wanted = squeezed(text);
  const command = commandOf(text);
  for (const line of lines) {
    if (!/"type"\s*:\s*"(user|system)"/.test(line)) continue;
    const fields = parsed(line);
    if (fields === undefined || fields.isSidechain === true || isBefore(fields, since)) continue;
    const said = wordsOf(fields);
    if (command !== "" && said.includes(`<command-name>/${command}</command-name>`)) {
      return { kind: "command" };
    }
    if (said === "" || fields.type === "system") continue;
    // Other lines may stand before and behind it: Claude Code's own, and prompts that it has joined.
    const isThere = wanted.length > SHORT
      ? squeezed(said).includes(wanted)
      : wholeLines(said).includes(wholeLines(text));
    if (isThere) {
      return { kind: "prompt", promptId: textOf(fields, "promptId") };
    }
  }
  return { kind: "none" };
}

/** So short a text may also be a part of what somebody else says. */
const SHORT = 20;

function wholeLines(text: string): string {
  const lines = text.split("\n").map(squeezed).filter((line) => line !== "");
  return `\n${lines.join("\n")}\n`;
}

/** What somebody has typed or sent: a prompt, or a command that Claude Code has run by itself. */
function wordsOf(fields: Record<string, unknown>): string {
  const { type, subtype, message } = fields;
  if (type === "system") return subtype === "local_command" ? textOf(fields, "content") : "";
  if (type !== "user" || !isObject(message)) return "";
  const isOurs = isPrompt(fields, message) || isFromPeer(fields) ||
    isFeedback({ type, fields, message });
  return isOurs ? textIn(message.content) : "";
}

/** `path`: the transcript now, which is another one after /clear. */
export function proofOf(giving: StepGiving, path: string): Proof {
  const isSame = path === giving.transcript_path;
  const from = isSame ? giving.position : Math.max(0, sizeOf(path) - MOST_BYTES);
  // Another conversation may have had the same prompt before.
  const since = isSame ? 0 : Date.parse(giving.at);
  const lines = linesFrom(path, from);
  const proof = proofIn(lines, giving.text, since);
  const hasPassed = (line: string) => isEndOfStop(line, since);
  if (proof.kind === "none" && giving.by_stop && lines.some(hasPassed)) return { kind: "passed" };
  if (proof.kind !== "none" || !isDoneBy(giving.text, "clear")) return proof;
  return wasCleared(giving, path) ? { kind: "command" } : proof;
}

function isBefore(fields: Record<string, unknown>, since: number): boolean {
  return Date.parse(textOf(fields, "timestamp")) < since;
}

/** Claude Code writes it after the last hook, and after the instruction of one that blocked. */
function isEndOfStop(line: string, since: number): boolean {
  if (!line.includes("stop_hook_summary")) return false;
  const fields = parsed(line);
  return fields?.subtype === "stop_hook_summary" && !isBefore(fields, since);
}

/** So much of a new transcript is read: /clear is in its first lines. */
const HEAD_BYTES = 64 * 1024;

/** The hook that tells of the new conversation was killed: its transcript is beside the old one. */
function wasCleared({ transcript_path, at }: StepGiving, now: string): boolean {
  const known = transcript_path || now;
  const folder = known.slice(0, known.lastIndexOf("/"));
  if (folder === "") return false;
  return namesIn(folder).filter((name) => name.endsWith(".jsonl")).some((name) => {
    const path = `${folder}/${name}`;
    const { birthtime, mtime } = quietly(() => Deno.statSync(path)) ?? {};
    const isNew = (birthtime ?? mtime)?.getTime() ?? 0;
    if (path === transcript_path || isNew < Date.parse(at)) return false;
    return proofIn(linesFrom(path, 0, HEAD_BYTES), "/clear").kind === "command";
  });
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

export function sizeOf(path: string): number {
  try {
    return path === "" ? 0 : regularFile(path)?.size ?? 0;
  } catch {
    return 0;
  }
}

function linesFrom(path: string, position: number, most = MOST_BYTES): string[] {
  const size = sizeOf(path);
  if (size <= position) return [];
  const file = openRegular(path, { read: true });
  try {
    file.seekSync(position, Deno.SeekMode.Start);
    const bytes = new Uint8Array(Math.min(size - position, most));
    let read = 0;
    while (read < bytes.length) {
      const count = file.readSync(bytes.subarray(read)) ?? 0;
      if (count === 0) break;
      read += count;
    }
    return new TextDecoder().decode(bytes.subarray(0, read)).split("\n");
  } finally {
    file.close();
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // the last line is being written
  }
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, "");
}
