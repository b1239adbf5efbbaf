/** Are our hooks registered, once, with the right command, and does nothing keep them from running? */

import { readableText } from "../doors/user_file.ts";
import { isThere, namesIn } from "../files.ts";
import type { WantedHook } from "../install/hook_command.ts";
import { mayBeOurs } from "../install/our_hooks.ts";
import { register } from "../install/registration.ts";
import { isExactly, withHooks } from "../install/settings_edit.ts";
import {
  type FoundHook,
  readSettings,
  type SettingsReading,
  whySkipped,
} from "../install/settings_file.ts";
import { readContent } from "../install/settings_store.ts";
import { lineAt, propertyOf, readJson } from "../jsonc/tree.ts";
import { originalName, type Paths } from "../paths.ts";
import { messageOf } from "../process.ts";
import { shellQuote } from "../text.ts";
import { broken, type DoctorContext, type Finding, note, ok } from "./finding.ts";
import { editCommand, registerCommand } from "./fix_commands.ts";
import { managedNotes, startedWithoutHooks } from "./hooks_off.ts";

export function checkHooks(context: DoctorContext): Finding[] {
  const { plan, settingsFiles, registered, world } = context;
  if (plan.kind === "refused") return [broken(plan.reason)];
  const { root, data } = world.paths;
  const findings = settingsFiles.flatMap((file) => checkFile(file, plan.wanted, context));
  findings.push(...context.foreignSettings.flatMap((file) => lookAt(file, root)));

  findings.push(...startedWithoutHooks(context), ...managedNotes());

  // A session keeps the hooks that it was spawned with.
  const ending = ".settings.json";
  const spawned = namesIn(`${data}/launches`).filter((name) => name.endsWith(ending));
  for (const name of spawned) {
    const text = readableText(`${data}/launches/${name}`);
    if (text === undefined || withHooks(text, plan.wanted, root).kind === "unchanged") continue;
    findings.push(note(
      `The session "${originalName(name.slice(0, -ending.length))}" was spawned with hooks that ` +
        "are out of date; it has the right ones when it is started again",
    ));
  }

  const usual = settingsFiles[0]!;
  if (registered.length > 0 || openSettingsFile(usual, root).kind === "unusable") return findings;
  const text = `Our hooks are not registered in ${usual}`;
  const fix = registerCommand(context);
  findings.push(
    spawned.length > 0
      ? note(`${text}; only sessions started by spawn have them`, fix)
      : broken(text, fix),
  );
  return findings;
}

type OpenedFile =
  | { kind: "missing" }
  | { kind: "unusable"; finding: Finding }
  | { kind: "open"; text: string; settings: Extract<SettingsReading, { kind: "settings" }> };

function openSettingsFile(file: string, root: string): OpenedFile {
  const unusable = (text: string, fix?: string): OpenedFile => ({
    kind: "unusable",
    finding: broken(text, fix),
  });
  let content: ReturnType<typeof readContent>;
  try {
    content = readContent(file);
  } catch (error) {
    return unusable(`Cannot read ${file}: ${messageOf(error)}; its owner must give you access`);
  }
  if (content.kind === "missing") return content;
  if (content.kind === "not text") {
    const text = `Cannot edit ${file}: it is not UTF-8 text; if it is Latin-1, this converts it`;
    return unusable(text, convertCommand(file));
  }
  const settings = readSettings(content.text, root);
  return settings.kind === "refused"
    ? unusable(`Cannot edit ${file}: ${settings.reason}`, editCommand(file))
    : { kind: "open", text: content.text, settings };
}

function checkFile(file: string, wanted: WantedHook[], context: DoctorContext): Finding[] {
  const { root, data } = context.world.paths;
  const opened = openSettingsFile(file, root);
  if (opened.kind === "missing") return [];
  if (opened.kind === "unusable") return [opened.finding];
  const { text, settings } = opened;
  const findings: Finding[] = [];
  const skipped = whySkipped(file, text);
  if (skipped !== undefined) findings.push(broken(skipped.reason, editCommand(file, skipped.line)));
  findings.push(...switchedOff(file, text));

  const ours = settings.found.filter(({ owner }) => owner.kind === "ours");
  const old = settings.found.flatMap(({ owner }) => owner.kind === "old" ? [owner.script] : []);
  const folders = otherFolders(ours, context.world.paths);
  // The time limits come from the registry: without one they say nothing.
  const isLimited = context.registry.kind === "registry";
  const expected = isLimited ? wanted : withTimeoutsOf(ours, wanted);
  const problems = ours.length === 0 ? [] : differences(ours, expected, folders, file);
  if (old.length > 0) {
    problems.unshift(`${file} still holds hooks of the old bash system: ${old.join(", ")}`);
  }
  const autofix = {
    what: `register our hooks in ${file} again (a backup is made)`,
    run: () => {
      const store = { data, dryRun: false, now: context.world.now() };
      const outcome = register(file, wanted, root, store);
      if (outcome.kind === "refused") throw new Error(outcome.reason);
    },
  };
  // The user decides whether another clone loses its hooks.
  const isHarmless = ours.length > 0 && !folders.some(stillExists);
  const fix = registerCommand(context, file);
  findings.push(...problems.map((one) => broken(one, fix, isHarmless ? autofix : undefined)));
  if (findings.length === 0 && ours.length > 0) {
    findings.push(ok(`Registered in ${file}, each once`));
  }
  return [...findings, ...foreignNotes(settings.foreign, file)];
}

