/** Puts our hooks into a settings file or takes them out, and says what that came to. */

import { readSettings, withHooks, withoutHooks } from "./settings_file.ts";
import type { FoundHook } from "./settings_file.ts";
import {
  changeSettings,
  type Decision,
  type Remembered,
  signatureOf,
  type StoreOptions,
  type StoreOutcome,
} from "./settings_store.ts";
import type { WantedHook } from "./hook_command.ts";

export type Registration = StoreOutcome & { taken: FoundHook[] };

export function register(
  settings: string,
  wanted: WantedHook[],
  root: string,
  options: StoreOptions,
): Registration {
  let taken: FoundHook[] = [];
  const outcome = changeSettings(settings, options, (text, remembered): Decision => {
    const exact = memoryOf(text, remembered);
    const base = exact?.base ?? withoutHooks(text ?? "", root, remembered[0]?.base ?? undefined);
    const change = withHooks(text ?? "", wanted, root, base);
    if (change.kind !== "changed") return change;
    taken = change.taken;
    const noFileBefore = text === null || exact?.base === null;
    return { kind: "write", text: change.text, base: noFileBefore ? null : base };
  });
  return { ...outcome, taken };
}

export function unregister(settings: string, root: string, options: StoreOptions): Registration {
  let taken: FoundHook[] = [];
  const outcome = changeSettings(settings, options, (text, remembered): Decision => {
    if (text === null) return { kind: "unchanged" };
    const reading = readSettings(text, root);
    if (reading.kind === "refused") return reading;
    if (reading.found.length === 0) return { kind: "unchanged" };
    taken = reading.found;
    const exact = memoryOf(text, remembered);
    if (exact !== undefined) return { kind: "write", text: exact.base };
    const original = remembered[0]?.base;
    const rest = withoutHooks(text, root, original ?? undefined);
    return { kind: "write", text: original === null && /^\s*\{\s*\}\s*$/.test(rest) ? null : rest };
  });
  return { ...outcome, taken };
}

function memoryOf(text: string | null, remembered: Remembered[]): Remembered | undefined {
  if (text === null) return undefined;
  return remembered.find((one) => one.registered === signatureOf(text));
}
