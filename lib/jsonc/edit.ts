/** Small edits in JSON text that leave every other byte alone: comments, order, indentation. */

import { createScanner, type Node } from "jsonc-parser";
import { endOffset } from "./tree.ts";

// jsonc-parser's SyntaxKind exists only while type-checking.
export const KIND = {
  closeBrace: 2,
  closeBracket: 4,
  comma: 5,
  lineComment: 12,
  blockComment: 13,
  lineBreak: 14,
  blank: 15,
  end: 17,
};

export interface Layout {
  eol: string;
  indent: string;
}

/** How a text breaks and indents its lines, so that what is added looks like the rest. */
export function layoutOf(text: string): Layout {
  const firstBreak = text.indexOf("\n");
  const indented = /\n([ \t]+)["\[{]/.exec(text);
  return {
    eol: firstBreak > 0 && text[firstBreak - 1] === "\r" ? "\r\n" : "\n",
    indent: indented?.[1] ?? "  ",
  };
}

/** Adds a value at the end of a list, or a property at the end of an object (with `key`). */
export function appended(text: string, container: Node, value: unknown, key?: string): string {
  const { eol, indent } = layoutOf(text);
  const outer = lineIndent(text, container.offset);
  const children = container.children ?? [];
  const first = children[0];
  const inner = first !== undefined && startsItsLine(text, first.offset)
    ? lineIndent(text, first.offset)
    : outer + indent;
  const label = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const written = label + JSON.stringify(value, null, indent).replaceAll("\n", eol + inner);
  const close = endOffset(container) - 1;
  const last = children.at(-1);

  if (last === undefined) {
    const at = endOfComments(text, container.offset + 1, close);
    const closing = text.slice(at, close).includes("\n") ? "" : eol + outer;
    return splice(text, at, at, eol + inner + written + closing);
  }
  const tail = tailOf(text, endOffset(last), close);
  const closing = text.slice(tail.end, close).includes("\n") ? "" : eol + outer;
  // A list written with a comma after its last item keeps that habit.
  const after = tail.comma === undefined ? closing : `,${closing}`;
  const grown = splice(text, tail.end, tail.end, eol + inner + written + after);
  return tail.comma === undefined ? splice(grown, endOffset(last), endOffset(last), ",") : grown;
}

/** Takes one item of a list, or one property, out together with its comma and its line. */
export function without(text: string, container: Node, index: number): string {
  const children = container.children ?? [];
  const item = children[index]!;
  const previous = children[index - 1];
  const from = previous === undefined ? container.offset + 1 : endOffset(previous);
  const to = children[index + 1]?.offset ?? endOffset(container) - 1;
  const commaAfter = commaIn(text, endOffset(item), to);
  const commaBefore = previous === undefined ? undefined : commaIn(text, from, item.offset);

  const end = commaAfter !== undefined && /^\s*$/.test(text.slice(endOffset(item), commaAfter))
    ? commaAfter + 1
    : endOffset(item);
  let start = item.offset;
  // Before a comment the line break stays: on the line above, it could become part of another.
  if (/^[ \t]*(\r?\n|$)/.test(text.slice(end)) || text[end] === "]" || text[end] === "}") {
    start = from + text.slice(from, start).replace(/(\r?\n)?[ \t]*$/, "").length;
    if (text[end] !== "\r" && text[end] !== "\n" && endsInLineComment(text, from, start)) {
      start = item.offset;
    }
  }
  let result = splice(text, start, end, "");
  if (commaAfter !== undefined && end === endOffset(item)) {
    result = splice(result, commaAfter - (end - start), commaAfter - (end - start) + 1, "");
  } else if (commaAfter === undefined && commaBefore !== undefined) {
    result = splice(result, commaBefore, commaBefore + 1, "");
  }
  return result;
}

interface Token {
  kind: number;
  offset: number;
  end: number;
}

export function* tokens(text: string, from: number, to: number): Generator<Token> {
  const scanner = createScanner(text.slice(from, to), false);
  for (let kind: number = scanner.scan(); kind !== KIND.end; kind = scanner.scan()) {
    const offset = from + scanner.getTokenOffset();
    yield { kind, offset, end: offset + scanner.getTokenLength() };
  }
}

function commaIn(text: string, from: number, to: number): number | undefined {
  for (const token of tokens(text, from, to)) if (token.kind === KIND.comma) return token.offset;
  return undefined;
}

/** Whether a comment is in `outer` but not in `inner`, which is a part of it. */
export function hasCommentAround(text: string, outer: Node, inner: Node): boolean {
  const isComment = ({ kind }: Token) => kind === KIND.lineComment || kind === KIND.blockComment;
  return [...tokens(text, outer.offset, inner.offset)].some(isComment) ||
    [...tokens(text, endOffset(inner), endOffset(outer))].some(isComment);
}

function endOfComments(text: string, from: number, to: number): number {
  let end = from;
  for (const { kind, end: after } of tokens(text, from, to)) {
    if (kind === KIND.lineComment || kind === KIND.blockComment) end = after;
  }
  return end;
}

function endsInLineComment(text: string, from: number, to: number): boolean {
  let last: Token | undefined;
  for (const token of tokens(text, from, to)) if (token.kind !== KIND.blank) last = token;
  return last?.kind === KIND.lineComment;
}

/** What belongs to the last item: its comma, if it has one, and comments on the same line. */
function tailOf(text: string, from: number, to: number): { end: number; comma?: number } {
  const comma = commaIn(text, from, to);
  let end = comma === undefined ? from : comma + 1;
  for (const token of tokens(text, end, to)) {
    if (token.kind === KIND.lineComment || token.kind === KIND.blockComment) end = token.end;
    else if (token.kind !== KIND.blank) break;
  }
  return comma === undefined ? { end } : { end, comma };
}

export function splice(text: string, from: number, to: number, by: string): string {
  return text.slice(0, from) + by + text.slice(to);
}

function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))![0];
}

function startsItsLine(text: string, offset: number): boolean {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return start > 0 && text.slice(start, offset).trim() === "";
}
