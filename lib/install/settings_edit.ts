/** Our hooks put into Claude Code's settings or taken out, every other byte kept. */

import type { Node } from "jsonc-parser";
import { entryFor, type WantedHook } from "./hook_command.ts";
import { appended, hasCommentAround, layoutOf, without } from "../jsonc/edit.ts";
import { setValue } from "../jsonc/set_value.ts";
import { childOf, propertyOf } from "../jsonc/tree.ts";
import type { Owner } from "./our_hooks.ts";
import {
  type FoundHook,
  openSettings,
  type Place,
  placesIn,
  readSettings,
} from "./settings_file.ts";

export type SettingsChange =
  | { kind: "unchanged" }
  | { kind: "changed"; text: string; taken: FoundHook[] }
  | { kind: "refused"; reason: string };

/** The settings with exactly our wanted hooks: changed where they stand, added where they do not. */
export function withHooks(text: string, wanted: WantedHook[], root: string): SettingsChange {
  const reading = readSettings(text, root);
  if (reading.kind === "refused") return reading;
  let next = text.trim() === ""
    ? `${text.startsWith("\uFEFF") ? "\uFEFF" : ""}{}${layoutOf(text).eol}`
    : text;
  for (const hook of wanted) next = put(next, hook, root);
  // What is left over goes last: no list is emptied, and lost, that was only to be filled again.
  next = withoutSurplus(next, wanted, root);
  return next === text
    ? { kind: "unchanged" }
    : { kind: "changed", text: next, taken: reading.found };
}

/**
 * The settings without our hooks, or also without the old system's. Lists that become empty go
 * too, unless they hold a comment, or `original` shows that they were there before us.
 */
export function withoutHooks(
  text: string,
  root: string,
  { original, also }: { original?: string; also?: "old" } = {},
): string {
  const kept = keptIn(original);
  const isOut = ({ kind }: Owner) => kind === "ours" || kind === also;
  const rest = withoutPlaces(text, root, kept, (places) => places.find((one) => isOut(one.owner)));
  return rest === text || original === undefined ? rest : onOneLine(rest, original);
}

function put(text: string, hook: WantedHook, root: string): string {
  const opened = openSettings(text);
  if (opened.kind === "refused" || opened.root === undefined) return text;
  const present = placesIn(opened.hooks, root).filter((place) =>
    place.owner.kind !== "foreign" && place.hook.event === hook.event &&
    place.hook.matcher === hook.matcher
  );
  if (present.some((place) => isExactly(place.hook, hook))) return text;
  const place = present.find(({ owner }) => owner.kind === "ours") ?? present[0];
  if (place !== undefined) return rewritten(text, place, hook);
  if (opened.hooks === undefined) {
    return onItsLine(appended(text, opened.root, { [hook.event]: [GROUP] }, "hooks"), hook);
  }
  const groups = propertyOf(opened.hooks, hook.event);
  const grown = groups === undefined
    ? appended(text, opened.hooks, [GROUP], hook.event)
    : appended(text, groups, GROUP);
  return onItsLine(grown, hook);
}

/** Stands for a group until it is written on one line: nine groups are then easy to read. */
const GROUP = "a group of gsd-code-skill";

function onItsLine(text: string, hook: WantedHook): string {
  const entry = JSON.stringify(entryFor(hook), null, 1).replace(/\n\s*/g, " ");
  const matcher = hook.matcher === undefined ? "" : `"matcher": ${JSON.stringify(hook.matcher)}, `;
  const group = `{ ${matcher}"hooks": [${entry}] }`;
  return text.replace(JSON.stringify(GROUP), () => group);
}

