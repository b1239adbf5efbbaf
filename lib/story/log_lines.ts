/** The lines of `gsd-code log`, fitted to the terminal. */

import type { Colours } from "../cli/colours.ts";
import { onOneLine, printable } from "../cli/speaker.ts";
import { padded, widthOf } from "../cli/width.ts";
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
const GOOD_TEXT = 20;
const CLOCK = 8;
const GAP = 2;
/** Names give way where there would be too little room for the words. */
const LEAST = [["who", 8], ["session", 10]] as const;

/** As wide as these happenings need. */
export function columnsFor(happenings: Happening[], line: number | undefined): Columns {
  // Without arguments: there may be too many of them for one call.
  const widest = (name: keyof typeof MOST) =>
    Math.min(
      line === undefined ? MOST_IN_PIPES : MOST[name],
      happenings.reduce((most, one) => Math.max(most, widthOf(clean(one[name]))), 6),
    );
  const columns = { session: widest("session"), who: widest("who"), what: widest("what") };
  if (line === undefined) return columns;
  for (const [name, least] of LEAST) {
    const room = line - CLOCK - columns.session - columns.who - columns.what - 4 * GAP;
    const spare = Math.max(0, columns[name] - least);
    columns[name] -= Math.max(0, Math.min(spare, GOOD_TEXT - room));
  }
  return { ...columns, line };
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
  const cell = (text: string, width: number) =>
    padded(isCut ? fitted(clean(text), width) : clean(text), width);
  const head = [
    clockTime(one.at),
    cell(one.session, columns.session),
    cell(one.who, columns.who),
  ].join("  ");
  const what = cell(one.what, columns.what);
  const text = clean(one.text);
  const note = one.note === "" ? "" : `(${clean(one.note)})`;
  const { line = Infinity } = columns;
  const room = Math.max(LEAST_TEXT, line - widthOf(head) - widthOf(what) - 2 * GAP);
  const beside = room - widthOf(note) - GAP;
  const isNoted = note !== "" && beside >= Math.min(LEAST_TEXT, widthOf(text));
  const words = isNoted ? [fitted(text, beside), note] : [fitted(text, room)];
  const shown = words.filter((part) => part !== "").join("  ");
  return `${colours.dim(clockTime(one.at))}${head.slice(CLOCK)}  ${paint(what)}  ${shown}`
    .trimEnd();
}

/** One line without codes: it is measured before it is printed. */
function clean(text: string): string {
  return printable(onOneLine(text)).replaceAll("\t", " ").replace(/ {3,}/g, "  ");
}

/** `width`: in columns of the terminal. */
export function fitted(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let taken = 1;
  for (const char of text) {
    taken += widthOf(char);
    if (taken > width) break;
    kept += char;
  }
  return `${kept.trimEnd()}…`;
}
