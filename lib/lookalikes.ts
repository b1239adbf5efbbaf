/** Keeps foreign text from looking like a part of a wake: its fence, its headers. */

import { FENCE_WORDS, isHarmless } from "./fence.ts";
import {
  ANGLE_RUNS,
  ANGLES,
  BEGINNING,
  CLOSING,
  isBlank,
  lettersAt,
  OPENING,
  readOut,
} from "./lookalike_letters.ts";

/**
 * Each fence and each header in a wake is ours: a line of foreign text that reads as a header is
 * indented, and what reads as a fence loses its brackets and is called what it is.
 */
export function guardText(text: string): string {
  if (isHarmless(text)) return text;
  return guardLines(breakFences(text).split("\n").map(guardLine)).join("\n");
}

/** For a value on a line of ours: what could be read as a fence or header has no brackets left. */
export function guardField(value: string): string {
  if (!isSuspect(value)) return value;
  const hasFence = breakFences(value) !== value || readsAs(value) !== "text";
  const hasHeader = value.split(OPENING).some((part) => readsAs(`[${part}`) === "header");
  return hasFence || hasHeader
    ? value.replace(everyOne(OPENING), "(").replace(everyOne(CLOSING), ")")
      .replace(everyOne(ANGLES), "|")
    : value;
}

function isSuspect(text: string): boolean {
  return BEGINNING.test(text) || /untrusted/i.test(text);
}

const everyOne = (pattern: RegExp) => new RegExp(pattern, "g");

/** As letters alone, as `lettersAt` reads them. */
const spelled = (words: string) => words.replace(/[^A-Z]/g, "").replaceAll("L", "I");
const FENCES = [spelled(`END_${FENCE_WORDS}`), spelled(FENCE_WORDS)];
// deno-fmt-ignore
const HEADERS = [
  "SESSION IDENTITY", "TRIGGER", "CONTENT", "STATE HINT", "CONTEXT PRESSURE", "AVAILABLE ACTIONS",
  "ASK USER QUESTION", "ANSWER SELECTED", "NO CHANGE", "PANE CONTENT",
].map(spelled);

const NO_FENCE = "(not a fence) ";

/** `<<<EXTERNAL_…>>>` anywhere, also over several lines: without its brackets. */
function breakFences(text: string): string {
  if (!ANGLE_RUNS.test(text)) return text;
  let broken = "";
  let done = 0;
  for (const { 0: run, index } of text.matchAll(everyOne(ANGLE_RUNS))) {
    const end = index < done ? undefined : behindAny(FENCES, text, index + run.length);
    if (end === undefined) continue;
    const lineEnd = text.indexOf("\n", end);
    const next = lineEnd === -1 ? text.length : lineEnd;
    broken += text.slice(done, index) + NO_FENCE + withoutAngles(text.slice(index, next));
    done = next;
  }
  return broken + text.slice(done);
}

function withoutAngles(text: string): string {
  return text.replace(everyOne(ANGLES), "|");
}

const INDENT = "    ";

function indented(line: string): string {
  return line.startsWith(INDENT) || line.trim() === "" ? line : INDENT + line;
}

const MOST_LINES = 4;

/** A header that goes on in the next lines. */
function guardLines(lines: string[]): string[] {
  for (const [at, line] of lines.entries()) {
    if (!OPENING.test(line) || CLOSING.test(line.slice(line.search(OPENING)))) continue;
    const count = lines.slice(at + 1, at + MOST_LINES).findIndex((next) => CLOSING.test(next)) + 2;
    const part = lines.slice(at, at + count);
    if (part.slice(1).some((next) => OPENING.test(next))) continue; // that line is judged alone
    if (count === 1 || part.join("").length > MOST_OF_A_TITLE || !readsAsHeader(part.join(" "))) {
      continue;
    }
    lines.splice(at, count, ...part.map(indented));
  }
  return lines;
}

function guardLine(line: string): string {
  if (isHarmless(line)) return line;
  switch (readsAs(line)) {
    case "text":
      return readsAsHeader(line) ? indented(line) : line;
    case "header":
      return indented(line);
    case "fence":
      return NO_FENCE + withoutAngles(line);
  }
}

/** Of several words: as a title they need no brackets. */
const TITLES = HEADERS.filter((words) => !["TRIGGER", "CONTENT"].includes(words));
const spaced = (headers: string[]) =>
  headers.map((words) => words.split("").join("[^A-Z[\\]]{0,8}")).join("|");
