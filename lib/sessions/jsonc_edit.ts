/** Changes single values in JSON with comments; every other byte stays as it was. */

import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { appended, layoutOf, propertyOf } from "../install/json_edit.ts";

export type JsonPath = (string | number)[];

export interface ParsedText {
  root: Node | undefined;
  /** What is not JSON, in the order of the text. */
  errors: { offset: number; problem: string }[];
}

export function parseText(text: string): ParsedText {
  const errors: ParseError[] = [];
  // A byte order mark is no JSON; as a blank it keeps every offset where it was.
  const root = parseTree(text.replace(/^\uFEFF/, " "), errors, { allowTrailingComma: true });
  return {
    root,
    errors: errors.map(({ error, offset }) => ({ offset, problem: inWords(error) })),
  };
}

/** Line numbers as editors count them. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** The node at a path, or its nearest ancestor that is there. */
export function nearestNode(root: Node, path: JsonPath): Node {
  let node = root;
  for (const step of path) {
    const child = childOf(node, step);
    if (child === undefined) break;
    node = child;
  }
  return node;
}

/** Sets the value at a path whose parent exists; a new one goes last in its object or list. */
export function setValue(text: string, path: JsonPath, value: unknown): string {
  const { root } = parseText(text);
  if (root === undefined) throw new Error("Cannot change a text that is not JSON");
  const parent = path.slice(0, -1).reduce<Node | undefined>(
    (node, step) => node && childOf(node, step),
    root,
  );
  if (parent === undefined) throw new Error(`Cannot set ${path.join(".")}: its parent is missing`);
  const name = path.at(-1)!;
  const present = childOf(parent, name);
  if (present !== undefined) {
    return splice(text, present.offset, present.length, written(text, value, path.length));
  }
  const key = parent.type === "object" ? String(name) : undefined;
  return appendedOnLine(text, parent, value, key) ?? appended(text, parent, value, key);
}

function childOf(node: Node, step: string | number): Node | undefined {
  if (typeof step === "string") return node.type === "object" ? propertyOf(node, step) : undefined;
  return node.type === "array" ? node.children?.[step] : undefined;
}

/** What stands on one line stays on one line; undefined for anything else. */
function appendedOnLine(
  text: string,
  parent: Node,
  value: unknown,
  key: string | undefined,
): string | undefined {
  const last = parent.children?.at(-1);
  const close = parent.offset + parent.length - 1;
  const inside = text.slice(parent.offset, close);
  if (last === undefined || inside.includes("\n") || inside.includes("/*")) return undefined;
  const end = last.offset + last.length;
  const word = (key === undefined ? "" : `${JSON.stringify(key)}: `) + JSON.stringify(value);
  const comma = text.slice(end, close).indexOf(",");
  return comma === -1
    ? splice(text, end, 0, `, ${word}`)
    : splice(text, end + comma + 1, 0, ` ${word},`);
}

function written(text: string, value: unknown, depth: number): string {
  const { eol, indent } = layoutOf(text);
  return JSON.stringify(value, null, indent).replaceAll("\n", eol + indent.repeat(depth));
}

function splice(text: string, at: number, length: number, replacement: string): string {
  return text.slice(0, at) + replacement + text.slice(at + length);
}

// "PropertyNameExpected" reads as "property name expected".
function inWords(error: ParseError["error"]): string {
  return printParseErrorCode(error).replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}
