/** Where our hooks are registered, as far as this machine can tell. */

import { namesIn, readTextIfThere } from "../files.ts";
import { isObject } from "../json.ts";
import type { Paths } from "../paths.ts";
import { type FoundHook, readSettings } from "./settings_file.ts";
import { simpleCommands } from "./shell_words.ts";

/** The user's settings first, then those of the folder at hand, then those we once wrote to. */
export function knownSettings(paths: Paths, cwd: string): string[] {
  const folders = [paths.claudeConfig, `${cwd}/.claude`];
  const usual = folders.flatMap((folder) =>
    ["settings.json", "settings.local.json"].map((name) => `${folder}/${name}`)
  );
  const remembered = rememberedSettings(paths.data)
    .filter((file) => oursIn(file, paths.root).length > 0);
  const real = new Set<string>();
  return [...usual, ...remembered].filter((file) => {
    const same = realFile(file);
    return !real.has(same) && real.add(same);
  });
}

/** Our hooks in a settings file; none where it cannot be read. */
export function oursIn(file: string, root: string): FoundHook[] {
  const reading = readSettings(textOf(file), root);
  const found = reading.kind === "settings" ? reading.found : [];
  return found.filter(({ owner }) => owner.kind === "ours");
}

export function hasAllPermissions(hooks: FoundHook[]): boolean {
  return hooks.some(({ command }) => / run (\S+ )*-A /.test(command));
}

/** The Deno that hooks were registered with. */
export function denoOf(hooks: FoundHook[]): string | undefined {
  const command = hooks.find(({ owner }) => owner.kind === "ours")?.command ?? "";
  const words = simpleCommands(command).find((one) => one.includes("run")) ?? [];
  const deno = words[words.indexOf("run") - 1];
  return deno?.startsWith("/") ? deno : undefined;
}

export function isRegisteredWithAll(paths: Paths, cwd: string): boolean {
  return knownSettings(paths, cwd).some((file) => hasAllPermissions(oursIn(file, paths.root)));
}

function rememberedSettings(data: string): string[] {
  const folder = `${data}/registered`;
  return namesIn(folder).flatMap((name) => {
    try {
      const value: unknown = JSON.parse(textOf(`${folder}/${name}`));
      return isObject(value) && typeof value.settings === "string" ? [value.settings] : [];
    } catch {
      return [];
    }
  });
}

function realFile(file: string): string {
  try {
    return Deno.realPathSync(file);
  } catch {
    return file;
  }
}

function textOf(file: string): string {
  try {
    return readTextIfThere(file) ?? "";
  } catch {
    return ""; // the check of that file says why
  }
}
