/** Changes single values in JSON with comments; every other byte stays as it was. */

import type { Node } from "jsonc-parser";
import { appended, layoutOf, splice } from "./edit.ts";
import { childOf, endOffset, type JsonPath, parseText } from "./tree.ts";

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
    return splice(text, present.offset, endOffset(present), written(text, value, path.length));
  }
  const key = parent.type === "object" ? String(name) : undefined;
  return appendedOnLine(text, parent, value, key) ?? appended(text, parent, value, key);
}

/** A value on one line stays on one line; undefined for anything else. */
function appendedOnLine(
  text: string,
  parent: Node,
  value: unknown,
  key: string | undefined,
): string | undefined {
  const last = parent.children?.at(-1);
  const close = endOffset(parent) - 1;
  const inside = text.slice(parent.offset, close);
  if (last === undefined || inside.includes("\n") || inside.includes("/*")) return undefined;
  const end = endOffset(last);
  const word = (key === undefined ? "" : `${JSON.stringify(key)}: `) + JSON.stringify(value);
  const comma = text.slice(end, close).indexOf(",");
  return comma === -1
    ? splice(text, end, end, `, ${word}`)
    : splice(text, end + comma + 1, end + comma + 1, ` ${word},`);
}

function written(text: string, value: unknown, depth: number): string {
  const { eol, indent } = layoutOf(text);
  return JSON.stringify(value, null, indent).replaceAll("\n", eol + indent.repeat(depth));
}
