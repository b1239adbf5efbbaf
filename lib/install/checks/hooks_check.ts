/** Are our hooks registered, once, with the right command, and does nothing keep them from running? */

import type { WantedHook } from "../hook_command.ts";
import { namesIn, readTextIfThere } from "../../files.ts";
import { propertyOf, readJson } from "../../jsonc/tree.ts";
import { originalName } from "../../paths.ts";
import { messageOf } from "../../process.ts";
import { register } from "../registration.ts";
import { type FoundHook, readSettings } from "../settings_file.ts";
import { shellQuote } from "../../shell.ts";
import type { Finding, Patient } from "./finding.ts";

const CHECK = "hooks";

export function checkHooks(patient: Patient): Finding[] {
  if (patient.look.kind === "refused") {
    return [{ check: CHECK, level: "broken", text: patient.look.reason }];
  }
  const findings = patient.settingsFiles.flatMap((file, index) =>
    lookAt(file, index === 0, patient)
  );
  const registered = findings.some(({ level }) => level !== "note");
  const launches = `${patient.look.install.paths.data}/launches`;
  const spawned = namesIn(launches).filter((name) => name.endsWith(".settings.json"))
    .map((name) => `${launches}/${name}`);
  findings.push(...spawned.flatMap((file) => lookAtSpawned(file, patient)));
  if (registered) return findings;
  return [...findings, {
    check: CHECK,
    level: spawned.length > 0 ? "note" : "broken",
    text: `Our hooks are not registered in ${patient.settingsFiles[0]}` +
      (spawned.length > 0 ? "; only sessions started by spawn have them" : ""),
    mend: "deno task register",
  }];
}

/** What a session was spawned with stays with it: hooks of a folder that moved are dead hooks. */
function lookAtSpawned(file: string, patient: Patient): Finding[] {
  if (patient.look.kind === "refused") return [];
  const { wanted, install } = patient.look;
  let text: string;
  try {
    text = readTextIfThere(file) ?? "";
  } catch {
    return []; // gone since it was listed, or of another user
  }
  const reading = readSettings(text, install.paths.root);
  const found = reading.kind === "settings" ? reading.found : [];
  if (found.length > 0 && differences(found, wanted, install.paths.root, file).length === 0) {
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

function lookAt(file: string, isUsers: boolean, patient: Patient): Finding[] {
  if (patient.look.kind === "refused") return [];
  const { wanted, install } = patient.look;
  const mend = isUsers ? "deno task register" : `deno task register --settings ${shellQuote(file)}`;
  const broken = (text: string): Finding => ({ check: CHECK, level: "broken", text, mend });
  let text: string | undefined;
  try {
    text = readTextIfThere(file);
  } catch (error) {
    return [{ check: CHECK, level: "broken", text: `Cannot read ${file}: ${messageOf(error)}` }];
  }
  if (text === undefined) return [];
  const { root } = install.paths;
  const reading = readSettings(text, root);
  if (reading.kind === "refused") {
    const mendBy = `$EDITOR ${shellQuote(file)}`;
    const words = `Claude Code cannot use ${file}: ${reading.reason}`;
    return [{ check: CHECK, level: "broken", text: words, mend: mendBy }];
  }
  const { found, foreign } = reading;
  const ours = found.filter(({ owner }) => owner.kind === "ours");
  const others: Finding[] = foreign.length === 0 ? [] : [{
    check: CHECK,
    level: "note",
    text:
      `${file} also holds ${foreign.length} hook${foreign.length === 1 ? "" : "s"} of others: ` +
      named(foreign),
  }];
  const old = found.flatMap(({ owner }) => owner.kind === "old" ? [owner.script] : []);
  const problems: Finding[] = old.length === 0
    ? []
    : [broken(`${file} still holds hooks of the old bash system: ${old.join(", ")}`)];
  if (ours.length === 0) return [...problems, ...others];

  problems.push(...differences(ours, wanted, root, file).map(broken));
  const repair = {
    what: `register our hooks in ${file} anew (a backup is made)`,
    run: () => {
      const store = { data: install.paths.data, dryRun: false, now: patient.world.now() };
      const outcome = register(file, wanted, root, store);
      if (outcome.kind === "refused") throw new Error(outcome.reason);
    },
  };
  for (const problem of problems) problem.repair = repair;
  if (hooksAreOff(text)) {
    const words = `${file} switches all hooks off with "disableAllHooks"`;
    problems.push({
      check: CHECK,
      level: "broken",
      text: words,
      mend: `$EDITOR ${shellQuote(file)}`,
    });
  }
  return problems.length > 0
    ? [...problems, ...others]
    : [{ check: CHECK, level: "ok", text: `Registered in ${file}, each once` }, ...others];
}

function named(commands: string[]): string {
  const short = [...new Set(commands)].map((one) =>
    one.length > 50 ? `${one.slice(0, 48)} …` : one
  );
  return short.length <= 4 ? short.join(", ") : `${short.slice(0, 3).join(", ")} and others`;
}

function differences(
  ours: FoundHook[],
  wanted: WantedHook[],
  root: string,
  file: string,
): string[] {
  const said: string[] = [];
  const roots = ours.flatMap(({ owner }) => owner.kind === "ours" ? [owner.root] : []);
  const stale = [...new Set(roots)].filter((other) => other !== root);
  for (const other of stale) said.push(`${file} runs hooks of another folder: ${other}`);
  for (const hook of wanted) {
    const same = ours.filter((one) => one.event === hook.event);
    const name = `${hook.event} hook in ${file}`;
    if (same.length === 0) said.push(`The ${name} is missing`);
    else if (same.length > 1) said.push(`The ${name} stands there ${same.length} times`);
    else if (same[0]!.command !== hook.command && stale.length === 0) {
      said.push(`The ${name} has another command or other permissions than it should`);
    } else if (same[0]!.entry.timeout !== hook.timeout) {
      said.push(`The ${name} has ${same[0]!.entry.timeout} s instead of ${hook.timeout} s`);
    } else if (same[0]!.matcher !== hook.matcher) said.push(`The ${name} has another matcher`);
  }
  return said;
}

function hooksAreOff(text: string): boolean {
  const reading = readJson(text);
  return reading.kind === "json" && propertyOf(reading.root, "disableAllHooks")?.value === true;
}
