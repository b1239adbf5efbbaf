/** What an agent's session is started with. */

import { isFile, readTextIfThere, writeAtomic } from "../files.ts";
import { hooksForSettings } from "../install/hook_command.ts";
import { planInstall } from "../install/installation.ts";
import { keepLaunchers } from "../install/launchers.ts";
import { assignedIn, programOf } from "../doors/command_words.ts";
import { type Conversation, type Launch, type PendingRecovery, promptText } from "./launch.ts";
import { launchFiles, writeLaunch } from "./launch_files.ts";
import { type Env, type Paths, PLACE_ENV_NAMES, setVariables } from "../paths.ts";
import { onPath } from "../doors/programs.ts";
import { foldersOf } from "../process.ts";
import type { Agent } from "../registry.ts";
import { readMemory } from "../session_memory.ts";
import { statusLineFor } from "./status_settings.ts";
import { shellQuote } from "../text.ts";
import { taskCommand } from "../cli/task_command.ts";
import type { World } from "../cli/world.ts";

/** A line for a shell; `GSD_CLAUDE` is the path of a program, and may hold blanks. */
export function launchCommand(
  world: Pick<World, "env">,
  agent: Pick<Agent, "claude_launch_command">,
): string {
  return agent.claude_launch_command.trim() || shellQuote(world.env("GSD_CLAUDE") || "claude");
}

/** Why a launch cannot work; undefined when it may. */
export function whyNoLaunch(
  env: Env,
  dir: string,
  command: string,
): string | undefined {
  let isFolder = false;
  try {
    isFolder = Deno.statSync(dir).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return noFolder(dir);
    if (error instanceof Deno.errors.PermissionDenied) return `its folder ${dir} cannot be entered`;
    throw error;
  }
  if (!isFolder) return `${dir} is not a folder`;
  const program = programOf(command);
  if (program === "") return "its launch command names no program";
  if (isShellWord(program) || isProgram(env, program)) return undefined;
  return `the program ${program} of its launch command is not installed, or not on PATH`;
}

function noFolder(dir: string): string {
  return `its folder ${dir} does not exist`;
}

