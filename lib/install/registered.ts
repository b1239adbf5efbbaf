/** The settings files that may hold our hooks, and what happens when the last one loses them. */

import { readableText, realPath } from "../doors/user_file.ts";
import { removeIfThere } from "../files.ts";
import type { Env, Paths } from "../paths.ts";
import { removeMod } from "./mod_copy.ts";
import { unlinkCommand } from "./path_link.ts";
import { installFile } from "./scope.ts";
import { readSettings } from "./settings_file.ts";
import { rememberedSettings } from "./settings_store.ts";

/** The user's settings first, then others that we registered in. */
export function knownSettings(paths: Paths): string[] {
  const remembered = rememberedSettings(paths.data).filter((file) => holdsOurs(file, paths.root));
  return eachOnce([...settingsIn(paths.claudeConfig), ...remembered]);
}

/**
 * The settings of a folder in which we did not register. A repository may have brought them: they
 * are read to be named, and never decide what we run, write or take for registered.
 */
export function foreignSettings(paths: Paths, cwd: string): string[] {
  const known = knownSettings(paths);
  return eachOnce([...known, ...settingsIn(`${cwd}/.claude`)]).slice(known.length);
}

function settingsIn(folder: string): string[] {
  return [`${folder}/settings.json`, `${folder}/settings.local.json`];
}

function eachOnce(files: string[]): string[] {
  const byRealPath = new Map<string, string>();
  for (const file of files) {
    const real = realPath(file);
    if (!byRealPath.has(real)) byRealPath.set(real, file);
  }
  return [...byRealPath.values()];
}

/** Whether a settings file holds hooks of ours; false where it cannot be read. */
export function holdsOurs(file: string, root: string): boolean {
  const reading = readSettings(readableText(file) ?? "", root);
  return reading.kind === "settings" && reading.found.some(({ owner }) => owner.kind === "ours");
}

/**
 * Frees the data folder for another clone, once no settings file holds our hooks; what register
 * says about it. The launchers stay: sessions that were spawned still call them.
 */
export function release(env: Env, paths: Paths): string[] {
  if (knownSettings(paths).some((file) => holdsOurs(file, paths.root))) return [];
  removeIfThere(installFile(paths.data));
  removeMod(paths);
  return unlinkCommand(env, paths);
}
