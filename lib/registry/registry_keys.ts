/** Keys of the registry that are not known: most are typing errors. */

import type { Node } from "jsonc-parser";
import { z } from "zod";
import { nearest } from "../cli/nearest.ts";
import { type JsonPath, lineAt, parseText } from "../jsonc/tree.ts";
import { fieldName, type RegistryProblem } from "./registry_file.ts";
import { registrySchema } from "./registry_schema.ts";

/** Each with its line, and the nearest known key. */
export function unknownKeys(text: string): RegistryProblem[] {
  const { root, errors } = parseText(text);
  if (root === undefined || errors.length > 0) return [];
  const places = placesOf(registrySchema, "");
  return unknownIn(root, registrySchema, []).map(({ node, path, level }) => {
    const name = String(path.at(-1));
    const meant = nearest(name, level) ?? elsewhere(name, places);
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
    const problem = `nothing reads it, so it has no effect${hint}`;
    return { line: lineAt(text, node.offset), field: fieldName(path), problem };
  });
}

interface UnknownKey {
  node: Node;
  path: JsonPath;
  /** The keys that are known there. */
  level: string[];
}

function innerOf(schema: unknown): unknown {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? innerOf(schema.unwrap()) : schema;
}

function unknownIn(node: Node, schema: unknown, path: JsonPath): UnknownKey[] {
  const inner = innerOf(schema);
  if (inner instanceof z.ZodArray && node.type === "array") {
    return (node.children ?? []).flatMap((child, at) =>
      unknownIn(child, inner.element, [...path, at])
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
      ? unknownIn(value, inner.shape[name], at)
      : [{ node: property, path: at, level }];
  });
}

/** The place of every known key: `hook_settings.dedup_mode`, `agents[].enabled`. */
function placesOf(schema: unknown, prefix: string): string[] {
  const inner = innerOf(schema);
  if (inner instanceof z.ZodArray) return placesOf(inner.element, `${prefix}[]`);
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape).flatMap(([name, value]) => {
    const place = prefix === "" ? name : `${prefix}.${name}`;
    return [place, ...placesOf(value, place)];
  });
}

/** A known key in the wrong place; of several places, the one for all agents. */
function elsewhere(name: string, places: string[]): string | undefined {
  return places.find((place) => place.endsWith(`.${name}`)) ?? places.find((one) => one === name);
}
