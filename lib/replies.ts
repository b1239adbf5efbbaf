/** What an agent decided, found in its words however they are wrapped. */

import { isObject } from "./json.ts";

export type ReplyDecision =
  | { kind: "block"; reason: string }
  | { kind: "instructions"; text: string }
  | { kind: "none" };

/** Each object that never closes is searched for its end: a reply full of them is no decision. */
const MOST_UNCLOSED = 50;

/**
 * The last valid decision of a reply: if an agent shows the form first and decides afterwards, the
 * last one counts. Bare JSON, a code fence or prose around make no difference.
 */
export function decisionIn(reply: string): ReplyDecision {
  let found: ReplyDecision = { kind: "none" };
  let unclosed = 0;
  for (let at = reply.indexOf("{"); at !== -1 && unclosed < MOST_UNCLOSED;) {
    const begins = /^\{\s*"/.test(reply.slice(at, at + 100));
    const end = begins ? objectEnd(reply, at) : -1;
    if (begins && end === -1) unclosed++;
    const value = end === -1 ? undefined : parsed(reply.slice(at, end));
    const decision = decisionOf(value);
    const decides = isObject(value) && "decision" in value;
    if (decision.kind !== "none" || decides) found = decision;
    // What is inside an object that was read belongs to it: only what follows is looked at.
    at = reply.indexOf("{", value === undefined ? at + 1 : end);
  }
  return found;
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

/** Behind the brace that closes the one at `start`; -1 when there is none. */
function objectEnd(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === "\\") at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return at + 1;
  }
  return -1;
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
