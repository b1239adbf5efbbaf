/** What an agent decided: only what ends its reply counts, so that a quoted form decides nothing. */

import { isObject } from "./json.ts";

export type ReplyDecision =
  | { kind: "block"; reason: string }
  | { kind: "instructions"; text: string }
  | { kind: "none" };

/**
 * A decision is a JSON object that ends the reply, alone on its lines: as the last line, as the last
 * lines, or as the whole of a last code block. With other words beside it, it is a quotation.
 */
export function decisionIn(reply: string): ReplyDecision {
  const lines = reply.trimEnd().split("\n");
  const block = lastCodeBlock(lines);
  return decisionOf(block === undefined ? lastObject(lines) : parsed(block.join("\n")));
}

const CODE_FENCE = /^ {0,3}(```+|~~~+)/;

/** The lines of the code block that ends the reply; undefined where none does. */
function lastCodeBlock(lines: string[]): string[] | undefined {
  if (!/^ {0,3}(```+|~~~+)$/.test(lines.at(-1)!)) return undefined;
  const inside = lines.slice(0, -1);
  const opening = inside.findLastIndex((line) => CODE_FENCE.test(line));
  return opening === -1 ? undefined : inside.slice(opening + 1);
}

/** Further in it would be a quotation. */
const BEGINNING = /^ {0,3}\{/;
/** A reply full of lines that begin an object is no decision. */
const MOST_BEGINNINGS = 20;

/** The object whose first line begins with its brace, and whose last line is the last of all. */
function lastObject(lines: string[]): unknown {
  if (!lines.at(-1)!.endsWith("}")) return undefined;
  let begun = lines.length;
  for (let tries = 0; tries < MOST_BEGINNINGS; tries++) {
    begun = lines.findLastIndex((line, index) => index < begun && BEGINNING.test(line));
    if (begun === -1) return undefined;
    const value = parsed(lines.slice(begun).join("\n"));
    if (value !== undefined) return value;
  }
  return undefined;
}

function decisionOf(value: unknown): ReplyDecision {
  if (!isObject(value)) return { kind: "none" };
  const { decision, reason, instructions } = value;
  if (decision === "block" && isText(reason)) return { kind: "block", reason };
  if (decision === undefined && isText(instructions)) {
    return { kind: "instructions", text: instructions };
  }
  return { kind: "none" };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parsedLoosely(text);
  }
}

/** Models write line breaks into JSON texts as they are: escaped, the rest of it is good. */
function parsedLoosely(text: string): unknown {
  const escaped = text.replace(
    /"(?:[^"\\]|\\[^])*"/g,
    (string) =>
      string.replace(/[\n\r\t]/g, (char) => char === "\n" ? "\\n" : char === "\r" ? "\\r" : "\\t"),
  );
  try {
    return JSON.parse(escaped);
  } catch {
    return undefined;
  }
}
