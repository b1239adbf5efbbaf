/** What differs between our hooks in a settings file and those that register would write. */

import { entryFor, type WantedHook } from "../install/hook_command.ts";
import type { FoundHook } from "../install/settings_file.ts";
import type { Paths } from "../paths.ts";

export function differences(
  ours: FoundHook[],
  wanted: WantedHook[],
  paths: Paths,
  file: string,
): string[] {
  const moved = otherFolders(ours, paths);
  const said = moved.map(({ folder, isThere }) =>
    isThere
      ? `${file} runs hooks of another folder, which still exists: ${folder}. Register in the ` +
        "clone that is to have them"
      : `${file} runs hooks of a folder that is gone: ${folder}`
  );
  for (const hook of wanted) {
    const same = ours.filter((one) => one.event === hook.event);
    const name = `The ${hook.event} hook in ${file}`;
    if (same.length === 0) said.push(`${name} is missing`);
    else if (same.length > 1) said.push(`${name} is registered ${same.length} times`);
    else if (moved.length === 0) {
      const own = inEntry(same[0]!, hook);
      if (own.length > 0) said.push(`${name} has ${own.join(", and ")}`);
    }
  }
  const events = new Set(wanted.map(({ event }) => event));
  for (const { event, owner } of ours.filter((one) => !events.has(one.event))) {
    const script = owner.kind === "ours" ? owner.file : owner.script;
    said.push(`Our ${script} is also registered for ${event} in ${file}, which it does not handle`);
  }
  return said;
}

/** Folders of hooks that are neither this clone nor its data folder. */
export function otherFolders(
  ours: FoundHook[],
  { root, data }: Paths,
): { folder: string; isThere: boolean }[] {
  const folders = ours.flatMap(({ owner }) => owner.kind === "ours" ? [owner.folder] : []);
  return [...new Set(folders)].filter((folder) => folder !== root && folder !== data)
    .map((folder) => ({
      folder,
      isThere: isThere(`${folder}/hooks`) || isThere(`${folder}/bin/hook`),
    }));
}

function inEntry(found: FoundHook, wanted: WantedHook): string[] {
  const said: string[] = [];
  const right: Record<string, unknown> = entryFor(wanted);
  if (found.matcher !== wanted.matcher) {
    said.push(`another matcher: ${words(found.matcher)} instead of ${words(wanted.matcher)}`);
  }
  for (const key of new Set([...Object.keys(found.entry), ...Object.keys(right)])) {
    const [is, should] = [found.entry[key], right[key]];
    if (is === should) continue;
    if (key === "command") said.push("another command, edited or of an earlier version");
    else if (key === "timeout") said.push(`${is} s instead of ${should} s`);
    else said.push(`"${key}" ${words(is)} instead of ${words(should)}`);
  }
  return said;
}

function words(value: unknown): string {
  return value === undefined ? "none" : JSON.stringify(value);
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
