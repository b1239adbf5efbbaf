/** The part of a text that every terminal shows the same, to compare the box with what was typed. */

/**
 * Without blanks, accents, skin tones and what has no width: a terminal breaks lines, composes
 * `e` and `´` to `é`, and leaves out a soft hyphen or a mark that it cannot draw.
 */
export function asDrawn(text: string): string {
  return text.normalize("NFD").replace(NOT_DRAWN, "");
}

const NOT_DRAWN = /[\s\p{M}\p{Cf}\p{Emoji_Modifier}\p{Default_Ignorable_Code_Point}]+/gu;
