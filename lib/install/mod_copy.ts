/**
 * The mod as Claude Code loads it: a copy of mod/ in the data folder. Claude Code writes its types
 * into a folder that it loads, and our own must stay as it is.
 */

import { ensureDir, readTextIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { hash, type Paths } from "../paths.ts";
import { launcherPath } from "./scope.ts";

const FILES = [".claude-plugin/plugin.json", "hooks/hooks.json", "hooks/register.ts", "README.md"];
const PLACES = "hooks/places.ts";

export function modFolder({ data }: Pick<Paths, "data">): string {
  return `${data}/mod`;
}

/** What each version of Claude Code has said to the mod. */
export function supportFile({ data }: Pick<Paths, "data">): string {
  return `${data}/mod-support.json`;
}

/** With what Claude Code has written into it. */
export function removeMod(paths: Pick<Paths, "data">): void {
  removeIfThere(supportFile(paths));
  removeIfThere(modFolder(paths), { recursive: true });
}

/** Changes with the mod: another one has to be checked again. */
export function modMark({ root }: Pick<Paths, "root">): string {
  return hash(FILES.map((name) => Deno.readTextFileSync(`${root}/mod/${name}`)).join("\n"));
}

/** Writes what is missing or differs: Claude Code loads a mod again when one of its files changes. */
export function writeMod(paths: Paths): void {
  const folder = modFolder(paths);
  const texts: Record<string, string> = { [PLACES]: placesText(paths) };
  for (const name of FILES) texts[name] = Deno.readTextFileSync(`${paths.root}/mod/${name}`);
  for (const [name, text] of Object.entries(texts)) {
    const path = `${folder}/${name}`;
    if (readTextIfThere(path) === text) continue;
    ensureDir(path.slice(0, path.lastIndexOf("/")));
    writeAtomic(path, text);
  }
}

function placesText(paths: Paths): string {
  return `/** Written by register. */\n` +
    `export const COMPANION = ${JSON.stringify(launcherPath(paths, "companion"))};\n`;
}
