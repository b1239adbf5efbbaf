/** Claude Code's settings as text: our hooks put in or taken out, every other byte kept. */

import type { Node } from "jsonc-parser";
import { groupFor, type WantedHook } from "./hook_command.ts";
import { appended, layoutOf, without } from "../jsonc/edit.ts";
import { propertiesNamed, propertyOf, readJson } from "../jsonc/tree.ts";
import { type Owner, ownerOf } from "./our_hooks.ts";

/** A hook that is not foreign, and where it stands. */
export interface FoundHook {
  event: string;
  matcher?: string;
  command: string;
  timeout?: number;
  owner: Exclude<Owner, { kind: "foreign" }>;
}

export type SettingsReading =
  | { kind: "settings"; found: FoundHook[]; foreign: string[] }
  | { kind: "refused"; reason: string };

export type SettingsChange =
  | { kind: "unchanged" }
  | { kind: "changed"; text: string; base: string; taken: FoundHook[] }
  | { kind: "refused"; reason: string };

/** What the settings hold of us. Every way a file can be unfit for editing is found here. */
export function readSettings(text: string, root: string): SettingsReading {
  const opened = openSettings(text);
  if (opened.kind === "refused") return opened;
  const found: FoundHook[] = [];
  const foreign: string[] = [];
  for (const place of placesIn(opened.hooks, root)) {
    if (place.owner.kind === "foreign") foreign.push(place.hook.command);
    else found.push({ ...place.hook, owner: place.owner });
  }
  return { kind: "settings", found, foreign };
}

/** The settings with exactly our wanted hooks, added to `base`: the same without any of ours. */
export function withHooks(
  text: string,
  wanted: WantedHook[],
  root: string,
  base = withoutHooks(text, root),
): SettingsChange {
  const reading = readSettings(text, root);
  if (reading.kind === "refused") return reading;
  if (isWanted(reading.found, wanted)) return { kind: "unchanged" };
  const { eol } = layoutOf(base);
  let next = base.trim() === "" ? `${base.startsWith("\uFEFF") ? "\uFEFF" : ""}{}${eol}` : base;
  for (const hook of wanted) next = added(next, hook);
  return { kind: "changed", text: next, base, taken: reading.found };
}

/**
 * The settings without anything of ours or of the old system. Lists that become empty go too,
 * unless `original` shows that they were there, empty, before us.
 */
export function withoutHooks(text: string, root: string, original?: string): string {
  for (;;) {
    const opened = openSettings(text);
    if (opened.kind === "refused" || opened.hooks === undefined) return text;
    const place = placesIn(opened.hooks, root).find(({ owner }) => owner.kind !== "foreign");
    if (place === undefined) return text;
    text = takenOut(text, opened.root!, opened.hooks, place, keptIn(original));
  }
}

type Opened =
  | { kind: "settings"; root?: Node; hooks?: Node }
  | { kind: "refused"; reason: string };

function openSettings(text: string): Opened {
  if (text.replace(/^\uFEFF/, "").trim() === "") return { kind: "settings" };
  const reading = readJson(text);
  if (reading.kind === "broken") {
    return { kind: "refused", reason: `it is not JSON: ${reading.reason}` };
  }
  const { root } = reading;
  if (root.type !== "object") return { kind: "refused", reason: "it does not hold an object" };
  if (propertiesNamed(root, "hooks").length > 1) {
    return { kind: "refused", reason: `the key "hooks" stands in it twice` };
  }
  const hooks = propertyOf(root, "hooks");
  if (hooks === undefined) return { kind: "settings", root };
  if (hooks.type !== "object") return { kind: "refused", reason: `its "hooks" is not an object` };
  for (const property of hooks.children ?? []) {
    const [key, value] = property.children!;
    if (propertiesNamed(hooks, key!.value).length > 1) {
      return { kind: "refused", reason: `the event "${key!.value}" stands in its "hooks" twice` };
    }
    if (value!.type !== "array") {
      return { kind: "refused", reason: `"hooks.${key!.value}" is not a list` };
    }
  }
  return { kind: "settings", root, hooks };
}

interface Place {
  event: Node;
  groups: Node;
  group: number;
  entries: Node;
  entry: number;
  hook: Omit<FoundHook, "owner">;
  owner: Owner;
}

function placesIn(hooks: Node | undefined, root: string): Place[] {
  const places: Place[] = [];
  for (const event of hooks?.children ?? []) {
    const groups = event.children![1]!;
    groups.children?.forEach((node, group) => {
      const entries = node.type === "object" ? propertyOf(node, "hooks") : undefined;
      if (entries?.type !== "array") return;
      entries.children?.forEach((value, entry) => {
        if (value.type !== "object") return;
        const command = propertyOf(value, "command")?.value;
        const timeout = propertyOf(value, "timeout")?.value;
        const matcher = propertyOf(node, "matcher")?.value;
        const hook = {
          event: String(event.children![0]!.value),
          command: String(command),
          ...(typeof matcher === "string" ? { matcher } : {}),
          ...(typeof timeout === "number" ? { timeout } : {}),
        };
        const owner: Owner = typeof command === "string"
          ? ownerOf(command, root)
          : { kind: "foreign" };
        places.push({ event, groups, group, entries, entry, hook, owner });
      });
    });
  }
  return places;
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

function takenOut(text: string, root: Node, hooks: Node, place: Place, kept: Kept): string {
  if (place.entries.children!.length > 1) return without(text, place.entries, place.entry);
  if (place.groups.children!.length > 1 || kept.events.has(place.hook.event)) {
    return without(text, place.groups, place.group);
  }
  if (hooks.children!.length > 1 || kept.hooks) {
    return without(text, hooks, hooks.children!.indexOf(place.event));
  }
  return without(text, root, root.children!.findIndex((child) => child.children![1] === hooks));
}

function added(text: string, hook: WantedHook): string {
  const opened = openSettings(text);
  if (opened.kind === "refused" || opened.root === undefined) return text;
  const group = groupFor(hook);
  if (opened.hooks === undefined) {
    return appended(text, opened.root, { [hook.event]: [group] }, "hooks");
  }
  const groups = propertyOf(opened.hooks, hook.event);
  return groups === undefined
    ? appended(text, opened.hooks, [group], hook.event)
    : appended(text, groups, group);
}

function isWanted(found: FoundHook[], wanted: WantedHook[]): boolean {
  const key = (hook: WantedHook | FoundHook) =>
    JSON.stringify([hook.event, hook.matcher, hook.command, hook.timeout]);
  return found.map(key).sort().join("\n") === wanted.map(key).sort().join("\n");
}
