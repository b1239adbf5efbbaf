/**
 * Invisible characters. What turns text around, or is text in disguise, is shown as
 * `\u{202e}`; the others are dropped. Where a script or an emoji needs one, it stays.
 */

/** Without invisible characters; text that has none is returned as it is, after one pass. */
export function showUnseen(text: string): string {
  return text.replace(UNSEEN, shown);
}

const FLAG = "\\ud83c\\udff4(?:\\udb40[\\udc61-\\udc7a]){5}\\udb40\\udc7f";
const UNSEEN = new RegExp(
  [
    FLAG,
    "[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e" +
    "\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb]",
    "[\\udb40-\\udb43][\\udc00-\\udfff]", // tags, selectors, and what is reserved beside them
    "\\ud834[\\udd73-\\udd7a]|\\ud82f[\\udca0-\\udca3]", // controls of musical and shorthand scripts
  ].join("|"),
  "g",
);

function shown(found: string, at: number, text: string): string {
  if (found.length > 2) return FLAGS.includes(lettersOf(found)) ? found : escapedTags(found);
  const code = found.codePointAt(0)!;
  const after = text.codePointAt(at + found.length) ?? 0;
  if (isNeeded(code, codeBefore(text, at), after)) return found;
  return isShown(code) ? escaped(code) : "";
}

/** The flags of England, Scotland and Wales: the only emoji that are written with tags. */
const FLAGS = ["gbeng", "gbsct", "gbwls"];

function lettersOf(flag: string): string {
  return Array.from(flag).slice(1, -1)
    .map((tag) => String.fromCharCode(tag.codePointAt(0)! - 0xe0000)).join("");
}

function escapedTags(flag: string): string {
  const [black, ...tags] = Array.from(flag);
  return black + tags.map((tag) => escaped(tag.codePointAt(0)!)).join("");
}

function escaped(code: number): string {
  return `\\u{${code.toString(16)}}`;
}

function codeBefore(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xdc00 && code <= 0xdfff ? text.codePointAt(at - 2) ?? code : code || 0;
}

type Range = readonly [from: number, to: number];

const isIn = (code: number, ranges: readonly Range[]) =>
  ranges.some(([from, to]) => code >= from && code <= to);

const MARKS: Range[] = [[0x61c, 0x61c], [0x200e, 0x200f]];
const TURNS: Range[] = [[0x202a, 0x202e], [0x2066, 0x2069]];
const TAGS: Range[] = [[0xe0000, 0xe00ff], [0xe01f0, 0xe0fff]];

function isShown(code: number): boolean {
  return isIn(code, MARKS) || isIn(code, TURNS) || isIn(code, TAGS);
}

const RIGHT_TO_LEFT: Range[] = [[0x590, 0x8ff], [0xfb1d, 0xfdff], [0xfe70, 0xfefc]];
/** Arabic and its kin, the scripts of India, Tibet, Burma, Cambodia and Mongolia. */
const JOINED: Range[] = [
  ...[[0x600, 0xdff], [0xf00, 0x109f], [0x1780, 0x18af]] as const,
  ...[[0xa840, 0xa87f], [0xfb50, 0xfdff], [0xfe70, 0xfefc]] as const,
];
/** Thai, Lao, Burmese and Khmer are written without blanks. */
const UNSPACED: Range[] = [[0xe00, 0xeff], [0x1000, 0x109f], [0x1780, 0x17ff]];
const HAN: Range[] = [[0x3400, 0x9fff], [0xf900, 0xfaff], [0x20000, 0x323af]];
const SYMBOLS: Range[] = [[0xa9, 0xa9], [0xae, 0xae], [0x203c, 0x205e], [0x20d0, 0x2bff]];
const EMOJI: Range[] = [...SYMBOLS, [0x3030, 0x303d], [0x3297, 0x3299], [0x1f000, 0x1faff]];
const SELECTED: Range[] = [...EMOJI, [0x1000, 0x109f], [0x2c00, 0xfaff]];
const JAMO: Range[] = [[0x1100, 0x11ff], [0xa960, 0xa97f], [0xd7b0, 0xd7ff]];
const KEYCAP = 0x20e3;

function isNeeded(code: number, before: number, after: number): boolean {
  if (isIn(code, MARKS)) return isIn(before, RIGHT_TO_LEFT) || isIn(after, RIGHT_TO_LEFT);
  switch (code) {
    case 0x200b: // a place where a word ends
      return isIn(before, UNSPACED);
    case 0x200c: // letters that are not joined, as in Persian
      return isIn(before, JOINED);
    case 0x200d: // letters or emoji that are joined: families, professions
      return isIn(before, JOINED) ||
        ((before === 0xfe0f || isIn(before, EMOJI)) && isIn(after, EMOJI));
    case 0x34f:
      return isIn(before, RIGHT_TO_LEFT);
    case 0x115f:
    case 0x1160:
      return isIn(before, JAMO) || isIn(after, JAMO);
    case 0xfe0e:
    case 0xfe0f:
      return isIn(before, SELECTED) || after === KEYCAP;
  }
  if (code >= 0x180b && code <= 0x180f && code !== 0x180e) return isIn(before, [[0x1820, 0x18aa]]);
  if (code >= 0xfe00 && code <= 0xfe0d) return isIn(before, SELECTED);
  return code >= 0xe0100 && code <= 0xe01ef && isIn(before, HAN);
}
