/** What an agent decided, found in its words however they are wrapped. */

import { isObject } from "./json.ts";

export type Decision =
  | { kind: "block"; reason: string }
  | { kind: "instructions"; text: string }
  | { kind: "none" };

/** More objects than this are not a decision with words around it. */
const MOST_OBJECTS = 500;

/**
 * The last valid decision of a reply: an agent that shows the form first and decides afterwards is
 * taken at its last word. Bare JSON, a code fence or prose around make no difference.
 */
export function decisionIn(reply: string): Decision {
  let found: Decision = { kind: "none" };
  let tried = 0;
  for (let at = reply.indexOf("{"); at !== -1 && tried < MOST_OBJECTS; tried++) {
    const end = objectEnd(reply, at);
    const value = end === -1 ? undefined : parsed(reply.slice(at, end));
    const decision = decisionOf(value);
    if (decision.kind !== "none") found = decision;
    // What is inside an object that was read belongs to it: only what follows is looked at.
    at = reply.indexOf("{", value === undefined ? at + 1 : end);
  }
  return found;
}

function decisionOf(value: unknown): Decision {
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

/** Behind the brace that closes the one at `start`; -1 when there is none, or no object begins. */
function objectEnd(text: string, start: number): number {
  if (!/^\{\s*"/.test(text.slice(start, start + 200))) return -1;
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
