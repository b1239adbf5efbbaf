/** A word that is longer than a line of the screen is broken at its edge. Here it is put together. */

import { looksRandom, type TextPart } from "./secret_values.ts";

/** A text in which such words are whole, and where their lines were broken. */
export interface Page {
  text: string;
  breaks: Break[];
}

interface Break {
  at: number;
  /** The end of one line and the frame or margin of the next. */
  gap: string;
}

/** Dialogs and messages end up to four columns before the edge, and begin up to ten after it. */
const RIGHT_MARGIN = 4;
const LEFT_MARGIN = 10;
/** On a narrower screen the ends of lines prove nothing. */
const LEAST_WIDTH = 20;

/**
 *   │ export API_KEY=sk-ant-api03-mB7xQ2vKpL9wRt4ZcN
 *   │ 8yHj3FsG6dTuE1oXqW5iVaYbU0rPkMzJnCfDhSgLeO7tR2
 *   │ yBw9QxKvA4mZp && npm run start
 */
export function unwrap(text: string): Page {
  const lines = text.split("\n");
  const width = widthOf(lines);
  const isFull = (line: string) => bare(line).length >= width - RIGHT_MARGIN;
  const least = width - RIGHT_MARGIN - LEFT_MARGIN;
  const breaks: Break[] = [];
  const pieces = [lines[0]!];
  let length = lines[0]!.length;
  for (let at = 1; at < lines.length; at++) {
    const line = lines[at]!;
    const isBroken = width >= LEAST_WIDTH && isFull(lines[at - 1]!) &&
      isLonger(least, lines, at, isFull);
    const before = isBroken ? lines[at - 1]!.slice(bare(lines[at - 1]!).length) : "";
    const margin = isBroken ? marginOf(line) : "";
    const piece = isBroken ? line.slice(margin.length) : `\n${line}`;
    if (before !== "") pieces.push(pieces.pop()!.slice(0, -before.length));
    length -= before.length;
    if (isBroken) breaks.push({ at: length, gap: `${before}\n${margin}` });
    pieces.push(piece);
    length += piece.length;
  }
  return { text: pieces.join(""), breaks };
}

/** Codes of a terminal are taken out, as line ends are. */
export function withoutColours(text: string): Page {
  const breaks: Break[] = [];
  let out = "";
  let done = 0;
  // deno-lint-ignore no-control-regex
  for (const { 0: gap, index } of text.matchAll(/\x1b\[[\d;:?]*[ -/]*[@-~]/g)) {
    out += text.slice(done, index);
    breaks.push({ at: out.length, gap });
    done = index + gap.length;
  }
  return { text: out + text.slice(done), breaks };
}

/** Claude Code's rules are as wide as the screen; without one the longest line is the best guess. */
function widthOf(lines: string[]): number {
  const rules = lines.filter((line) => /^[─╌]{20,}$/.test(line.trim()));
  return Math.max(...(rules.length > 0 ? rules : lines).map((line) => line.trimEnd().length));
}

/** Is the word that goes on from the line before into this one longer than this? */
function isLonger(
  least: number,
  lines: string[],
  at: number,
  isFull: (line: string) => boolean,
): boolean {
  const content = (line: string) => bare(line).slice(marginOf(line).length);
  const head = /^[^\s─╌▔]*/.exec(content(lines[at]!))![0];
  if (head === "") return false;
  let length = head.length;
  for (let from = at - 1; from >= 0 && length <= least; from--) {
    const line = content(lines[from]!);
    const tail = /[^\s─╌▔]*$/.exec(line)![0];
    if (tail === "") return false;
    length += tail.length;
    if (tail.length < line.length || from === 0 || !isFull(lines[from - 1]!)) break;
  }
  // The line after this one may end the word.
  const goesOn = head === content(lines[at]!) && isFull(lines[at]!);
  const next = goesOn ? /^[^\s─╌▔]*/.exec(content(lines[at + 1] ?? ""))![0] : "";
  return length + next.length > least;
}

/** Without the blanks and the frame at its right. */
function bare(line: string): string {
  return line.replace(/[ \t]*[│┃║]?[ \t\r]*$/, "");
}

function marginOf(line: string): string {
  return /^[ \t]*(?:[│┃║>][ \t]+)?/.exec(line)![0];
}

export function rewrap({ text, breaks }: Page): string {
  let out = "";
  let done = 0;
  for (const { at, gap } of breaks) {
    out += text.slice(done, at) + gap;
    done = at;
  }
  return out + text.slice(done);
}

/** With a mask in the place of each part. A break inside of one follows its mask. */
export function maskPage({ text, breaks }: Page, parts: TextPart[], mask: string): Page {
  const shown = (at: number): number => {
    const before = parts.filter(({ start }) => start < at);
    const removed = before.reduce((sum, { start, end }) => sum + end - start - mask.length, 0);
    const inside = before.at(-1);
    // Inside of a part: at the end of its mask.
    return (inside !== undefined && inside.end > at ? inside.end : at) - removed;
  };
  let out = "";
  let done = 0;
  for (const { start, end } of parts) {
    out += text.slice(done, start) + mask;
    done = end;
  }
  const moved = breaks.map(({ at, gap }) => ({ at: shown(at), gap }));
  return { text: out + text.slice(done), breaks: moved };
}

/** The first word of a command, or a path that is run: what follows a break may be one. */
export function mayBeCommand(text: string): boolean {
  if (/^[a-z._-]{1,15}\d?$/.test(text)) return true;
  return /^(?:\.{0,2}|~)\//.test(text) && !/[+=]/.test(text) && !looksRandom(text, 0.5);
}
