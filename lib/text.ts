/** What Claude or a screen said is data: made harmless, and otherwise left as it is. */

export { maskFields, maskForApproval, maskScreen, maskSecrets, maskTexts } from "./fence.ts";

/** Could the text be what a masked one was made from? Each `***` stands for one character or more. */
export function isLike(masked: string, text: string): boolean {
  const [first, ...pieces] = masked.split("***");
  const last = pieces.pop();
  if (last === undefined) return masked === text;
  if (!text.startsWith(first!)) return false;
  let at = first!.length;
  for (const piece of pieces) {
    const place = text.indexOf(piece, at + 1);
    if (place < 0) return false;
    at = place + piece.length;
  }
  return text.length > at + last.length && text.endsWith(last);
}

// Built from strings: the characters themselves must not stand in a source file.
const ANSI = new RegExp(
  [
    "\\u001b\\[[0-?]*[ -/]*[@-~]", // CSI: colours, cursor
    "\\u009b[0-?]*[ -/]*[@-~]",
    "\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)", // OSC: titles, links
    "\\u001b[PX^_][^\\u001b]*\\u001b\\\\", // DCS, SOS, PM, APC
    "\\u001b[ -/]*[0-~]",
  ].join("|"),
  "g",
);
const range = (from: number, to: number) =>
  [from, to].map((code) => `\\u${code.toString(16).padStart(4, "0")}`).join("-");
// All controls but tab and newline. A class by name (\p{Cc}) would cost a hook more to compile.
const CONTROL = range(0, 8) + range(0x0b, 0x1f) + range(0x7f, 0x9f);
const CONTROLS = new RegExp(`[${CONTROL}]`, "g");
const SUSPECT = new RegExp(`[${CONTROL}\\u2028\\u2029]`);

/** Without ANSI codes and control characters; every way to end a line becomes a newline. */
export function cleanText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(ANSI, "").replace(/\r\n?|\u2028|\u2029/g, "\n").replace(CONTROLS, "");
}

/** On one line: for fields whose value must not be able to add lines to a message. */
export function oneLine(text: string): string {
  return cleanText(text.slice(0, MOST_ON_A_LINE)).split("\n").map((line) => line.trim())
    .filter((line) => line !== "").join(" ");
}

const MOST_ON_A_LINE = 20_000;

/** A foreign word that may stand in a line of ours: a name, not a sentence. */
export function plainWord(value: string): string | undefined {
  return /^[A-Za-z0-9][\w.@-]{0,63}$/.test(value) ? value : undefined;
}

export interface Cut {
  kept: string;
  missingChars: number;
}

/** At most `max` characters, cut at the end of a line where there is one in reach. */
export function cutAtLine(text: string, max: number): Cut {
  if (text.length <= max) return { kept: text, missingChars: 0 };
  const lineEnd = text.lastIndexOf("\n", max);
  const at = lineEnd > max / 2 ? lineEnd : isInCharacter(text, max) ? max - 1 : max;
  return { kept: text.slice(0, at), missingChars: text.length - at };
}

export interface MiddleCut {
  head: string;
  tail: string;
  missing: { chars: number; lines: number };
}

/**
 * The beginning and the end of a text, together at most `max` characters: a conclusion stands at
 * the end. Both are whole lines where a line ends in reach; else `…` marks the place. undefined
 * when all of it fits.
 */
export function cutMiddle(text: string, max: number): MiddleCut | undefined {
  if (text.length <= max) return undefined;
  const half = Math.floor(max / 2);
  const lineEnd = text.lastIndexOf("\n", half);
  const endsLine = lineEnd > half / 2;
  const end = endsLine ? lineEnd : isInCharacter(text, half) ? half - 1 : half;
  // The end gets the remaining room.
  const first = text.length - (max - end);
  const lineStart = text.indexOf("\n", first - 1) + 1;
  const startsLine = lineStart > 0 && text.length - lineStart > (max - end) / 2;
  const start = startsLine ? lineStart : isInCharacter(text, first) ? first + 1 : first;
  const left = text.slice(endsLine ? end + 1 : end, startsLine ? start - 1 : start);
  return {
    head: text.slice(0, end) + (endsLine ? "" : "…"),
    tail: (startsLine ? "" : "…") + text.slice(start),
    missing: { chars: start - end, lines: left.split("\n").length },
  };
}

/** Between the halves of a surrogate pair, which are no characters. */
function isInCharacter(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at - 1, at + 1));
}

/** A word for /bin/sh: it becomes one argument, whatever it holds. */
export function shellQuote(word: string): string {
  // zsh takes `=name` for the path of a program.
  const isPlain = /^[A-Za-z0-9_@%+=:,.\/-]+$/.test(word) && !word.startsWith("=");
  return isPlain ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `export A=… B=…`: unlike `A=… exec x` it means the same in every sh. */
export function exportLine(variables: Record<string, string>): string {
  return `export ${assignments(variables)}`;
}

/** `A=… B=…`, each quoted for a shell. */
export function assignments(variables: Record<string, string>): string {
  return Object.entries(variables).map(([name, value]) => `${name}=${shellQuote(value)}`).join(" ");
}
