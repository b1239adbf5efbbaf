/** Our hooks put into Claude Code's settings or taken out, every other byte kept. */

import type { Node } from "jsonc-parser";
import { entryFor, type WantedHook } from "./hook_command.ts";
import { appended, hasCommentAround, layoutOf, without } from "../jsonc/edit.ts";
import { setValue } from "../jsonc/set_value.ts";
import { childOf, propertyOf } from "../jsonc/tree.ts";
import type { Owner } from "./our_hooks.ts";
import {
  type FoundHook,
  type HookNode,
  hookNodes,
  openSettings,
  readSettings,
} from "./settings_file.ts";

export type SettingsChange =
  | { kind: "unchanged" }
  | { kind: "changed"; text: string; taken: FoundHook[] }
  | { kind: "refused"; reason: string };

/** The settings with exactly our wanted hooks: changed in their place, or added. */
export function withHooks(text: string, wanted: WantedHook[], root: string): SettingsChange {
  const reading = readSettings(text, root);
  if (reading.kind === "refused") return reading;
  let next = text.trim() === ""
    ? `${text.startsWith("\uFEFF") ? "\uFEFF" : ""}{}${layoutOf(text).eol}`
    : text;
  for (const hook of wanted) next = put(next, hook, root);
  // Last, so that no list is removed as empty that gets a hook again.
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
  const rest = withoutNodes(text, root, kept, (nodes) => nodes.find(({ owner }) => isOut(owner)));
  return rest === text || original === undefined ? rest : onOneLine(rest, original);
}

function put(text: string, hook: WantedHook, root: string): string {
  const opened = openSettings(text);
  if (opened.kind === "refused" || opened.root === undefined) return text;
  const present = hookNodes(opened.hooks, root).filter(({ owner, event, matcher }) =>
    owner.kind !== "foreign" && event === hook.event && matcher === hook.matcher
  );
  if (present.some((node) => isExactly(node, hook))) return text;
  const node = present.find(({ owner }) => owner.kind === "ours") ?? present[0];
  if (node !== undefined) return rewritten(text, node, hook);
  const groups = opened.hooks && propertyOf(opened.hooks, hook.event);
  const grown = opened.hooks === undefined
    ? appended(text, opened.root, { [hook.event]: [GROUP] }, "hooks")
    : groups === undefined
    ? appended(text, opened.hooks, [GROUP], hook.event)
    : appended(text, groups, GROUP);
  return grown.replace(JSON.stringify(GROUP), () => groupLine(hook));
}

/** A placeholder, which groupLine() replaces: nine groups on a line each are easy to read. */
const GROUP = "a group of gsd-code-skill";

function groupLine(hook: WantedHook): string {
  const entry = JSON.stringify(entryFor(hook), null, 1).replace(/\n\s*/g, " ");
  const matcher = hook.matcher === undefined ? "" : `"matcher": ${JSON.stringify(hook.matcher)}, `;
  return `{ ${matcher}"hooks": [${entry}] }`;
}

/** Value by value, so that comments between them stay. */
function rewritten(text: string, node: HookNode, hook: WantedHook): string {
  const wanted: Record<string, unknown> = entryFor(hook);
  const path = ["hooks", hook.event, node.groupIndex, "hooks", node.entryIndex];
  const entry = node.entries.children![node.entryIndex]!;
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
  return withoutNodes(text, root, keptIn(undefined), (nodes) => {
    const ours = nodes.filter(({ owner }) => owner.kind !== "foreign");
    return ours.find((node, at) => {
      const same = wanted.find((one) => isExactly(node, one));
      return same === undefined || ours.slice(0, at).some((earlier) => isExactly(earlier, same));
    });
  });
}

/** Without the hooks that `next` chooses, one after the other. */
function withoutNodes(
  text: string,
  root: string,
  kept: KeptLists,
  next: (nodes: HookNode[]) => HookNode | undefined,
): string {
  for (;;) {
    const opened = openSettings(text);
    if (opened.kind === "refused" || opened.hooks === undefined) return text;
    const node = next(hookNodes(opened.hooks, root));
    if (node === undefined) return text;
    text = takenOut(text, opened.root!, opened.hooks, node, kept);
  }
}

/** Lists that stay although they become empty. */
interface KeptLists {
  hooks: boolean;
  events: ReadonlySet<string>;
}

function keptIn(original: string | undefined): KeptLists {
  const opened = original === undefined ? undefined : openSettings(original);
  if (opened?.kind !== "settings") return { hooks: false, events: new Set() };
  const names = (opened.hooks?.children ?? []).map((event) => String(event.children![0]!.value));
  return { hooks: opened.hooks !== undefined, events: new Set(names) };
}

/** Removes the entry, and each list and object around it that holds nothing else. */
function takenOut(text: string, root: Node, hooks: Node, node: HookNode, kept: KeptLists): string {
  const { event, eventNode, groups, groupIndex, entries, entryIndex } = node;
  const group = groups.children![groupIndex]!;
  const entry = entries.children![entryIndex]!;
  const isAll = (outer: Node, list: Node, inner: Node) =>
    list.children!.length === 1 && !hasCommentAround(text, outer, inner);
  if (!isAll(group, entries, entry)) return without(text, entries, entryIndex);
  if (kept.events.has(event) || !isAll(eventNode, groups, group)) {
    return without(text, groups, groupIndex);
  }
  const property = root.children!.find((child) => child.children![1] === hooks)!;
  if (kept.hooks || !isAll(property, hooks, eventNode)) {
    return without(text, hooks, hooks.children!.indexOf(eventNode));
  }
  return without(text, root, root.children!.indexOf(property));
}

/** Removes our line breaks before closing brackets from a file that was one line before us. */
function onOneLine(text: string, original: string): string {
  if (original.trim().includes("\n") || text.includes("/*")) return text;
  const joined = text.replace(/\s*\n\s*(?=[\]}])/g, "");
  const isWhole = openSettings(joined).kind === "settings"; // no bracket went into a comment
  return isWhole && !joined.trim().includes("\n") ? joined : text;
}

export function isExactly(found: FoundHook, wanted: WantedHook): boolean {
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
