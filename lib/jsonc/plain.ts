/** What makes a text more than plain JSON: Claude Code skips a settings file that has it. */

import { KIND, tokens } from "./edit.ts";
import { lineAt } from "./tree.ts";

export interface Extra {
  what: "comment" | "trailing comma";
  line: number;
}

/** The first comment or trailing comma; undefined for plain JSON, with a byte order mark or not. */
export function firstExtra(text: string): Extra | undefined {
  const blank: number[] = [KIND.lineBreak, KIND.blank];
  const plain = text.replace(/^\uFEFF/, " ");
  const found = (what: Extra["what"], offset: number) => ({ what, line: lineAt(text, offset) });
  let comma: number | undefined;
  for (const { kind, offset } of tokens(plain, 0, plain.length)) {
    if (kind === KIND.lineComment || kind === KIND.blockComment) return found("comment", offset);
    const isEnd = kind === KIND.closeBrace || kind === KIND.closeBracket;
    if (isEnd && comma !== undefined) return found("trailing comma", comma);
    if (!blank.includes(kind)) comma = kind === KIND.comma ? offset : undefined;
  }
  return undefined;
}