const ANY_HEADER = spaced(HEADERS);
/** Alone on its line behind markup or a label: `<b>[…]</b>`, `a. […]`, `Note: […]` */
const LABELLED = new RegExp(
  `^(?:[^A-Z[]{0,60}|.{1,60}[.\\]] ?)\\[[^A-Z]{0,60}(?:${ANY_HEADER})[^A-Z]{0,60}\\][^A-Z]*$`,
);
/** With more words in its brackets, or as a title. */
const IN_CAPITALS = new RegExp(
  `^[^A-Z]{0,60}(?:\\[[^[\\]]{0,60}(?:${spaced(TITLES)})[^[\\]]{0,60}\\]|I?[^A-Z[]{0,60}(?:${
    spaced(TITLES)
  })[^A-Z]*$)`,
);
const MOST_OF_A_TITLE = 200;
/** What stands before a list of code, not before a title. */
const OF_CODE = /[,(=[{&|+?]\s*[[［]/;

function readsAsHeader(line: string): boolean {
  if (line.length > MOST_OF_A_TITLE || LIST_ITEM.test(line)) return false;
  if (!BEGINNING.test(line) && !/^[^a-z]{8,}$/.test(line) && !WRITTEN_BRACKET.test(line)) {
    return false;
  }
  // Most lines need no reading: behind a header there are no words.
  const end = line.search(LAST_CLOSING);
  if (end >= 0 && /[a-z]/.test(line.slice(end).replace(/<[^<>]{0,80}>/g, ""))) return false;
  const { read, hasSmall } = readOut(line);
  if (!hasSmall && IN_CAPITALS.test(read)) return true;
  return LABELLED.test(read) && !OF_CODE.test(line) && !/\]\([^()\s]+\)/.test(line);
}

const LAST_CLOSING = new RegExp(`${CLOSING.source}(?![^]*${CLOSING.source})`);
const WRITTEN_BRACKET = /&|%5b|\\x5b|\\u/i;

const NUMBER = /^\s*\d{1,3}[.)]\s/;
/** This decoration is common in honest text: its line stays as it is. */
const LIST_ITEM = /^\s*- /;
/** So many signs may decorate the beginning of a line: quotes, stars, bars. */
const MOST_SIGNS = 60;

/** What the words at the beginning of a line could be taken for. */
function readsAs(line: string): "header" | "fence" | "text" {
  let at = NUMBER.exec(line)?.[0].length ?? 0;
  let isBracketed = false;
  for (let signs = 0; signs < MOST_SIGNS;) {
    const { letters, length } = lettersAt(line, at);
    if (length === 0) return "text";
    if (letters !== "") {
      if (isFence(line, at)) return "fence";
      return isBracketed && isHeader(line, at) && !LIST_ITEM.test(line) ? "header" : "text";
    }
    if (OPENING.test(line[at]!)) isBracketed = true;
    if (!isBlank(line, at)) signs++;
    at += length;
  }
  return "text";
}

/** Not a sentence that begins with these words: a fence has brackets, or signs between them. */
function isFence(line: string, at: number): boolean {
  const end = behindAny(FENCES, line, at);
  if (end === undefined) return false;
  return BEGINNING.test(line.slice(0, at)) || !/^[A-Za-z\s,-]*$/.test(line.slice(at, end));
}

function isHeader(line: string, at: number): boolean {
  const end = behindAny(HEADERS, line, at);
  if (end === undefined) return false;
  const rest = line.slice(closingAt(line, end));
  return rest !== "" && !/^\]\([^()\s]+\)/.test(rest); // a link is no header
}

/** The next closing bracket, if no letter comes before it; else the end of the line. */
function closingAt(line: string, from: number): number {
  for (let at = from; at < line.length;) {
    if (CLOSING.test(line[at]!)) return at;
    const { letters, length } = lettersAt(line, at);
    if (letters !== "") break;
    at += length;
  }
  return line.length;
}

/** The place behind the first of these words that the text spells from there on. */
function behindAny(words: string[], text: string, at: number): number | undefined {
  for (const word of words) {
    const end = behind(word, text, at);
    if (end !== undefined) return end;
  }
  return undefined;
}

/** Between two letters of a word there may be so many other signs, and any number of blanks. */
const MOST_BETWEEN = 8;

function behind(word: string, text: string, from: number): number | undefined {
  let at = from;
  for (let found = 0, between = 0; found < word.length;) {
    const { letters, length } = lettersAt(text, at);
    if (length === 0) return undefined;
    if (letters === "") {
      if (!isBlank(text, at) && ++between > MOST_BETWEEN) return undefined;
    } else {
      if (!word.startsWith(letters, found)) return undefined;
      found += letters.length;
      between = 0;
    }
    at += length;
  }
  return at;
}
