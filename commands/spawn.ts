/** Starts an agent's Claude Code session in tmux, ready to work. */

import { parseArgs } from "@std/cli/parse-args";
import { launchCommand, prepareLaunch, whyNoLaunch } from "../lib/agent_launch.ts";
import { chooseFirstCommand, folderFacts, installedGsd } from "../lib/first_command.ts";
import { sendPrompt } from "../lib/first_prompt.ts";
import { chooseSession, defaultSessionName } from "../lib/launch.ts";
import { launchFiles } from "../lib/launch_files.ts";
import { messageOf } from "../lib/process.ts";
import { record } from "../lib/journal.ts";
import { findProgram } from "../lib/programs.ts";
import { missingProgram } from "../lib/installation.ts";
import { type Agent, readRegistry, type Registry, whyUnreachable } from "../lib/registry.ts";
import { refuseBroken, upsertAgent } from "../lib/registry_file.ts";
import { awaitReady, dialogHelp, launchInto } from "../lib/start_claude.ts";
import { shellQuote } from "../lib/shell.ts";
import { readTextIfThere } from "../lib/files.ts";
import { type Tmux, tmuxFrom } from "../lib/tmux.ts";
import { sessionNames, whyMarked } from "../lib/tmux_sessions.ts";
import { realWorld, type World } from "../lib/world.ts";
import { syncRegistry } from "./sync.ts";

const HELP = `Starts Claude Code for an agent in a tmux session of its own.

Usage: spawn <agent> <folder> [first command] [options]

  spawn warden ~/work/shop                            begins with what fits the folder
  spawn warden ~/work/shop "Fix the failing tests"    begins with these words
  spawn warden ~/work/shop /gsd-progress              begins with this command
  spawn warden ~/work/shop "" --system-prompt brief.md

The agent is put into the registry when it is not there yet. Its session is called as the registry
says, else <agent>-main, with a number behind it when that one runs already.
Without a first command: GSD's next step where GSD is installed, /init for a project without
CLAUDE.md, else nothing. "" begins with nothing.

Options:
  --system-prompt <text or file>  the agent's part of the system prompt, after the default one
  --no-attach-hint                do not say how to look at the session
  --timeout <seconds>             how long to wait for Claude Code (60)
  --dry-run                       say what would be started, and start nothing
  --json                          the result as one JSON object
  --help                          this text
`;

interface Wish {
  agentId: string;
  dir: string;
  first: string | undefined;
  systemPrompt: string | undefined;
  attachHint: boolean;
  timeoutMs: number;
  dryRun: boolean;
  json: boolean;
}

interface Result {
  agent_id: string;
  session: string;
  registered: boolean;
  state: "planned" | "ready" | "dialog" | "failed";
  pane: string;
  claude_session_id: string;
  first_command: string;
  problem: string;
}

export async function main(args: string[], world: World): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    world.say(HELP);
    return 0;
  }
  const wish = wishFrom(args, world);
  if (typeof wish === "string") {
    world.warn(`${wish}; see spawn --help`);
    return 2;
  }
  try {
    const result = await spawn(wish, world);
    if (wish.json) world.say(JSON.stringify(result, null, 2));
    else if (result.problem === "") tell(result, wish, world);
    if (result.problem !== "") world.warn(result.problem);
    return result.problem === "" ? 0 : 1;
  } catch (error) {
    world.warn(`Cannot start ${wish.agentId}: ${messageOf(error)}`);
    return 1;
  }
}

