/**
 * The mod as Claude Code loads it: a copy of mod/ in the data folder. Claude Code writes its types
 * into a folder that it loads, and our own must stay as it is.
 */

import { ensureDir, readTextIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { hash, type Paths } from "../paths.ts";
import { launcherPath } from "./scope.ts";

const FILES = [".claude-plugin/plugin.json", "hooks/hooks.json", "hooks/register.ts"];
const PLACES = "hooks/places.ts";

export function modFolder({ data }: Pick<Paths, "data">): string {
  return `${data}/mod`;
}

/** The small second plugin, for texts that begin with a slash. */
function slashFolder({ data }: Pick<Paths, "data">): string {
  return `${data}/mod-slash`;
}

/** For `--plugin-dir`, each once. */
export function modFolders(paths: Pick<Paths, "data">): string[] {
  return [modFolder(paths), slashFolder(paths)];
}

/** What each version of Claude Code has said to the mod. */
export function supportFile({ data }: Pick<Paths, "data">): string {
  return `${data}/mod-support.json`;
}

/** With what Claude Code has written into it. */
export function removeMod(paths: Pick<Paths, "data">): void {
  removeIfThere(supportFile(paths));
  for (const folder of modFolders(paths)) removeIfThere(folder, { recursive: true });
}

/** Changes with the mod: a changed mod must be checked again. */
export function modMark({ root }: Pick<Paths, "root">): string {
  return hash(FILES.map((name) => Deno.readTextFileSync(`${root}/mod/${name}`)).join("\n"));
}

/** Writes what is missing or differs: Claude Code loads a mod again when one of its files changes. */
export function writeMod(paths: Paths): void {
  const source = (name: string) => Deno.readTextFileSync(`${paths.root}/mod/${name}`);
  const texts: Record<string, string> = { [`${modFolder(paths)}/${PLACES}`]: placesText(paths) };
  for (const name of FILES) {
    texts[`${modFolder(paths)}/${name}`] = source(name);
    texts[`${slashFolder(paths)}/${name}`] = source(`slash/${name}`);
  }
  for (const [path, text] of Object.entries(texts)) {
    if (readTextIfThere(path) === text) continue;
    ensureDir(path.slice(0, path.lastIndexOf("/")));
    writeAtomic(path, text);
  }
}

function placesText(paths: Paths): string {
  return `/** Written by register. */\n` +
    `export const COMPANION = ${JSON.stringify(launcherPath(paths, "companion"))};\n`;
}
