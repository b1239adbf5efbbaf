/** Puts our hooks into Claude Code's settings, or takes them out again. */

import { type CommandLine, readCommandLine, refuse } from "./lib/cli/command_line.ts";
import { statIfThere } from "./lib/doors/user_file.ts";
import { taskCommand } from "./lib/cli/task_command.ts";
import { hooksForSettings } from "./lib/install/hook_command.ts";
import { type InstallPlan, planInstall, whyOtherClone } from "./lib/install/installation.ts";
import { fetchPackages, packagesReady, whyNoCompanion } from "./lib/install/packages.ts";
import { readTextIfThere, regularFile } from "./lib/files.ts";
import { linkCommand } from "./lib/install/path_link.ts";
import { release } from "./lib/install/registered.ts";
import { restartCompanions } from "./lib/install/restart_companions.ts";
import type { Paths } from "./lib/paths.ts";
import { messageOf } from "./lib/process.ts";
import { putLaunchers } from "./lib/install/launchers.ts";
import { register, unregister } from "./lib/install/registration.ts";
import { type RegisterReport, registerReport } from "./lib/install/register_report.ts";
import { whySkipped } from "./lib/install/settings_file.ts";
import { realWorld, type World } from "./lib/cli/world.ts";

export const HELP = `Usage: gsd-code register [options]

Adds the hooks of gsd-code-skill to Claude Code's settings. Everything else in the file stays as it
is, byte for byte; a backup is made beside it. Running it again changes nothing; run it again after an
update, after this folder has moved, or after time limits in the registry have changed.
Claude Code skips a file with comments or trailing commas. They are kept, but the exit code is 1, and
the hooks do not run until they are taken out.

  gsd-code register                      in ~/.claude/settings.json, for all sessions of this user
  gsd-code register --dry-run            show the difference, touch nothing
  gsd-code register --project ~/app      in ~/app/.claude/settings.json
  gsd-code register --remove             take our hooks out again
  gsd-code register --print > gsd.json   only for: claude --settings gsd.json

Options:
  --settings <file>   another settings file
  --project <dir>     the settings file of a project
  --remove            take our hooks out; what was there before comes back
  --dry-run           show what would change
  --print             write the hooks as a settings file of their own to stdout
  --allow-all         register hooks with all of Deno's permissions instead of the few they need
  --json              print the result as JSON
  --help              this text`;

interface RegisterOptions {
  settings?: string;
  project?: string;
  remove: boolean;
  dryRun: boolean;
  print: boolean;
  allowAll: boolean;
  json: boolean;
}

const COMMAND = {
  task: "register",
  help: HELP,
  flags: ["remove", "dry-run", "print", "allow-all", "json"],
  values: { settings: "a path", project: "a path" },
} as const;

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const options = optionsFrom(given);
  if (typeof options === "string") return refuse(options, COMMAND, world);
  const failed = (reason: string) => {
    world.warn(reason);
    return 1;
  };
  const problem = whyNoSettings(options, world);
  if (problem !== undefined) return failed(problem);
  const settings = settingsFile(options, world);
  const { allowAll, dryRun } = options;
  const { data, root } = world.paths;
  const store = { data, dryRun, now: world.now() };
  const otherClone = whyOtherClone(world.paths);
  if (otherClone !== undefined) return failed(otherClone);
  if (options.remove) {
    const outcome = unregister(settings, root, store);
    if (outcome.kind === "refused") return failed(outcome.reason);
    const notes = dryRun ? [] : release(world.env, world.paths);
    return report({ action: "remove", outcome, launchers: [], notes }, options, world);
  }

  const plan = planInstall(world.env, root, { allowAll, running: world.deno, as: "now" });
  if (plan.kind === "refused") return failed(plan.reason);
  const prepared = dryRun ? NOTHING_PREPARED : await prepare(plan, world);
  if (prepared.kind === "refused") return failed(prepared.reason);
  if (options.print) {
    for (const note of plan.notes) world.warn(note);
    world.say(JSON.stringify(hooksForSettings(plan.wanted), null, 2));
    return 0;
  }
  const outcome = register(settings, plan.wanted, root, store);
  if (outcome.kind === "refused") return failed(outcome.reason);
  const done = dryRun ? [] : [
    ...prepared.notes,
    ...linkCommand(world.env, world.paths),
    ...await companionNotes(world.paths),
  ];
  const notes = [...plan.notes, ...done];
  return report({ action: "add", outcome, launchers: prepared.launchers, notes }, options, world);
}

type Prepared =
  | { kind: "prepared"; launchers: string[]; notes: string[] }
  | { kind: "refused"; reason: string };

const NOTHING_PREPARED: Prepared = { kind: "prepared", launchers: [], notes: [] };