/** What is asked for, or what is wrong with the asking. */
function wishFrom(args: string[], world: World): Wish | string {
  let unknown = "";
  const options = parseArgs(args, {
    boolean: ["attach-hint", "dry-run", "json"],
    string: ["_", "system-prompt", "timeout"],
    negatable: ["attach-hint"],
    default: { "attach-hint": true, timeout: "60" },
    unknown: (arg, key) => {
      if (key === undefined) return true;
      unknown ||= arg;
      return false;
    },
  });
  if (unknown !== "") return `There is no option ${unknown}`;
  const [agentId = "", folder = "", ...words] = options._.map(String);
  if (agentId === "" || folder === "") return "An agent and a folder are needed";
  const seconds = Number(options.timeout);
  if (!(seconds > 0)) return `--timeout takes seconds, not ${options.timeout}`;
  const prompt = options["system-prompt"];
  return {
    agentId,
    dir: absolute(folder, world.cwd()),
    first: words.length === 0 ? undefined : words.join(" "),
    systemPrompt: typeof prompt === "string" ? textOrFile(prompt, world.cwd()) : undefined,
    attachHint: options["attach-hint"] === true,
    timeoutMs: seconds * 1000,
    dryRun: options["dry-run"] === true,
    json: options.json === true,
  };
}

async function spawn(wish: Wish, world: World): Promise<Result> {
  const { paths } = world;
  const known = agentIn(world, wish.agentId);
  const command = launchCommand(world, known.agent ?? { claude_launch_command: "" });
  const refused = whyNoLaunch(world.env, wish.dir, command);
  if (refused !== undefined) throw new Error(refused);
  if (findProgram(world.env, "GSD_TMUX", "tmux") === undefined) {
    throw new Error(missingProgram(world.env, "GSD_TMUX", "tmux"));
  }
  const tmux = tmuxFrom(world.env, { env: world.environment(), timeoutMs: 10_000 });
  const marked = await whyMarked(tmux, world.env("OPENCLAW_SHELL"));
  if (marked !== undefined) throw new Error(marked);

  const base = known.agent?.tmux_session_name || defaultSessionName(wish.agentId);
  const others = known.registry?.agents.filter((agent) => agent.agent_id !== wish.agentId) ?? [];
  const taken = new Set(others.map((agent) => agent.tmux_session_name));
  const choice = chooseSession(base, await sessionNames(tmux), taken);
  if (choice.kind === "refused") throw new Error(choice.reason);
  const first = wish.first ??
    chooseFirstCommand(folderFacts(wish.dir), installedGsd(wish.dir, paths.claudeConfig));
  const result: Result = {
    agent_id: wish.agentId,
    session: choice.name,
    registered: known.agent === undefined,
    state: "planned",
    pane: "",
    claude_session_id: crypto.randomUUID(),
    first_command: first,
    problem: "",
  };
  if (wish.dryRun) return result;

  const agent = await reachable(registered(wish, world, base), world);
  const launch = prepareLaunch(world, {
    agent,
    session: choice.name,
    dir: wish.dir,
    command,
    prompt: wish.systemPrompt ?? agent.system_prompt,
    claudeSessionId: result.claude_session_id,
  });
  const conversation = { kind: "new", id: result.claude_session_id } as const;
  const started = await launchInto(tmux, paths, launch, conversation, { kind: "new_session" });
  if (started.kind === "failed") throw new Error(started.reason);
  record(paths, {
    kind: "session",
    session: choice.name,
    agent_id: agent.agent_id,
    reason: "spawned",
  });
  return await begin(tmux, { ...result, pane: started.stdout }, wish, world);
}

/** From a started program to an answered first command. */
async function begin(tmux: Tmux, result: Result, wish: Wish, world: World): Promise<Result> {
  const arrival = await awaitReady(tmux, result.pane, result.session, {
    timeoutMs: wish.timeoutMs,
    progress: world.warn,
  });
  const look = `look at it with: tmux attach -t ${shellQuote(`=${result.session}`)}`;
  if (arrival.kind === "failed") {
    const lines = arrival.screen.split("\n").filter((line) => line.trim() !== "").slice(-8);
    const shown = lines.length === 0 ? "" : `\nIts screen:\n${lines.join("\n")}`;
    const problem = `Session ${result.session} was started, but ${arrival.reason}; ${look}${shown}`;
    return { ...result, state: "failed", problem };
  }
  if (arrival.kind === "dialog") {
    const left = result.first_command === ""
      ? ""
      : `; the first command was not sent: ${result.first_command}`;
    const problem = `Session ${result.session} waits: ${
      dialogHelp(arrival.dialog)
    }; ${look}${left}`;
    return { ...result, state: "dialog", problem };
  }
  if (result.first_command === "") return { ...result, state: "ready" };
  const sent = await sendPrompt(world, result, result.first_command);
  return sent.kind === "sent" ? { ...result, state: "ready" } : {
    ...result,
    state: "ready",
    problem:
      `Session ${result.session} is ready, but its first command was not sent: ${sent.reason}`,
  };
}