/** Value by value, so that comments between them stay. */
function rewritten(text: string, place: Place, hook: WantedHook): string {
  const wanted: Record<string, unknown> = entryFor(hook);
  const path = ["hooks", hook.event, place.group, "hooks", place.entry];
  const entry = place.entries.children![place.entry]!;
  const keys = (entry.children ?? []).map((property) => String(property.children![0]!.value));
  for (let at = keys.length - 1; at >= 0; at--) {
    const isDouble = keys.indexOf(keys[at]!) < at;
    if (isDouble || !Object.hasOwn(wanted, keys[at]!)) {
      text = without(text, nodeOf(text, path), at);
    }
  }
  for (const [key, value] of Object.entries(wanted)) {
    if (propertyOf(nodeOf(text, path), key)?.value !== value) {
      text = setValue(text, [...path, key], value);
    }
  }
  return text;
}

function withoutSurplus(text: string, wanted: WantedHook[], root: string): string {
  return withoutPlaces(text, root, keptIn(undefined), (places) => {
    const met = new Set<WantedHook>();
    return places.filter(({ owner }) => owner.kind !== "foreign").find(({ hook }) => {
      const same = wanted.find((one) => isExactly(hook, one));
      if (same === undefined || met.has(same)) return true;
      met.add(same);
      return false;
    });
  });
}

function withoutPlaces(
  text: string,
  root: string,
  kept: Kept,
  next: (places: Place[]) => Place | undefined,
): string {
  for (;;) {
    const opened = openSettings(text);
    if (opened.kind === "refused" || opened.hooks === undefined) return text;
    const place = next(placesIn(opened.hooks, root));
    if (place === undefined) return text;
    text = takenOut(text, opened.root!, opened.hooks, place, kept);
  }
}

interface Kept {
  hooks: boolean;
  events: ReadonlySet<string>;
}

function keptIn(original: string | undefined): Kept {
  const opened = original === undefined ? undefined : openSettings(original);
  if (opened?.kind !== "settings") return { hooks: false, events: new Set() };
  const names = (opened.hooks?.children ?? []).map((event) => String(event.children![0]!.value));
  return { hooks: opened.hooks !== undefined, events: new Set(names) };
}

/** From the entry outwards: the first thing that holds more than what is taken out stays. */
function takenOut(text: string, root: Node, hooks: Node, place: Place, kept: Kept): string {
  const group = place.groups.children![place.group]!;
  const entry = place.entries.children![place.entry]!;
  const isAll = (outer: Node, list: Node, inner: Node) =>
    list.children!.length === 1 && !hasCommentAround(text, outer, inner);
  if (!isAll(group, place.entries, entry)) return without(text, place.entries, place.entry);
  if (kept.events.has(place.hook.event) || !isAll(place.event, place.groups, group)) {
    return without(text, place.groups, place.group);
  }
  const property = root.children!.find((child) => child.children![1] === hooks)!;
  if (kept.hooks || !isAll(property, hooks, place.event)) {
    return without(text, hooks, hooks.children!.indexOf(place.event));
  }
  return without(text, root, root.children!.indexOf(property));
}

/** Line breaks before closing brackets are ours where the file was one line, and has no other. */
function onOneLine(text: string, original: string): string {
  if (original.trim().includes("\n") || text.includes("/*")) return text;
  const joined = text.replace(/\s*\n\s*(?=[\]}])/g, "");
  const isWhole = openSettings(joined).kind === "settings"; // no bracket went into a comment
  return isWhole && !joined.trim().includes("\n") ? joined : text;
}

function isExactly(found: Omit<FoundHook, "owner">, wanted: WantedHook): boolean {
  const entry: Record<string, unknown> = entryFor(wanted);
  const keys = Object.keys(found.entry);
  return found.event === wanted.event && found.matcher === wanted.matcher &&
    keys.length === Object.keys(entry).length &&
    keys.every((key) => found.entry[key] === entry[key]);
}

function nodeOf(text: string, path: (string | number)[]): Node {
  const opened = openSettings(text);
  const root = opened.kind === "settings" ? opened.root : undefined;
  const node = root && path.reduce<Node | undefined>((at, step) => at && childOf(at, step), root);
  if (node === undefined) throw new Error(`There is no ${path.join(".")} in the settings`);
  return node;
}
