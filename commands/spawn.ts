/** Starts an agent's Claude Code session in tmux, ready to work. */

import { isRefusedAsRoot } from "../lib/doors/as_root.ts";
import {
  type CommandLine,
  milliseconds,
  readCommandLine,
  refuse,
} from "../lib/cli/command_line.ts";
import { readTextIfThere } from "../lib/files.ts";
import { launchFiles } from "../lib/sessions/launch_files.ts";
import { messageOf } from "../lib/process.ts";
import { whyUnreachable } from "../lib/registry.ts";
import { shellQuote } from "../lib/text.ts";
import { agentIn } from "../lib/sessions/spawn_agent.ts";
import { type SpawnResult, spawnSession, type SpawnWish } from "../lib/sessions/spawn_session.ts";
import { onOneLine } from "../lib/cli/speaker.ts";
import { taskCommand } from "../lib/cli/task_command.ts";
import { realWorld, type World } from "../lib/cli/world.ts";

export const HELP = `Starts Claude Code for an agent in a tmux session of its own.

Usage: gsd-code spawn <agent> <folder> [first command] [options]

  gsd-code spawn warden ~/work/shop                            begins with what fits the folder
  gsd-code spawn warden ~/work/shop "Fix the failing tests"    begins with these words
  gsd-code spawn warden ~/work/shop /gsd-progress              begins with this command
  gsd-code spawn warden ~/work/shop "" --system-prompt brief.md
  gsd-code spawn warden ~/work/shop --name docs                a second session with a name of its own

An agent that OpenClaw knows is added to the registry when it is missing there. Its session has the
name in the registry, else <agent>-main, with a number when a session of that name is running; --name
gives it any other one. It belongs to the agent by its record, not by its name.
Without a first command: GSD's next step where GSD is installed, /init for a project without
CLAUDE.md, else nothing. "" begins with nothing.

Options:
  --name <session>                the name of the tmux session
  --new                           for an agent that neither the registry nor OpenClaw has yet
  --system-prompt <text or file>  the agent's part of the system prompt, after the default one
  --no-attach-hint                do not say how to look at the session
  --timeout <seconds>             how long to wait for Claude Code (60)
  --dry-run                       say what would be started, and start nothing
  --json                          the result as one JSON object
  --help                          this text
`;

const COMMAND = {
  task: "spawn",
  help: HELP,
  flags: ["new", "no-attach-hint", "dry-run", "json"],
  values: { name: "a session's name", "system-prompt": "a text or a file", timeout: "seconds" },
  words: Infinity,
} as const;

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const { json, "no-attach-hint": noHint } = given.flags;
  const wish = wishFrom(given, world.cwd());
  if (typeof wish === "string") return refuse(wish, COMMAND, world);
  if (isRefusedAsRoot("start a session", world)) return 1;
  try {
    const result = await spawnSession(wish, world);
    if (json) world.say(JSON.stringify(result, null, 2));
    else if (result.problem === "") printSession(result, wish, !noHint, world);
    if (result.problem !== "") {
      world.warn(result.problem);
      if (!json) printAgent(result, wish, world);
    }
    return result.problem === "" ? 0 : 1;
  } catch (error) {
    world.warn(onOneLine(`Cannot start ${wish.agentId}: ${messageOf(error)}`));
    return 1;
  }
}

/** The wish, or what is wrong with the call. */
function wishFrom(
  { flags, values, words }: CommandLine<"dry-run" | "new", "name" | "system-prompt" | "timeout">,
  cwd: string,
): SpawnWish | string {
  const [agentId = "", folder = "", ...first] = words;
  if (agentId === "" || folder === "") return "An agent and a folder are needed";
  const timeoutMs = milliseconds(values.timeout?.at(-1) ?? "60");
  if (timeoutMs === undefined) return "--timeout needs seconds";
  const prompt = values["system-prompt"]?.at(-1);
  const systemPrompt = prompt === undefined ? undefined : textOrFile(prompt, cwd);
  if (systemPrompt === NO_SUCH_FILE) {
    return `--system-prompt names ${prompt}, which is not a readable file`;
  }
  return {
    agentId,
    name: values.name?.at(-1),
    dir: absolute(folder, cwd),
    first: first.length === 0 ? undefined : first.join(" "),
    systemPrompt,
    isNew: flags.new,
    timeoutMs,
    dryRun: flags["dry-run"],
  };
}

function printSession(
  result: SpawnResult,
  wish: SpawnWish,
  attachHint: boolean,
  world: World,
): void {
  const verb = wish.dryRun ? "Would start" : "Started";
  world.say(`${verb} ${result.session} for ${result.agent_id} in ${wish.dir}`);
  printAgent(result, wish, world);
  if (result.first_command !== "") world.say(`First command: ${result.first_command}`);
  if (wish.dryRun) {
    world.say(`Its launch would be kept in ${launchFiles(world.paths, result.session).record}`);
  } else if (attachHint) world.say(`Look: tmux attach -t ${shellQuote(`=${result.session}`)}`);
}

/** What happened to the agent in the registry, even if its session failed. */
function printAgent(result: SpawnResult, wish: SpawnWish, world: World): void {
  if (result.registered) {
    const when = wish.dryRun ? "would be added" : "was added";
    world.say(`The agent ${when} to ${world.paths.registry}`);
  }
  const agent = wish.dryRun ? undefined : agentIn(world, wish.agentId).agent;
  const off = agent?.enabled === false ? "it is disabled in the registry" : undefined;
  const mute = off ?? (agent === undefined ? undefined : whyUnreachable(agent));
  if (mute !== undefined) {
    const fix = off === undefined ? `; try ${taskCommand(world, "sync")}` : "";
    world.warn(`${result.agent_id} cannot be woken: ${mute}${fix}`);
  }
}

const NO_SUCH_FILE = Symbol("no such file");

/** A single word that looks like a path is one: mistyped, it must not become the prompt. */
function textOrFile(value: string, cwd: string): string | typeof NO_SUCH_FILE {
  if (value.includes("\n") || value.length > 4000) return value;
  try {
    const text = readTextIfThere(absolute(value, cwd)); // no device: it may never end
    if (text !== undefined) return text;
  } catch {
    // A folder, or a file of another user.
  }
  return /^\S*(\/\S*|\.(md|txt))$/.test(value) ? NO_SUCH_FILE : value;
}

function absolute(path: string, cwd: string): string {
  const whole = path.startsWith("/") ? path : `${cwd}/${path}`;
  return new URL(`file://${whole.split("/").map(encodeURIComponent).join("/")}`).pathname
    .split("/").map(decodeURIComponent).join("/").replace(/(.)\/+$/, "$1");
}

if (import.meta.main) Deno.exit(await main(Deno.args));
