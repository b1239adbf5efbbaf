/** What about our registered hooks is not as it would be registered now, in words. */

import { entryFor, type WantedHook } from "../install/hook_command.ts";
import type { FoundHook } from "../install/settings_file.ts";
import { baseName, simpleCommands } from "../install/shell_words.ts";

export function differences(
  ours: FoundHook[],
  wanted: WantedHook[],
  root: string,
  file: string,
): string[] {
  const moved = otherFolders(ours, root);
  const said = moved.map(({ folder, isThere }) =>
    isThere
      ? `${file} runs hooks of another folder, which is still there: ${folder}; this one is ` +
        `${root}. Register in the one that is to have them`
      : `${file} runs hooks of another folder, which is gone: ${folder}; this one is ${root}`
  );
  for (const hook of wanted) {
    const same = ours.filter((one) => one.event === hook.event);
    const name = `The ${hook.event} hook in ${file}`;
    if (same.length === 0) said.push(`${name} is missing`);
    else if (same.length > 1) said.push(`${name} stands there ${same.length} times`);
    else if (moved.length === 0) {
      const own = inEntry(same[0]!, hook);
      if (own.length > 0) said.push(`${name} has ${own.join(", and ")}`);
    }
  }
  const events = new Set(wanted.map(({ event }) => event));
  for (const { event, owner } of ours.filter((one) => !events.has(one.event))) {
    const script = owner.kind === "ours" ? owner.file : owner.script;
    said.push(`Our ${script} also stands under ${event} in ${file}, where it has no business`);
  }
  return said;
}

/** Folders that are not this one, and whether they still have hooks to run. */
export function otherFolders(
  ours: FoundHook[],
  root: string,
): { folder: string; isThere: boolean }[] {
  const roots = ours.flatMap(({ owner }) => owner.kind === "ours" ? [owner.root] : []);
  return [...new Set(roots)].filter((folder) => folder !== root).map((folder) => {
    try {
      return { folder, isThere: Deno.statSync(`${folder}/hooks`).isDirectory };
    } catch {
      return { folder, isThere: false };
    }
  });
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
    if (key === "command") said.push(...inCommand(found.command, wanted.command));
    else if (key === "timeout") said.push(`${is} s instead of ${should} s`);
    else said.push(`"${key}" ${words(is)} instead of ${words(should)}`);
  }
  return said;
}

function words(value: unknown): string {
  return value === undefined ? "none" : JSON.stringify(value);
}

function inCommand(found: string, wanted: string): string[] {
  const [is, should] = [partsOf(found), partsOf(wanted)];
  const said: string[] = [];
  if (is.deno !== should.deno) said.push(`another Deno: ${is.deno} instead of ${should.deno}`);
  if (is.script !== should.script) said.push(`${is.script} instead of ${should.script}`);
  for (const [name, value] of should.places) {
    const other = is.places.get(name);
    if (other !== value) said.push(`${name} ${other ?? "unset"} instead of ${value}`);
  }
  const flags = [...is.flags, ...should.flags]
    .filter((flag) => !is.flags.has(flag) || !should.flags.has(flag))
    .map((flag) => flag.replace(/=.*/s, ""));
  if (flags.length > 0) said.push(`other permissions: ${[...new Set(flags)].join(", ")}`);
  return said.length > 0
    ? said
    : ["another command around it, perhaps edited or of another version"];
}

function partsOf(command: string) {
  const all = simpleCommands(command);
  const run = all.find((one) => one.includes("run")) ?? [];
  const at = run.indexOf("run");
  const places = all.filter(([first]) => first === "export").flat()
    .filter((word) => /^GSD_(REGISTRY|STATE_DIR|DATA_DIR|TMUX)=/.test(word))
    .map((
      word,
    ): [string, string] => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]);
  return {
    deno: run[at - 1],
    script: baseName(run.at(-1) ?? ""),
    flags: new Set(run.filter((word) => /^(-A|--allow-)/.test(word))),
    places: new Map(places),
  };
}
