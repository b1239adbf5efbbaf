/** Changes single values in JSON with comments; every other byte stays as it was. */

import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

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
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node !== undefined) return node;
  }
  return root;
}

/** Sets the value at a path whose parent exists; a new one goes last in its object or list. */
export function setValue(text: string, path: JsonPath, value: unknown): string {
  const { root } = parseText(text);
  if (root === undefined) throw new Error("Cannot change a text that is not JSON");
  const node = findNodeAtLocation(root, path);
  if (node !== undefined) {
    const multiline = indentUnit(text).repeat(path.length);
    return splice(text, node.offset, node.length, written(text, value, multiline));
  }
  const parent = findNodeAtLocation(root, path.slice(0, -1));
  if (parent === undefined) throw new Error(`Cannot set ${path.join(".")}: its parent is missing`);
  return insertLast(
    text,
    parent,
    parent.type === "object" ? String(path.at(-1)) : undefined,
    value,
  );
}

function insertLast(text: string, parent: Node, name: string | undefined, value: unknown): string {
  const end = parent.offset + parent.length - 1; // at the closing bracket
  const last = parent.children?.at(-1);
  const inside = text.slice(parent.offset + 1, end);
  const oneLine = last !== undefined && !inside.includes("\n");
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const outer = indentOfLine(text, parent.offset);
  const inner = last && !oneLine ? indentOfLine(text, last.offset) : outer + indentUnit(text);
  const key = name === undefined ? "" : `${JSON.stringify(name)}: `;

  // What follows the last value (a comma, a comment) stays with that value.
  const tail = inside.trimEnd();
  const at = parent.offset + 1 + tail.length;
  const lastEnd = last === undefined ? at : last.offset + last.length;
  const hasComma = /^(\s|\/\/[^\n]*|\/\*[^]*?\*\/)*,/.test(text.slice(lastEnd, at));
  const added = oneLine
    ? ` ${key}${JSON.stringify(value)}`
    : `${eol}${inner}${key}${written(text, value, inner)}`;
  const closing = oneLine || inside.slice(tail.length).includes("\n") ? "" : eol + outer;
  const withValue = splice(text, at, 0, added + (hasComma ? "," : "") + closing);
  return last === undefined || hasComma ? withValue : splice(withValue, lastEnd, 0, ",");
}

function written(text: string, value: unknown, indent: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return JSON.stringify(value, null, indentUnit(text)).replaceAll("\n", eol + indent);
}

function indentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

function indentOfLine(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)![0];
}

function splice(text: string, at: number, length: number, replacement: string): string {
  return text.slice(0, at) + replacement + text.slice(at + length);
}

// "PropertyNameExpected" reads as "property name expected".
function inWords(error: ParseError["error"]): string {
  return printParseErrorCode(error).replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}
