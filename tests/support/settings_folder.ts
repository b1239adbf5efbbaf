/** A settings file for one test, and hooks to register in it. */

import { hookCommand, type WantedHook } from "../../lib/install/hook_command.ts";
import { HOOKS } from "../../lib/install/hook_list.ts";
import { pathsFrom } from "../../lib/paths.ts";

export const ROOT = "/opt/gsd-code-skill";
const PATHS = pathsFrom((name) => name === "HOME" ? "/home/u" : undefined, ROOT);

/** The hooks of the clone that has this data folder. */
export function wantedFor(data: string): WantedHook[] {
  return HOOKS.map(({ event, matcher, file }) => ({
    event,
    ...(matcher ? { matcher } : {}),
    command: hookCommand({ event, file, timeout: 10 }, { ...PATHS, data }),
    timeout: 10,
  }));
}

export const WANTED = wantedFor(PATHS.data);
export type Options = { data: string; dryRun: boolean; now: Date };

export async function inFolder(work: (file: string, options: Options, folder: string) => void) {
  const folder = await Deno.makeTempDir({ prefix: "gsd-registration-" });
  try {
    Deno.mkdirSync(`${folder}/claude`);
    const options = { data: `${folder}/data`, dryRun: false, now: new Date() };
    work(`${folder}/claude/settings.json`, options, folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

export function put(file: string, text: string | null): void {
  if (text !== null) Deno.writeTextFileSync(file, text);
}

export function read(file: string): string | null {
  try {
    const bytes = Deno.readFileSync(file);
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

export function namesOf(folder: string): string[] {
  return Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
}