/** A repository may have brought this file: it is named, and nothing of it is run or fixed. */
function lookAt(file: string, root: string): Finding[] {
  const opened = openSettingsFile(file, root);
  if (opened.kind === "missing") return [];
  if (opened.kind === "unusable") return [opened.finding];
  const { found, foreign } = opened.settings;
  const alike = found.length === 0 ? [] : [
    note(
      `${file} holds hooks that look like ours, but register did not write them there. Claude Code ` +
        `runs them in this folder; look at them, and remove them if they are not yours: ${
          found[0]!.command
        }`,
    ),
  ];
  return [...switchedOff(file, opened.text), ...alike, ...foreignNotes(foreign, file)];
}

function switchedOff(file: string, text: string): Finding[] {
  const line = lineOfSwitch(text);
  if (line === undefined) return [];
  const words =
    `${file} switches all hooks off with "disableAllHooks"; take it out to have ours run`;
  return [broken(words, editCommand(file, line))];
}

/** How our hooks in a settings file differ from those that register would write. */
function differences(
  ours: FoundHook[],
  wanted: WantedHook[],
  folders: string[],
  file: string,
): string[] {
  const problems = folders.map((folder) =>
    stillExists(folder)
      ? `${file} runs hooks of another folder, which still exists: ${folder}. Register in the ` +
        "clone that is to have them"
      : `${file} runs hooks of a folder that is gone: ${folder}`
  );
  for (const hook of wanted) {
    const same = ours.filter(({ event }) => event === hook.event);
    const name = `The ${hook.event} hook in ${file}`;
    if (same.length === 0) problems.push(`${name} is missing`);
    else if (same.length > 1) problems.push(`${name} is registered ${same.length} times`);
    else if (folders.length === 0 && !isExactly(same[0]!, hook)) {
      problems.push(`${name} is not as register writes it`);
    }
  }
  for (const { event } of ours) {
    if (wanted.some((hook) => hook.event === event)) continue;
    problems.push(`A hook of ours in ${file} is registered for ${event}, which it does not handle`);
  }
  return problems;
}

function withTimeoutsOf(ours: FoundHook[], wanted: WantedHook[]): WantedHook[] {
  return wanted.map((hook) => {
    const timeout = ours.find(({ event }) => event === hook.event)?.entry.timeout;
    return typeof timeout === "number" ? { ...hook, timeout } : hook;
  });
}

/** Folders of hooks that are neither this clone nor its data folder. */
function otherFolders(ours: FoundHook[], { root, data }: Paths): string[] {
  const folders = ours.flatMap(({ owner }) => owner.kind === "ours" ? [owner.folder] : []);
  return [...new Set(folders)].filter((folder) => folder !== root && folder !== data);
}

function stillExists(folder: string): boolean {
  return isThere(`${folder}/hooks`) || isThere(`${folder}/bin/hook`);
}

/** Writes into the file that is there: it may be a link, and its mode is its owner's choice. */
function convertCommand(file: string): string {
  const [from, to] = [shellQuote(file), shellQuote(`${file}.utf8`)];
  return `iconv -f ISO-8859-1 -t UTF-8 ${from} > ${to} && cat ${to} > ${from} && rm ${to}`;
}

function foreignNotes(foreign: string[], file: string): Finding[] {
  if (foreign.length === 0) return [];
  const short = [...new Set(foreign)].map((one) => one.length > 50 ? `${one.slice(0, 48)} …` : one);
  const named = short.length <= 4 ? short.join(", ") : `${short.slice(0, 3).join(", ")} and others`;
  const hooks = foreign.length === 1 ? "1 hook" : `${foreign.length} hooks`;
  const doubtful = foreign.filter(mayBeOurs).map((command) =>
    note(
      `A command in ${file} names a file of ours, but register did not write it. Remove it ` +
        `yourself if it runs our hooks: ${command}`,
    )
  );
  return [note(`${file} also holds ${hooks} of others: ${named}`), ...doubtful];
}

/** The line in which all hooks are switched off. */
function lineOfSwitch(text: string): number | undefined {
  const reading = readJson(text);
  const node = reading.kind === "json" ? propertyOf(reading.root, "disableAllHooks") : undefined;
  return node?.value === true ? lineAt(text, node.offset) : undefined;
}
