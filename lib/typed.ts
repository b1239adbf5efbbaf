/**
 * What our programs have given to Claude Code as a prompt. It is noted before it is sent, so that
 * UserPromptSubmit can distinguish it from what a person types at the keyboard.
 */

import { namesInOurs, readTextIfThere, writeAtomic } from "./files.ts";
import { isObject } from "./json.ts";
import { hash, type Paths, safeName } from "./paths.ts";
import type { ByKind, Giver } from "./records.ts";

interface TypedNote {
  instruction_id: string;
  by: string;
  by_kind: ByKind;
  at: number;
  /** Of the text without its blanks: Claude Code trims and wraps it. */
  hash: string;
}

const MOST_NOTES = 50;
/** A queued prompt may wait for a long turn. */
const KEPT_FOR_MS = 24 * 3_600_000;

function notesDir({ state }: Paths): string {
  return `${state}/typed`;
}

function notesFile(paths: Paths, session: string): string {
  return `${notesDir(paths)}/${nameOf(session)}`;
}

function nameOf(session: string): string {
  return `${safeName(session)}.json`;
}

export function noteTyped(
  paths: Paths,
  session: string,
  text: string,
  { by, by_kind, instruction_id }: Giver & { instruction_id: string },
  now: number,
): void {
  const note: TypedNote = { instruction_id, by, by_kind, at: now, hash: hashOf(text) };
  try {
    const all = readNotes(paths, session);
    const kept = all.filter((one) => !isScheduled(one) && Math.abs(now - one.at) < KEPT_FOR_MS);
    const typed = [...kept, note].slice(-MOST_NOTES);
    writeAtomic(notesFile(paths, session), JSON.stringify([...all.filter(isScheduled), ...typed]));
  } catch {
    // Then the prompt counts as typed at the keyboard.
  }
}

/**
 * Notes what Claude has set for a time of its own: such a prompt was not typed by a person. It may
 * come again and again, so it is not one of the instructions that come in order.
 */
export function noteScheduled(paths: Paths, session: string, prompts: string[], now: number): void {
  const hashes = prompts.filter((prompt) => prompt.trim() !== "").map(hashOf);
  const before = readNotes(paths, session);
  const known = before.filter(isScheduled).map((note) => note.hash);
  if (hashes.length === known.length && hashes.every((one) => known.includes(one))) return;
  const fresh = hashes.slice(0, MOST_NOTES / 2).map((one): TypedNote => ({
    ...{ instruction_id: "", by: "claude", by_kind: "claude", at: now, hash: one },
  }));
  try {
    const kept = before.filter((note) => !isScheduled(note));
    writeAtomic(notesFile(paths, session), JSON.stringify([...fresh, ...kept]));
  } catch {
    // Then such a prompt counts as typed at the keyboard.
  }
}

function isScheduled({ by_kind, instruction_id }: TypedNote): boolean {
  return by_kind === "claude" && instruction_id === "";
}

/** Whether an instruction was about to be sent: without a note nothing of it was. */
export function wasNoted(paths: Paths, session: string, instructionId: string): boolean {
  return readNotes(paths, session).some((note) => note.instruction_id === instructionId);
}

export type Prompter = Pick<Giver, "by" | "by_kind"> & { instruction_id?: string };

/** Between our Enter and UserPromptSubmit. */
const ON_ITS_WAY_MS = 10_000;

/**
 * Who gave this prompt to Claude Code. An instruction causes one prompt at the most, and they come
 * in order: `last` is the latest that has caused one.
 */
export function whoPrompted(
  paths: Paths,
  session: string,
  prompt: string,
  { last, now }: { last: string; now: number },
): Prompter {
  // Claude Code's own: a task in the background has ended.
  if (/^\s*<(task-notification|system-reminder)>/.test(prompt)) {
    return { by: "claude", by_kind: "claude" };
  }
  const wanted = new Set([hashOf(prompt), ...partsOf(prompt).map(hashOf)]);
  const notes = readNotes(paths, session);
  // By their places: ids hold the time, and a clock may be set back. Two roads make two notes.
  const given = notes.filter((note) => !isScheduled(note));
  const unused = given.slice(given.findLastIndex((note) => note.instruction_id === last) + 1);
  const found = unused.find((note) => wanted.has(note.hash));
  if (found === undefined) {
    const isSet = notes.some((note) => isScheduled(note) && note.hash === hashOf(prompt));
    if (isSet) return { by: "claude", by_kind: "claude" };
    // Claude Code may have changed a text of ours: then it is unknown who gave it.
    const isOnItsWay = unused.some(({ at }) => Math.abs(now - at) < ON_ITS_WAY_MS);
    return isOnItsWay
      ? { by: "unknown", by_kind: "unknown" }
      : { by: "keyboard", by_kind: "keyboard" };
  }
  const { by, by_kind, instruction_id } = found;
  return { by, by_kind, instruction_id };
}

/** Claude Code joins prompts that waited in its queue. Few lines, so that a paste costs little. */
function partsOf(prompt: string): string[] {
  if (prompt.length > 20_000) return [];
  const lines = prompt.split("\n");
  return lines.length < 2 || lines.length > 20 ? [] : lines;
}

function hashOf(text: string): string {
  return hash(text.replace(/\s+/g, ""));
}

function readNotes(paths: Paths, session: string): TypedNote[] {
  try {
    if (!namesInOurs(notesDir(paths)).includes(nameOf(session))) return [];
    const value: unknown = JSON.parse(readTextIfThere(notesFile(paths, session)) ?? "[]");
    return Array.isArray(value) ? value.filter(isObject) as unknown as TypedNote[] : [];
  } catch {
    return [];
  }
}
