/** Are our hooks registered, once, with the right command, and does nothing keep them from running? */

import { namesIn, readIfThere } from "../files.ts";
import { lineAt, propertyOf, readJson } from "../jsonc/tree.ts";
import { originalName } from "../paths.ts";
import { messageOf } from "../process.ts";
import { isDoubtful } from "../install/our_hooks.ts";
import { register } from "../install/registration.ts";
import { type FoundHook, readSettings, whySkipped } from "../install/settings_file.ts";
import { shellQuote } from "../text.ts";
import type { DoctorContext, Finding } from "./finding.ts";
import { differences, otherFolders } from "./hook_differences.ts";
import { editCommand, registerCommand } from "./fix_commands.ts";

const CHECK = "hooks";

export function checkHooks(context: DoctorContext): Finding[] {
  if (context.look.kind === "refused") {
    return [{ check: CHECK, level: "broken", text: context.look.reason }];
  }
  const findings = context.settingsFiles.flatMap((file) => lookAt(file, context));
  const launches = `${context.look.install.paths.data}/launches`;
  const spawned = namesIn(launches).filter((name) => name.endsWith(".settings.json"))
    .map((name) => `${launches}/${name}`);
  findings.push(...spawned.flatMap((file) => lookAtSpawned(file, context)));
  if (context.registered.length > 0 || !isEditable(context.settingsFiles[0]!, context)) {
    return findings;
  }
  return [...findings, {
    check: CHECK,
    level: spawned.length > 0 ? "note" : "broken",
    text: `Our hooks are not registered in ${context.settingsFiles[0]}` +
      (spawned.length > 0 ? "; only sessions started by spawn have them" : ""),
    fix: registerCommand(context),
  }];
}

/** A session keeps the hooks that it was spawned with. */
function lookAtSpawned(file: string, context: DoctorContext): Finding[] {
  const text = textOf(file);
  if (text.kind !== "text") return []; // gone since it was listed, or of another user
  const { root } = context.world.paths;
  const reading = readSettings(text.text, root);
  const found = reading.kind === "settings" ? reading.found : [];
  const { look, world } = context;
  if (look.kind === "refused") return [];
  if (found.length > 0 && differences(found, look.wanted, world.paths, file).length === 0) {
    return [];
  }
  const name = file.slice(file.lastIndexOf("/") + 1).replace(/\.settings\.json$/, "");
  return [{
    check: CHECK,
    level: "note",
    text: `The session "${originalName(name)}" was spawned with hooks that are no longer as they ` +
      "should be; it has the right ones when it is started again",
  }];
}

function lookAt(file: string, context: DoctorContext): Finding[] {
  const broken = (text: string, fix?: string): Finding => ({
    check: CHECK,
    level: "broken",
    text,
    ...(fix === undefined ? {} : { fix }),
  });
  const content = textOf(file);
  switch (content.kind) {
    case "missing":
      return [];
    case "unreadable":
      return [broken(`Cannot read ${file}: ${content.reason}; its owner must give you access`)];
    case "no text":
      return [broken(
        `We cannot edit ${file}: it is not UTF-8 text; if it is Latin-1, this converts it`,
        converting(file),
      )];
  }
  const { text } = content;
  const { root, data } = context.world.paths;
  const reading = readSettings(text, root);
  if (reading.kind === "refused") {
    return [broken(`We cannot edit ${file}: ${reading.reason}`, editCommand(file))];
  }
  const skipped = whySkipped(file, text);
  const problems = skipped === undefined
    ? []
    : [broken(skipped.reason, editCommand(file, skipped.line))];
  const off = switchedOff(text);
  if (off !== undefined) {
    const words =
      `${file} switches all hooks off with "disableAllHooks"; take it out to have ours run`;
    problems.push(broken(words, editCommand(file, off)));
  }
  const { look } = context;
  if (look.kind === "refused") return [...problems, broken(look.reason)];

  const ours = reading.found.filter(({ owner }) => owner.kind === "ours");
  const wrong = oldOnes(reading.found, file);
  if (ours.length > 0) wrong.push(...differences(ours, look.wanted, context.world.paths, file));
  const autofix = {
    what: `register our hooks in ${file} again (a backup is made)`,
    run: () => {
      const store = { data, dryRun: false, now: context.world.now() };
      const outcome = register(file, look.wanted, root, store);
      if (outcome.kind === "refused") throw new Error(outcome.reason);
    },
  };
  // The user decides whether another clone loses its hooks.
  const harmless = ours.length > 0 &&
    otherFolders(ours, context.world.paths).every(({ isThere }) => !isThere);
  const fix = registerCommand(context, file);
  problems.push(
    ...wrong.map((words) => ({ ...broken(words, fix), ...(harmless ? { autofix } : {}) })),
  );
  const others = othersIn(reading.foreign, file);
  if (problems.length > 0 || ours.length === 0) return [...problems, ...others];
  return [{ check: CHECK, level: "ok", text: `Registered in ${file}, each once` }, ...others];
}

/** A file that is not said to be broken already. */
function isEditable(file: string, context: DoctorContext): boolean {
  const content = textOf(file);
  if (content.kind !== "text") return content.kind === "missing";
  return readSettings(content.text, context.world.paths.root).kind === "settings";
}

type Content =
  | { kind: "text"; text: string }
  | { kind: "missing" }
  | { kind: "no text" }
  | { kind: "unreadable"; reason: string };

function textOf(file: string): Content {
  let bytes: Uint8Array | undefined;
  try {
    bytes = readIfThere(file, Deno.readFileSync);
  } catch (error) {
    return { kind: "unreadable", reason: messageOf(error) };
  }
  if (bytes === undefined) return { kind: "missing" };
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { kind: "no text" };
  }
}

/** Into the file that is there: it may be a link, and its mode is its owner's choice. */
function converting(file: string): string {
  const [from, to] = [shellQuote(file), shellQuote(`${file}.utf8`)];
  return `iconv -f ISO-8859-1 -t UTF-8 ${from} > ${to} && cat ${to} > ${from} && rm ${to}`;
}

function oldOnes(found: FoundHook[], file: string): string[] {
  const old = found.flatMap(({ owner }) => owner.kind === "old" ? [owner.script] : []);
  return old.length === 0
    ? []
    : [`${file} still holds hooks of the old bash system: ${old.join(", ")}`];
}

function othersIn(foreign: string[], file: string): Finding[] {
  if (foreign.length === 0) return [];
  const short = [...new Set(foreign)].map((one) => one.length > 50 ? `${one.slice(0, 48)} …` : one);
  const named = short.length <= 4 ? short.join(", ") : `${short.slice(0, 3).join(", ")} and others`;
  const text =
    `${file} also holds ${foreign.length} hook${foreign.length === 1 ? "" : "s"} of others: ` +
    named;
  const doubtful = foreign.filter(isDoubtful).map((command): Finding => ({
    check: CHECK,
    level: "note",
    text: `A command in ${file} names a file of ours, but register did not write it. Remove it ` +
      `yourself if it runs our hooks: ${command}`,
  }));
  return [{ check: CHECK, level: "note", text }, ...doubtful];
}

/** The line in which all hooks are switched off. */
function switchedOff(text: string): number | undefined {
  const reading = readJson(text);
  const node = reading.kind === "json" ? propertyOf(reading.root, "disableAllHooks") : undefined;
  return node?.value === true ? lineAt(text, node.offset) : undefined;
}
