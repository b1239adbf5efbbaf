/**
 * Which text in the input box is the agent's own. Claude Code puts a prompt back into its box when
 * it is interrupted before the first answer. Only hashes are kept: a prompt may hold a secret.
 */

import { asDrawn } from "./as_drawn.ts";
import { readJsonIfThere, writeAtomic } from "../files.ts";
import { isObject } from "../json.ts";
import { hash, type Paths, safeName } from "../paths.ts";

interface TypedText {
  /** Of the whole text, without blanks: the box breaks lines where it likes. */
  whole: string;
  /** Of each word, in order. */
  words: string[];
  /** Line ends in it, as the box counts them in the name of a long paste. */
  breaks: number;
}

/** After an interrupt, Claude Code also puts queued prompts back. */
const MOST_TEXTS = 8;
/** The box shows only a part of a longer text. */
const MOST_WORDS = 5000;
/** A part of fewer words may be a person's text. */
const PART_WORDS = 12;

function fileOf(paths: Paths, session: string): string {
  return `${paths.state}/drafts/${safeName(session)}.json`;
}

/** Notes a text before it is typed. Without the note it counts as a person's draft. */
export function noteOwnText(paths: Paths, session: string, text: string): void {
  const typed = { whole: hash(asDrawn(text)), words: wordsOf(text).slice(0, MOST_WORDS) };
  const others = readTyped(paths, session).filter(({ whole }) => whole !== typed.whole);
  const texts = [...others, { ...typed, breaks: text.split("\n").length - 1 }].slice(-MOST_TEXTS);
  try {
    writeAtomic(fileOf(paths, session), JSON.stringify(texts));
  } catch {
    // The disk is full: send the text anyway.
  }
}

export function isOwnDraft(paths: Paths, session: string, draft: string): boolean {
  const typed = readTyped(paths, session);
  const whole = hash(asDrawn(draft));
  if (typed.some((one) => one.whole === whole)) return true;
  const pasted = /^\[Pasted text #\d+(?: \+(\d+) lines?)?\]$/.exec(draft);
  if (pasted !== null) return typed.some(({ breaks }) => breaks === Number(pasted[1] ?? 0));
  const words = wordsOf(draft);
  return isJoined(words, typed) ||
    (words.length >= PART_WORDS && typed.some((one) => holdsAll(one.words, words)));
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).map(asDrawn).filter((word) => word !== "").map(hash);
}

/** Several of the texts, one after the other. */
function isJoined(words: string[], typed: TypedText[]): boolean {
  if (words.length === 0) return true;
  return typed.some((one) =>
    one.words.length > 0 && one.words.every((word, at) => word === words[at]) &&
    isJoined(words.slice(one.words.length), typed.filter((other) => other !== one))
  );
}

/**
 * In this order. 2.1.197 leaves lines out when it draws a long draft in a window of another size.
 * Where the box is higher than the window, some lines may be above the window and in it: once, the
 * words may go back.
 */
function holdsAll(all: string[], part: string[], mayGoBack = true): boolean {
  let at = 0;
  for (const word of all) if (word === part[at]) at++;
  if (at === part.length) return true;
  const rest = part.slice(at);
  return mayGoBack && at > 0 && rest.length >= PART_WORDS && holdsAll(all, rest, false);
}

function readTyped(paths: Paths, session: string): TypedText[] {
  const read = readJsonIfThere(fileOf(paths, session));
  // Unreadable: every draft counts as a person's.
  return Array.isArray(read) ? read.filter(isTyped) : [];
}

function isTyped(value: unknown): value is TypedText {
  return isObject(value) && typeof value.whole === "string" && typeof value.breaks === "number" &&
    Array.isArray(value.words) && value.words.every((word) => typeof word === "string");
}
