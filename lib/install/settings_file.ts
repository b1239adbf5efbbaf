/** What Claude Code's settings hold of us, and where. */

import { getNodeValue, type Node } from "jsonc-parser";
import { firstExtra } from "../jsonc/plain.ts";
import { childOf, propertiesNamed, propertyOf, readJson } from "../jsonc/tree.ts";
import { commandOwner, type Owner } from "./our_hooks.ts";

/** A hook in the settings. */
export interface FoundHook {
  event: string;
  matcher?: string;
  command: string;
  /** The whole entry, as it is in the file. */
  entry: Record<string, unknown>;
  owner: Owner;
}

export type SettingsReading =
  | { kind: "settings"; /** Ours and the old system's. */ found: FoundHook[]; foreign: string[] }
  | { kind: "refused"; reason: string };

/** What the settings hold of us. Every way a file can be unfit for editing is found here. */
export function readSettings(text: string, root: string): SettingsReading {
  const opened = openSettings(text);
  if (opened.kind === "refused") return opened;
  const hooks = hookNodes(opened.hooks, root);
  const found = hooks.filter(({ owner }) => owner.kind !== "foreign");
  const foreign = hooks.filter(({ owner }) => owner.kind === "foreign");
  return { kind: "settings", found, foreign: foreign.map(({ command }) => command) };
}

export interface Skipped {
  reason: string;
  line: number;
}

/** Why Claude Code reads nothing of a settings file that we can read; undefined when it reads it. */
export function whySkipped(file: string, text: string): Skipped | undefined {
  const extra = firstExtra(text);
  if (extra === undefined) return undefined;
  const reason = `Claude Code skips all of ${file} because of the ${extra.what} in line ` +
    `${extra.line}, so that our hooks do not run: take comments and trailing commas out of it`;
  return { reason, line: extra.line };
}

export type OpenedSettings =
  | { kind: "settings"; root?: Node; hooks?: Node }
  | { kind: "refused"; reason: string };

export function openSettings(text: string): OpenedSettings {
  if (text.replace(/^\uFEFF/, "").trim() === "") return { kind: "settings" };
  const reading = readJson(text);
  if (reading.kind === "broken") {
    return { kind: "refused", reason: `it is not JSON: ${reading.reason}` };
  }
  const { root } = reading;
  if (root.type !== "object") return { kind: "refused", reason: "it does not hold an object" };
  if (propertiesNamed(root, "hooks").length > 1) {
    return { kind: "refused", reason: `it has the key "hooks" twice` };
  }
  const hooks = propertyOf(root, "hooks");
  if (hooks === undefined) return { kind: "settings", root };
  if (hooks.type !== "object") return { kind: "refused", reason: `its "hooks" is not an object` };
  for (const property of hooks.children ?? []) {
    const [key, value] = property.children!;
    if (propertiesNamed(hooks, key!.value).length > 1) {
      return { kind: "refused", reason: `its "hooks" has the event "${key!.value}" twice` };
    }
    if (value!.type !== "array") {
      return { kind: "refused", reason: `"hooks.${key!.value}" is not a list` };
    }
  }
  return { kind: "settings", root, hooks };
}

/** A hook with its nodes in the tree of the text. */
export interface HookNode extends FoundHook {
  eventNode: Node;
  groups: Node;
  groupIndex: number;
  entries: Node;
  entryIndex: number;
}

export function hookNodes(hooks: Node | undefined, root: string): HookNode[] {
  const found: HookNode[] = [];
  for (const eventNode of hooks?.children ?? []) {
    const [key, groups] = eventNode.children as [Node, Node];
    for (const [groupIndex, group] of (groups.children ?? []).entries()) {
      const entries = childOf(group, "hooks");
      if (entries?.type !== "array") continue;
      const matcher = childOf(group, "matcher")?.value;
      for (const [entryIndex, node] of (entries.children ?? []).entries()) {
        if (node.type !== "object") continue;
        const command = propertyOf(node, "command")?.value;
        found.push({
          event: String(key.value),
          ...(typeof matcher === "string" ? { matcher } : {}),
          command: String(command),
          entry: getNodeValue(node),
          owner: typeof command === "string" ? commandOwner(command, root) : { kind: "foreign" },
          ...{ eventNode, groups, groupIndex, entries, entryIndex },
        });
      }
    }
  }
  return found;
}
