/** What mod and companion say to each other. The mod decides nothing, so its words are facts. */

import { isObject, parseIfJson } from "../json.ts";

export interface ModEvent {
  /** Counted by the mod: one that was sent twice is taken once. */
  n: number;
  kind: string;
  data: Record<string, unknown>;
}

/** What a caller may have the mod do. */
export type ModOrder =
  /** `queue`: do not wait for its turn. */
  | { op: "submit"; text: string; asUser: boolean; queue: boolean }
  | { op: "command"; command: string; args: string }
  | { op: "abort" }
  | { op: "draft" }
  | { op: "commands" }
  | { op: "usage" }
  | { op: "status"; text: string };

export type ModResult = { value: unknown } | { error: string };

export function readModEvent(text: string): ModEvent | undefined {
  const value = parseIfJson(text);
  if (!isObject(value) || typeof value.n !== "number" || typeof value.kind !== "string") {
    return undefined;
  }
  return { n: value.n, kind: value.kind, data: isObject(value.data) ? value.data : {} };
}

/** The mod asks for a decision on what a dialog asks. */
export function readHeldDialog(text: string): { id: string; event: unknown } | undefined {
  const value = parseIfJson(text);
  if (!isObject(value) || typeof value.id !== "string" || !isObject(value.event)) return undefined;
  return { id: value.id, event: value.event };
}

/** The order, or what is wrong with it. */
export function readOrder(text: string): ModOrder | string {
  const value = parseIfJson(text);
  if (!isObject(value)) return "an order is a JSON object";
  const { op } = value;
  switch (op) {
    case "submit":
      if (typeof value.text !== "string" || value.text.trim() === "") return "there is no text";
      return {
        ...{ op, text: value.text, asUser: value.asUser !== false },
        queue: value.queue === true,
      };
    case "command":
      if (typeof value.command !== "string" || !/^[\w:.-]+$/.test(value.command)) {
        return "a command is a name without its slash";
      }
      return { op, command: value.command, args: typeof value.args === "string" ? value.args : "" };
    case "status":
      return { op, text: typeof value.text === "string" ? value.text : "" };
    case "abort":
    case "draft":
    case "commands":
    case "usage":
      return { op };
    default:
      return `there is no order "${String(op)}"`;
  }
}
