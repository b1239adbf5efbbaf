/** Shows characters that have no shape of their own, or that change how others are read. */

// Built from numbers: the characters themselves must not stand in a source file.
const UNSEEN: [from: number, to: number][] = [
  [0x00, 0x08], // controls, without tab and newline
  [0x0b, 0x1f],
  [0x7f, 0xa0], // with the blank that does not break
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c], // marks of direction, here and below
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xd800, 0xdfff], // halves of a character
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff], // tags
];
const code = (point: number) => `\\u{${point.toString(16)}}`;
let pattern: RegExp | undefined;

/** Each such character as `\u001b`, none left out. Tabs and newlines stay. */
export function visible(text: string): string {
  pattern ??= new RegExp(`[${UNSEEN.map(([a, b]) => `${code(a)}-${code(b)}`).join("")}]`, "gu");
  return text.replace(pattern, (char) => {
    const point = char.codePointAt(0)!;
    return point > 0xffff ? code(point) : `\\u${point.toString(16).padStart(4, "0")}`;
  });
}

/** On one line, with at most `most` characters. */
export function briefLine(text: string, most: number): string {
  const line = visible(text.slice(0, most * 4).replace(/\s+/g, " ").trim());
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
