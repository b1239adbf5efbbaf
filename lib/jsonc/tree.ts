/** JSON as people write it, with comments and trailing commas, as a tree that knows its places. */

import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

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

export type JsonReading =
  | { kind: "json"; root: Node }
  | { kind: "broken"; reason: string };

/** The tree of a text with comments and trailing commas, as people write it. */
export function readJson(text: string): JsonReading {
  const { root, errors } = parseText(text);
  const first = errors[0] ?? { offset: 0, problem: "value expected" };
  if (errors.length > 0 || root === undefined) {
    return { kind: "broken", reason: `${first.problem} in line ${lineAt(text, first.offset)}` };
  }
  return { kind: "json", root };
}

/** The value of an object's property; of a key that is there twice, the last one counts. */
export function propertyOf(object: Node, key: string): Node | undefined {
  return propertiesNamed(object, key).at(-1);
}

export function propertiesNamed(object: Node, key: string): Node[] {
  return (object.children ?? [])
    .filter((property) => property.children?.[0]?.value === key)
    .flatMap((property) => property.children?.[1] ?? []);
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

export function childOf(node: Node, step: string | number): Node | undefined {
  if (typeof step === "string") return node.type === "object" ? propertyOf(node, step) : undefined;
  return node.type === "array" ? node.children?.[step] : undefined;
}

export function endOffset(node: Node): number {
  return node.offset + node.length;
}

// "PropertyNameExpected" reads as "property name expected".
function inWords(error: ParseError["error"]): string {
  return printParseErrorCode(error).replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}
