/** The lines of `gsd-code log`, fitted to the terminal. */

import type { Colours } from "../cli/colours.ts";
import { onOneLine, printable } from "../cli/speaker.ts";
import type { Happening, Tone } from "./story_line.ts";
import { clockTime } from "./since.ts";

export interface Columns {
  session: number;
  who: number;
  what: number;
  /** Of the whole line; none where it goes into a pipe. */
  line?: number;
}

const MOST = { session: 20, who: 14, what: 13 };
/** Where the output is no terminal, nothing is cut: a longer one stands out of its column. */
const MOST_IN_PIPES = 40;
const LEAST_TEXT = 10;

/** As wide as these happenings need. */
export function columnsFor(happenings: Happening[], line: number | undefined): Columns {
  const widest = (name: keyof typeof MOST) =>
    Math.min(
      line === undefined ? MOST_IN_PIPES : MOST[name],
      Math.max(6, ...happenings.map((one) => onOneLine(one[name]).length)),
    );
  return {
    session: widest("session"),
    who: widest("who"),
    what: widest("what"),
    ...(line === undefined ? {} : { line }),
  };
}

const INKS: Record<Tone, keyof Colours | undefined> = {
  asks: "yellow",
  good: "green",
  bad: "red",
  plain: undefined,
  quiet: "dim",
};

export function logLine(one: Happening, columns: Columns, colours: Colours): string {
  const ink = INKS[one.tone];
  const paint = (text: string) => ink === undefined ? text : colours[ink](text);
  const isCut = columns.line !== undefined;
  const padded = (text: string, width: number) =>
    (isCut ? fitted(clean(text), width) : clean(text)).padEnd(width);
  const head = [
    clockTime(one.at),
    padded(one.session, columns.session),
    padded(one.who, columns.who),
  ].join("  ");
  const what = padded(one.what, columns.what);
  const note = one.note === "" ? "" : `(${clean(one.note)})`;
  const used = head.length + what.length + 4 + (note === "" ? 0 : note.length + 2);
  const room = columns.line === undefined ? Infinity : Math.max(LEAST_TEXT, columns.line - used);
  const text = fitted(clean(one.text), room);
  const shown = [text, note].filter((part) => part !== "").join("  ");
  return `${colours.dim(clockTime(one.at))}${head.slice(8)}  ${paint(what)}  ${shown}`.trimEnd();
}

/** One line without codes: it is measured before it is printed. */
function clean(text: string): string {
  return printable(onOneLine(text)).replaceAll("\t", " ").replace(/ {3,}/g, "  ");
}

/** Counted in characters; a wide one may take two places. */
export function fitted(text: string, width: number): string {
  if (placesOf(text) <= width) return text;
  let kept = "";
  let places = 1;
  for (const char of text) {
    places += placesOf(char);
    if (places > width) break;
    kept += char;
  }
  return `${kept.trimEnd()}…`;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

function placesOf(text: string): number {
  // deno-lint-ignore no-control-regex
  if (/^[\u0000-\u007f]*$/.test(text)) return text.length;
  return Array.from(text).reduce((sum, char) => sum + (WIDE.test(char) ? 2 : 1), 0);
}
