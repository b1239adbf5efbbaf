/** Keys of the registry that nobody reads: most are slips of the fingers. */

import type { Node } from "jsonc-parser";
import { z } from "zod";
import { nearest } from "../cli/nearest.ts";
import { type JsonPath, lineAt, parseText } from "../jsonc/tree.ts";
import { fieldName, type RegistryProblem } from "./registry_file.ts";
import { registrySchema } from "./registry_schema.ts";

/** Each with its line and the known key that was meant, where one is near. */
export function unknownKeys(text: string): RegistryProblem[] {
  const { root, errors } = parseText(text);
  if (root === undefined || errors.length > 0) return [];
  const places = placesOf(registrySchema, "");
  return strangersIn(root, registrySchema, []).map(({ node, path, level }) => {
    const name = String(path.at(-1));
    const meant = nearest(name, level) ?? elsewhere(name, places);
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
    const problem = `nothing reads it, so that it has no effect${hint}`;
    return { line: lineAt(text, node.offset), field: fieldName(path), problem };
  });
}

interface Stranger {
  node: Node;
  path: JsonPath;
  /** The keys that are known in its place. */
  level: string[];
}

function strangersIn(node: Node, schema: unknown, path: JsonPath): Stranger[] {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (inner instanceof z.ZodArray && node.type === "array") {
    return (node.children ?? []).flatMap((child, at) =>
      strangersIn(child, inner.element, [...path, at])
    );
  }
  if (!(inner instanceof z.ZodObject) || node.type !== "object") return [];
  const level = Object.keys(inner.shape);
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    const name = String(key?.value);
    if (name.startsWith("_") || value === undefined) return []; // a comment
    if (name === "$schema" && path.length === 0) return []; // editors read it
    const at = [...path, name];
    return level.includes(name)
      ? strangersIn(value, inner.shape[name], at)
      : [{ node: property, path: at, level }];
  });
}

/** Where every key of the registry belongs: `hook_settings.dedup_mode`, `agents[].enabled`. */
function placesOf(schema: unknown, prefix: string): string[] {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (inner instanceof z.ZodArray) return placesOf(inner.element, `${prefix}[]`);
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape).flatMap(([name, value]) => {
    const place = prefix === "" ? name : `${prefix}.${name}`;
    return [place, ...placesOf(value, place)];
  });
}

/** The right key in a wrong place; the first of several is the one for all agents. */
function elsewhere(name: string, places: string[]): string | undefined {
  return places.find((place) => place.endsWith(`.${name}`)) ?? places.find((one) => one === name);
}
