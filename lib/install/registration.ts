/** Puts our hooks into a settings file or takes them out, and says what has changed. */

import { withHooks, withoutHooks } from "./settings_edit.ts";
import { type FoundHook, readSettings } from "./settings_file.ts";
import {
  changeSettings,
  type Remembered,
  type SettingsDecision,
  signatureOf,
  type StoreOptions,
  type StoreOutcome,
} from "./settings_store.ts";
import type { WantedHook } from "./hook_command.ts";

export type Registration = StoreOutcome & { taken: FoundHook[]; left: FoundHook[] };

export function register(
  settings: string,
  wanted: WantedHook[],
  root: string,
  options: StoreOptions,
): Registration {
  let taken: FoundHook[] = [];
  const outcome = changeSettings(settings, options, (text, remembered): SettingsDecision => {
    const exact = memoryOf(text, remembered);
    const change = withHooks(text ?? "", wanted, root);
    if (change.kind !== "changed") return change;
    taken = change.taken;
    const original = remembered[0]?.base ?? undefined;
    const base = exact?.base ?? withoutHooks(text ?? "", root, { original, also: "old" });
    const noFileBefore = text === null || exact?.base === null;
    return { kind: "write", text: change.text, base: noFileBefore ? null : base };
  });
  return { ...outcome, taken, left: [] };
}

/** Takes out what is ours; hooks of the old system stay and are returned as `left`. */
export function unregister(settings: string, root: string, options: StoreOptions): Registration {
  let taken: FoundHook[] = [];
  let left: FoundHook[] = [];
  const outcome = changeSettings(settings, options, (text, remembered): SettingsDecision => {
    if (text === null) return { kind: "unchanged" };
    const reading = readSettings(text, root);
    if (reading.kind === "refused") return reading;
    left = reading.found.filter(({ owner }) => owner.kind === "old");
    taken = reading.found.filter(({ owner }) => owner.kind === "ours");
    if (taken.length === 0) return { kind: "unchanged" };
    const exact = memoryOf(text, remembered);
    if (exact !== undefined) return { kind: "write", text: exact.base };
    const original = remembered[0]?.base;
    const rest = withoutHooks(text, root, { original: original ?? undefined });
    return { kind: "write", text: original === null && /^\s*\{\s*\}\s*$/.test(rest) ? null : rest };
  });
  return { ...outcome, taken, left };
}

function memoryOf(text: string | null, remembered: Remembered[]): Remembered | undefined {
  if (text === null) return undefined;
  return remembered.find((one) => one.registered === signatureOf(text));
}