function tell(result: Result, wish: Wish, world: World): void {
  const verb = wish.dryRun ? "Would start" : "Started";
  world.say(`${verb} ${result.session} for ${result.agent_id} in ${wish.dir}`);
  if (result.registered) {
    const when = wish.dryRun ? "would be added" : "was added";
    world.say(`The agent ${when} to ${world.paths.registry}`);
  }
  if (result.first_command !== "") world.say(`First command: ${result.first_command}`);
  const agent = wish.dryRun ? undefined : agentIn(world, wish.agentId).agent;
  const mute = agent === undefined ? undefined : whyUnreachable(agent);
  if (mute !== undefined) world.warn(`${result.agent_id} cannot be woken: ${mute}; run sync`);
  if (wish.dryRun) {
    world.say(`Its launch would be kept in ${launchFiles(world.paths, result.session).record}`);
  } else if (wish.attachHint) world.say(`Look: tmux attach -t ${shellQuote(`=${result.session}`)}`);
}

/** The agent as the registry has it; a registry that cannot be used is refused by name. */
function agentIn(world: World, agentId: string): { registry?: Registry; agent?: Agent } {
  const text = readTextIfThere(world.paths.registry);
  if (text === undefined) return {};
  refuseBroken(world.paths.registry, text, "it was left untouched");
  const reading = readRegistry(text);
  if (reading.kind === "broken") throw new Error(reading.reason);
  const agent = reading.registry.agents.find((candidate) => candidate.agent_id === agentId);
  return { registry: reading.registry, ...(agent === undefined ? {} : { agent }) };
}

/** Adds the agent, or fills what its entry lacks to be found by its session. */
function registered(wish: Wish, world: World, base: string): Agent {
  const { agent } = agentIn(world, wish.agentId);
  const fields = agent === undefined
    ? {
      enabled: true,
      auto_wake: true,
      working_directory: wish.dir,
      tmux_session_name: base,
      claude_launch_command: launchCommand(world, { claude_launch_command: "" }),
      ...(wish.systemPrompt === undefined ? {} : { system_prompt: wish.systemPrompt }),
    }
    : {
      ...(agent.tmux_session_name === "" ? { tmux_session_name: base } : {}),
      ...(agent.working_directory === "" ? { working_directory: wish.dir } : {}),
    };
  upsertAgent(world.paths.registry, { agent_id: wish.agentId, ...fields });
  return agentIn(world, wish.agentId).agent!;
}

/** Asks OpenClaw which session a new agent has, so that its first turn already wakes it. */
async function reachable(agent: Agent, world: World): Promise<Agent> {
  if (whyUnreachable(agent) === undefined) return agent;
  world.warn(`Asking OpenClaw for the session of ${agent.agent_id}`);
  try {
    await syncRegistry(world, false);
  } catch (error) {
    world.warn(`OpenClaw could not be asked: ${messageOf(error)}`);
  }
  return agentIn(world, agent.agent_id).agent ?? agent;
}

function textOrFile(value: string, cwd: string): string {
  if (value.includes("\n") || value.length > 4000) return value;
  try {
    return Deno.readTextFileSync(absolute(value, cwd));
  } catch {
    return value;
  }
}

function absolute(path: string, cwd: string): string {
  const whole = path.startsWith("/") ? path : `${cwd}/${path}`;
  return new URL(`file://${whole.split("/").map(encodeURIComponent).join("/")}`).pathname
    .split("/").map(decodeURIComponent).join("/").replace(/(.)\/+$/, "$1");
}

if (import.meta.main) Deno.exit(await main(Deno.args, realWorld()));