/** A session keeps its companion for days: it is to run the code that is registered now. */
async function companionNotes(paths: Paths): Promise<string[]> {
  try {
    const count = await restartCompanions(paths);
    if (count === 0) return [];
    return [`restarted ${count} ${count === 1 ? "companion" : "companions"} of running sessions`];
  } catch (error) {
    return [`cannot restart the companions of running sessions: ${messageOf(error)}`];
  }
}

/** Everything that a hook calls is there before the first hook is registered. */
async function prepare(plan: InstallPlan, world: World): Promise<Prepared> {
  const { install } = plan;
  let launchers: string[];
  try {
    launchers = putLaunchers(plan);
  } catch (error) {
    return { kind: "refused", reason: `Cannot make the launchers: ${messageOf(error)}` };
  }
  let state = await packagesReady(install, world.env);
  if (state.kind !== "ready") {
    world.warn("Fetching packages, once");
    state = await fetchPackages(install, world.env);
    if (state.kind === "ready") state = await packagesReady(install, world.env);
  }
  if (state.kind !== "ready") {
    return {
      kind: "refused",
      reason: `Cannot make sure that our commands start without a network: ${state.reason}; ` +
        "nothing was registered",
    };
  }
  const trouble = await whyNoCompanion(install, world.env);
  const notes = trouble === undefined ? [] : [`the mod has no companion: ${trouble}`];
  return { kind: "prepared", launchers, notes };
}

function report(
  result: Pick<RegisterReport, "action" | "outcome" | "launchers" | "notes">,
  options: RegisterOptions,
  world: World,
): number {
  const { action, outcome } = result;
  const isNew = outcome.kind === "written" && !options.dryRun;
  const text = isNew ? outcome.after : readTextIfThere(outcome.file);
  const skipped = action === "add" ? whySkipped(outcome.file, text ?? "")?.reason : undefined;
  const whole = {
    ...result,
    folders: [world.paths.root, world.paths.data],
    dryRun: options.dryRun,
    skipped,
    then: { check: taskCommand(world, "doctor"), undo: undoCommand(options, world) },
  };
  world.say(registerReport(whole, options.json));
  if (skipped === undefined) return 0;
  world.warn(skipped);
  return 1;
}

/** The command that undoes this registration, wherever it is typed. */
function undoCommand(options: RegisterOptions, world: World): string {
  const isUsual = options.settings === undefined && options.project === undefined;
  const where = isUsual ? [] : ["--settings", settingsFile(options, world)];
  return taskCommand(world, "register", "--remove", ...where);
}

/** Why there are no settings to change; undefined when there are. */
function whyNoSettings(options: RegisterOptions, world: World): string | undefined {
  const { project } = options;
  // A mistyped name must not become a folder.
  if (project !== undefined && !statIfThere(absolute(project, world))?.isDirectory) {
    return `Cannot register for ${absolute(project, world)}: there is no such folder`;
  }
  const isNamed = options.settings !== undefined || project !== undefined;
  if (!isNamed && !world.env("CLAUDE_CONFIG_DIR") && !world.env("HOME")) {
    return "Cannot find Claude Code's settings: HOME is not set; use --settings";
  }
  if (options.print) return undefined;
  const folder = settingsFile(options, world).replace(/\/[^/]*$/, "");
  const parent = folder.endsWith("/.claude") ? folder.slice(0, -"/.claude".length) : folder;
  if (isNamed && !statIfThere(parent || "/")?.isDirectory) {
    return `Cannot register in ${settingsFile(options, world)}: there is no folder ${parent}`;
  }
  try {
    regularFile(settingsFile(options, world)); // a device must not be replaced by a file
    return undefined;
  } catch (error) {
    return `Cannot change the settings: ${messageOf(error)}`;
  }
}

function absolute(path: string, world: World): string {
  return path.startsWith("/") ? path : `${world.cwd()}/${path}`;
}

function settingsFile(options: RegisterOptions, world: World): string {
  if (options.settings !== undefined) return absolute(options.settings, world);
  if (options.project !== undefined) {
    return `${absolute(options.project, world)}/.claude/settings.json`;
  }
  return `${world.paths.claudeConfig}/settings.json`;
}

type Flag = typeof COMMAND.flags[number];

function optionsFrom(
  { flags, values }: CommandLine<Flag, "settings" | "project">,
): RegisterOptions | string {
  const [settings, project] = [values.settings?.at(-1), values.project?.at(-1)];
  if (settings !== undefined && project !== undefined) {
    return "--settings and --project exclude each other";
  }
  const excluded = settings !== undefined
    ? "--settings"
    : project !== undefined
    ? "--project"
    : flags.remove
    ? "--remove"
    : undefined;
  if (flags.print && excluded !== undefined) return `--print and ${excluded} exclude each other`;
  const { remove, print, json, "dry-run": dryRun, "allow-all": allowAll } = flags;
  return { settings, project, remove, dryRun, print, allowAll, json };
}

if (import.meta.main) Deno.exit(await main(Deno.args));
