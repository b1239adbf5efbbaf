/** What Claude Code's settings hold of us, and where. */

import { getNodeValue, type Node } from "jsonc-parser";
import { firstExtra } from "../jsonc/plain.ts";
import { propertiesNamed, propertyOf, readJson } from "../jsonc/tree.ts";
import { type Owner, ownerOf } from "./our_hooks.ts";

/** A hook that is not foreign, and where it stands. */
export interface FoundHook {
  event: string;
  matcher?: string;
  command: string;
  /** All of it, as it stands there. */
  entry: Record<string, unknown>;
  owner: Exclude<Owner, { kind: "foreign" }>;
}

export type SettingsReading =
  | { kind: "settings"; found: FoundHook[]; foreign: string[] }
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

export type Opened =
  | { kind: "settings"; root?: Node; hooks?: Node }
  | { kind: "refused"; reason: string };

export function openSettings(text: string): Opened {
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

export interface Place {
  event: Node;
  groups: Node;
  group: number;
  entries: Node;
  entry: number;
  hook: Omit<FoundHook, "owner">;
  owner: Owner;
}

export function placesIn(hooks: Node | undefined, root: string): Place[] {
  const places: Place[] = [];
  for (const event of hooks?.children ?? []) {
    const groups = event.children![1]!;
    groups.children?.forEach((node, group) => {
      const entries = node.type === "object" ? propertyOf(node, "hooks") : undefined;
      if (entries?.type !== "array") return;
      entries.children?.forEach((value, entry) => {
        if (value.type !== "object") return;
        const command = propertyOf(value, "command")?.value;
        const matcher = propertyOf(node, "matcher")?.value;
        const hook = {
          event: String(event.children![0]!.value),
          command: String(command),
          entry: getNodeValue(value),
          ...(typeof matcher === "string" ? { matcher } : {}),
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
