/**
 * Whether a Claude Code can load our mod. Its API is early access, so each version is asked once, by
 * its own check; the answer is kept. Where it cannot, sessions run without the mod.
 */

import type { World } from "../cli/world.ts";
import { isShell, modeWithoutHooks, programOf } from "../doors/command_words.ts";
import { findProgram } from "../doors/programs.ts";
import { realPath, statIfThere } from "../doors/user_file.ts";
import { ensureDir, readJsonIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { MOD_CALLS, MOD_EVENTS } from "../install/mod_api.ts";
import { modFolder, modMark, supportFile, writeMod } from "../install/mod_copy.ts";
import { isObject, messageOf } from "../json.ts";
import { setVariables } from "../paths.ts";
import { run } from "../process.ts";

export type ModSupport =
  | { kind: "yes"; version: string }
  | { kind: "no"; version?: string; reason: string };

interface SupportOptions {
  /** Write nothing: ask again, about the mod as it is in this clone. */
  dryRun?: boolean;
}

/** Whether the program of a launch command can load the mod; never throws. */
export async function modSupport(
  world: World,
  command: string,
  { dryRun = false }: SupportOptions = {},
): Promise<ModSupport> {
  const word = programOf(command);
  if (word === "" || isShell(word)) {
    return { kind: "no", reason: "its launch command does not start Claude Code itself" };
  }
  const mode = modeWithoutHooks(command);
  if (mode !== undefined) {
    return { kind: "no", reason: `its launch command has ${mode}, with which no mod is loaded` };
  }
  const program = word.includes("/") ? word : findProgram(world.env, "GSD_CLAUDE", word);
  if (program === undefined) return { kind: "no", reason: `there is no program ${word}` };
  try {
    return dryRun ? await askAgain(world, program) : await askOnce(world, program);
  } catch (error) {
    return { kind: "no", reason: `it cannot be asked: ${messageOf(error)}` };
  }
}

const SILENT: ModSupport = { kind: "no", reason: "it does not say that it is Claude Code" };

async function askAgain(world: World, program: string): Promise<ModSupport> {
  const version = await versionOf(world, program);
  if (version === undefined) return SILENT;
  const known = readKnown(world)[`${version} ${modMark(world.paths)}`];
  return known ?? await validate(world, program, version, `${world.paths.root}/mod`);
}

async function askOnce(world: World, program: string): Promise<ModSupport> {
  ensureDir(world.paths.data);
  const mark = modMark(world.paths);
  const file = `${fileMark(program)} ${mark}`;
  const silent = readKnown(world)[file];
  if (silent !== undefined) return silent;
  const version = await versionOf(world, program);
  if (version === undefined) {
    return keep(world, file, SILENT);
  }
  const key = `${version} ${mark}`;
  const known = readKnown(world)[key];
  if (known !== undefined) return known;
  writeMod(world.paths);
  return keep(world, key, await validate(world, program, version, modFolder(world.paths)));
}

const VERSION_WITHIN_MS = 5000;
const CHECKED_WITHIN_MS = 60_000;

/** Its own notes go to a folder that is removed: the user's stay as they are. */
async function call(world: World, program: string, args: string[], timeoutMs: number) {
  const notes = Deno.makeTempDirSync({ prefix: "gsd-mod-check-" });
  const env = {
    ...setVariables(world.env, ["HOME", "PATH"]),
    CLAUDE_CONFIG_DIR: notes,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
  };
  try {
    return await run(program, args, { env, timeoutMs, cwd: "/" });
  } finally {
    removeIfThere(notes, { recursive: true });
  }
}

async function versionOf(world: World, program: string): Promise<string | undefined> {
  const outcome = await call(world, program, ["--version"], VERSION_WITHIN_MS);
  if (outcome.kind !== "finished") return undefined;
  return /^(\d+\.\d+\.\d+)\S* \(Claude Code\)/.exec(outcome.stdout)?.[1];
}

async function validate(
  world: World,
  program: string,
  version: string,
  folder: string,
): Promise<ModSupport> {
  const no = (reason: string): ModSupport => ({ kind: "no", version, reason });
  const args = ["plugin", "validate", folder, "--json"];
  const outcome = await call(world, program, args, CHECKED_WITHIN_MS);
  if (outcome.kind === "missing") return no(outcome.reason);
  if (outcome.kind === "timeout") return no(`its check took more than ${outcome.afterMs} ms`);
  try {
    return readReport(JSON.parse(outcome.stdout), version);
  } catch {
    return no("it has no mods"); // 2.1.197 does not know --json
  }
}

/** What its check says it has found in the mod must be what the mod uses. */
export function readReport(report: unknown, version: string): ModSupport {
  if (!isObject(report) || report.success !== true) {
    return { kind: "no", version, reason: "its check refuses the mod" };
  }
  const contents = Array.isArray(report.contents) ? report.contents : [];
  const notes = contents.filter(isObject).flatMap(({ notes }) => Array.isArray(notes) ? notes : []);
  const found = new Set(notes.join(" ").split(/[\s,]+/));
  const missing = [...MOD_EVENTS, ...MOD_CALLS].filter((name) => !found.has(name));
  return missing.length === 0
    ? { kind: "yes", version }
    : { kind: "no", version, reason: `it does not know ${missing.join(", ")}` };
}

/** A program that does not answer is asked again when its file has changed. */
function fileMark(program: string): string {
  const path = realPath(program);
  const stat = statIfThere(path);
  return `${path} ${stat?.size} ${stat?.mtime?.getTime()}`;
}

function keep(world: World, key: string, support: ModSupport): ModSupport {
  const all = { ...readKnown(world), [key]: support };
  writeAtomic(supportFile(world.paths), `${JSON.stringify(all, null, 1)}\n`);
  return support;
}

function readKnown(world: World): Record<string, ModSupport> {
  const value = readJsonIfThere(supportFile(world.paths));
  return isObject(value) ? value as Record<string, ModSupport> : {};
}