// Only the shell can resolve these.
function isShellWord(program: string): boolean {
  return /[$`*;&|()]/.test(program) || /^(\.|exec|cd|source|eval|command|export)$/.test(program);
}

function isProgram(env: Env, program: string): boolean {
  const path = program.startsWith("~/") ? `${env("HOME") ?? ""}${program.slice(1)}` : program;
  if (!path.includes("/")) return onPath(env, path) !== undefined;
  return isFile(path);
}

export interface LaunchWish {
  agent: Agent;
  session: string;
  dir: string;
  command: string;
  /** The agent's part of the system prompt. */
  prompt: string;
  conversation: Conversation;
  claudeSessionId: string;
  /** The first command, where it has not been given yet. */
  first?: string;
  /** Its tmux server, written before the start, so that the record of a failed start has it. */
  at: { tmux_socket?: string; tmux_server?: string };
  recovery?: PendingRecovery;
}

/**
 * The world of an earlier launch: its PATH and its Claude Code folder, since a timer or a boot has
 * poorer ones. Our own places come from today's variables.
 */
export function asLaunched(
  world: World,
  launch: Launch | undefined,
  command: string,
  path = launch?.env.PATH,
): World {
  const old: Partial<Record<string, string>> = launch?.env ?? {};
  const env: Env = (name) => {
    if (launch !== undefined && name === "CLAUDE_CONFIG_DIR") return old[name];
    return name === "PATH" ? path ?? world.env(name) : world.env(name) ?? old[name];
  };
  const named = assignedIn(command, "CLAUDE_CONFIG_DIR") ?? env("CLAUDE_CONFIG_DIR");
  const home = world.env("HOME");
  const byDefault = home === undefined ? world.paths.claudeConfig : `${home}/.claude`;
  const claudeConfig = named?.startsWith("/") ? named.replace(/(.)\/+$/, "$1") : byDefault;
  return { ...world, env, paths: { ...world.paths, claudeConfig } };
}

/** A command, its folder, and the world in which its program is found. */
type LaunchWay =
  | { kind: "way"; world: World; dir: string; command: string }
  | { kind: "refused"; reason: string };

/**
 * How an agent's session is started again: as it was, if that still works. Otherwise
 * with today's PATH, the registry's folder or the default command: a person may have corrected those.
 */
export function wayBack(world: World, agent: Agent, launch: Launch | undefined): LaunchWay {
  const commands = new Set([launchCommandOf(world, agent, launch), launchCommand(world, agent)]);
  const dirs = new Set([launch?.working_directory ?? "", agent.working_directory]);
  dirs.delete("");
  let reason: string | undefined;
  for (const command of commands) {
    for (const dir of dirs) {
      for (const path of new Set([launch?.env.PATH, world.env("PATH")])) {
        const there = asLaunched(world, launch, command, path);
        const refused = whyNoLaunch(there.env, dir, command);
        if (refused === undefined) return { kind: "way", world: there, dir, command };
        reason ??= refused === noFolder(dir) ? `${refused}: ${folderHelp(world, launch)}` : refused;
      }
    }
  }
  const spawn = `${taskCommand(world, "spawn", agent.agent_id)} <folder>`;
  const nowhere = `it has no working_directory in the registry: ${spawn} gives it one`;
  return { kind: "refused", reason: reason ?? nowhere };
}

function folderHelp(world: World, launch: Launch | undefined): string {
  if (launch === undefined) return "make it, or correct its working_directory in the registry";
  return `make it again, or ${taskCommand(world, "remove", launch.session)} gives the session up`;
}

/** The registry's command, else that of the launch. */
export function launchCommandOf(
  world: Pick<World, "env">,
  agent: Agent,
  launch: Launch | undefined,
): string {
  return agent.claude_launch_command.trim() || launch?.command || launchCommand(world, agent);
}

/** Writes the files of a launch: prompt, settings and record. */
export function prepareLaunch(
  world: World,
  wish: LaunchWish,
  plugins: Pick<Launch, "plugin_dirs"> = {},
): Launch {
  const { paths } = world;
  const files = launchFiles(paths, wish.session);
  const byDefault = readTextIfThere(`${paths.root}/config/default-system-prompt.txt`) ?? "";
  writeAtomic(files.prompt, promptText(byDefault, wish.prompt));
  const hasMod = plugins.plugin_dirs !== undefined;
  writeSettings(world, files.settings, hasMod ? undefined : statusLineFor(paths, wish.dir));
  const launch: Launch = {
    session: wish.session,
    agent_id: wish.agent.agent_id,
    working_directory: wish.dir,
    command: wish.command,
    settings_file: files.settings,
    prompt_file: files.prompt,
    ...plugins,
    system_prompt: wish.prompt,
    env: {
      ...passedOn(world),
      CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: String(wish.agent.settings.autocompact_pct),
    },
    claude_session_id: wish.claudeSessionId,
    started_at: world.now().toISOString(),
    ...memoryBefore(paths, wish.session),
    ...wish.at,
    ...(wish.first ? { first_command: wish.first } : {}),
    ...(wish.recovery === undefined ? {} : { recovery: wish.recovery }),
  };
  writeLaunch(paths, launch);
  return launch;
}

function memoryBefore(paths: Paths, session: string): Pick<Launch, "memory_before"> {
  try {
    return { memory_before: readMemory(paths, session).updated_at };
  } catch {
    return {}; // not readable
  }
}

/** Our hooks for this one session: the very commands that register writes, so none runs twice. */
export function writeSettings(
  world: World,
  file: string,
  statusLine?: Record<string, unknown>,
): void {
  const plan = planInstall(world.env, world.paths.root, { running: world.deno, as: "registered" });
  if (plan.kind === "refused") throw new Error(plan.reason);
  keepLaunchers(plan);
  const settings = {
    ...hooksForSettings(plan.wanted),
    ...(statusLine === undefined ? {} : { statusLine }),
  };
  writeAtomic(file, JSON.stringify(settings, null, 2) + "\n");
}

/** Places only, no keys or tokens: those are in the tmux server's own environment. */
function passedOn(world: World): Record<string, string> {
  const passed = setVariables(world.env, [...PLACE_ENV_NAMES, "GSD_TMUX", "CLAUDE_CONFIG_DIR"]);
  // An older record may have a relative folder: Claude Code's own would be looked for in it.
  return passed.PATH === undefined ? passed : { ...passed, PATH: foldersOf(passed.PATH).join(":") };
}
