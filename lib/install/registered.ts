/** The settings files that may hold our hooks. */

import { namesIn, readTextIfThere } from "../files.ts";
import { isObject } from "../json.ts";
import type { Paths } from "../paths.ts";
import { type FoundHook, readSettings } from "./settings_file.ts";

/** The user's settings first, then those of the current folder, then others we registered in. */
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
  const reading = readSettings(textIn(file), root);
  const found = reading.kind === "settings" ? reading.found : [];
  return found.filter(({ owner }) => owner.kind === "ours");
}

function rememberedSettings(data: string): string[] {
  const folder = `${data}/registered`;
  return namesIn(folder).flatMap((name) => {
    try {
      const value: unknown = JSON.parse(textIn(`${folder}/${name}`));
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

function textIn(file: string): string {
  try {
    return readTextIfThere(file) ?? "";
  } catch {
    return ""; // the check of that file says why
  }
}
