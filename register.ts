/** Puts our hooks into Claude Code's settings, or takes them out again. */

import { type Given, readCommandLine, refuse } from "./lib/cli/command_line.ts";
import { statIfThere } from "./lib/doors/user_file.ts";
import { taskCommand } from "./lib/cli/task_command.ts";
import { hooksForSettings } from "./lib/install/hook_command.ts";
import { type Installed, lookAround, whyOtherClone } from "./lib/install/installation.ts";
import { fetchPackages, packagesReady } from "./lib/install/packages.ts";
import { readTextIfThere, regularFile } from "./lib/files.ts";
import { linkNotes } from "./lib/install/path_link.ts";
import { release } from "./lib/install/release.ts";
import { messageOf } from "./lib/process.ts";
import { putLaunchers } from "./lib/install/put_launchers.ts";
import { register, type Registration, unregister } from "./lib/install/registration.ts";
import { describe, type RegisterReport } from "./lib/install/register_report.ts";
import { whySkipped } from "./lib/install/settings_file.ts";
import { realWorld, type World } from "./lib/cli/world.ts";

export const HELP = `Usage: gsd-code register [options]

Adds the hooks of gsd-code-skill to Claude Code's settings. Everything else in the file stays as it
is, byte for byte; a backup is made beside it. Running it again changes nothing; run it again after
this folder has moved, or after time limits in the registry have changed.
Claude Code skips a file with comments or trailing commas. They are kept, but the exit code is 1, and
the hooks do not run before somebody takes them out.

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
  --json              tell the result as JSON
  --help              this text`;

interface Options {
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
  const noFolder = whyNoProject(options, world);
  if (noFolder !== undefined) {
    world.warn(noFolder);
    return 1;
  }
  const settings = settingsFile(options, world);
  if (settings === undefined) {
    world.warn("Cannot tell where Claude Code's settings are: HOME is not set; use --settings");
    return 1;
  }
  const noFile = options.print ? undefined : whyNoFile(settings);
  if (noFile !== undefined) {
    world.warn(`Cannot change the settings: ${noFile}`);
    return 1;
  }
  const { data, root } = world.paths;
  const store = { data, dryRun: options.dryRun, now: world.now() };
  const otherClone = whyOtherClone(world.paths);
  if (otherClone !== undefined) {
    world.warn(otherClone);
    return 1;
  }
  if (options.remove) {
    const outcome = unregister(settings, root, store);
    const notes = options.dryRun || outcome.kind === "refused"
      ? []
      : release(world.env, world.paths, world.cwd());
    return tell(outcome, "remove", options, world, [], notes);
  }

  const { allowAll } = options;
  const look = lookAround(world.env, root, { allowAll, running: world.deno, as: "now" });
  if (look.kind === "refused") {
    world.warn(look.reason);
    return 1;
  }
  const prepared = options.dryRun
    ? { kind: "prepared" as const, launchers: [] }
    : await prepare(look, world);
  if (prepared.kind === "refused") {
    world.warn(prepared.reason);
    return 1;
  }
  if (options.print) {
    for (const note of look.notes) world.warn(note);
    world.say(JSON.stringify(hooksForSettings(look.wanted), null, 2));
    return 0;
  }
  const outcome = register(settings, look.wanted, root, store);
  const linked = options.dryRun || outcome.kind === "refused"
    ? []
    : linkNotes(world.env, world.paths);
  return tell(outcome, "add", options, world, prepared.launchers, [...look.notes, ...linked]);
}

type Prepared = { kind: "prepared"; launchers: string[] } | { kind: "refused"; reason: string };

/** Everything that a hook calls is there before the first hook is registered. */
async function prepare(look: Installed, world: World): Promise<Prepared> {
  const { install } = look;
  let launchers: string[];
  try {
    launchers = putLaunchers(look);
  } catch (error) {
    return { kind: "refused", reason: `Cannot make the launchers: ${messageOf(error)}` };
  }
  if ((await packagesReady(install, world.env)).kind === "ready") {
    return { kind: "prepared", launchers };
  }
  world.warn("Fetching packages, once");
  const fetched = await fetchPackages(install, world.env);
  const state = fetched.kind === "ready" ? await packagesReady(install, world.env) : fetched;
  return state.kind === "ready" ? { kind: "prepared", launchers } : {
    kind: "refused",
    reason: `Cannot make sure that our commands start without a network: ${state.reason}; ` +
      "nothing was registered",
  };
}

function tell(
  outcome: Registration,
  action: RegisterReport["action"],
  options: Options,
  world: World,
  launchers: string[],
  notes: string[],
): number {
  if (outcome.kind === "refused") {
    world.warn(outcome.reason);
    return 1;
  }
  const skipped = action === "add" ? whySkippedNow(outcome, options.dryRun) : undefined;
  const report = {
    action,
    outcome,
    folders: [world.paths.root, world.paths.data],
    dryRun: options.dryRun,
    launchers,
    notes,
    skipped,
    then: { look: taskCommand(world, "doctor"), undo: undoCommand(options, world) },
  };
  world.say(describe(report, options.json));
  if (skipped === undefined) return 0;
  world.warn(skipped);
  return 1;
}

/** By the text that the file has now. */
function whySkippedNow(
  outcome: Exclude<Registration, { kind: "refused" }>,
  dryRun: boolean,
): string | undefined {
  const isNew = outcome.kind === "written" && !dryRun;
  const text = isNew ? outcome.after : readTextIfThere(outcome.file);
  return whySkipped(outcome.file, text ?? "")?.reason;
}

/** The same place again, by a path that holds wherever it is typed. */
function undoCommand(options: Options, world: World): string {
  const isUsual = options.settings === undefined && options.project === undefined;
  const where = isUsual ? [] : ["--settings", settingsFile(options, world)!];
  return taskCommand(world, "register", "--remove", ...where);
}

/** A name that is mistyped must not become a folder. */
function whyNoProject({ project }: Options, world: World): string | undefined {
  if (project === undefined || statIfThere(absolute(project, world))?.isDirectory) return undefined;
  return `Cannot register for ${absolute(project, world)}: there is no such folder`;
}

/** A device that is replaced by a file is gone for every other program, too. */
function whyNoFile(settings: string): string | undefined {
  try {
    regularFile(settings);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function absolute(path: string, world: World): string {
  return path.startsWith("/") ? path : `${world.cwd()}/${path}`;
}

function settingsFile(options: Options, world: World): string | undefined {
  if (options.settings !== undefined) return absolute(options.settings, world);
  if (options.project !== undefined) {
    return `${absolute(options.project, world)}/.claude/settings.json`;
  }
  if (!world.env("CLAUDE_CONFIG_DIR") && !world.env("HOME")) return undefined;
  return `${world.paths.claudeConfig}/settings.json`;
}

type Flag = typeof COMMAND.flags[number];

function optionsFrom({ flags, values }: Given<Flag, "settings" | "project">): Options | string {
  const [settings, project] = [values.settings?.at(-1), values.project?.at(-1)];
  if (settings !== undefined && project !== undefined) {
    return "--settings and --project exclude each other";
  }
  const named = settings === undefined
    ? project === undefined ? undefined : "--project"
    : "--settings";
  if (flags.print && named !== undefined) return `--print and ${named} exclude each other`;
  if (flags.print && flags.remove) return "--print and --remove exclude each other";
  const { remove, print, json, "dry-run": dryRun, "allow-all": allowAll } = flags;
  return { settings, project, remove, dryRun, print, allowAll, json };
}

if (import.meta.main) Deno.exit(await main(Deno.args));
