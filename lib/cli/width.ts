/** How many columns of a terminal a text takes, well enough for lines and tables. */

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

export function widthOf(text: string): number {
  // deno-lint-ignore no-control-regex
  if (/^[\u0000-\u007f]*$/.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += char.codePointAt(0)! > 0x1f000 || WIDE.test(char) ? 2 : 1;
  return width;
}

export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
