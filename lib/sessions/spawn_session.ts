/** Starts a new session for an agent: checks, registers, launches, waits for its prompt. */

import { asLaunched, launchCommand, whyNoLaunch } from "./agent_launch.ts";
import { comesBack, isStopped } from "./comeback.ts";
import { choosesConversation } from "../doors/command_words.ts";
import { chooseFirstCommand, folderFacts, installedGsd } from "./first_command.ts";
import { missingProgram } from "../install/installation.ts";
import { record } from "../journal.ts";
import { type Launch, memorySince, whyTooLong } from "./launch.ts";
import { allLaunches } from "./launch_files.ts";
import { launchingAlone } from "./launch_lock.ts";
import type { Dialog } from "../pane.ts";
import { messageOf } from "../process.ts";
import { conversationOpened, whoHolds, whyOpen } from "./conversations.ts";
import { findProgram } from "../doors/programs.ts";
import { readMemory } from "../session_memory.ts";
import {
  chooseSession,
  namesOfOthers,
  sessionNameOf,
  whyNotFree,
  withEarlierNames,
} from "./session_names.ts";
import { maskScreen, shellQuote } from "../text.ts";
import {
  agentIn,
  type AgentWish,
  openclawSessions,
  registered,
  whyUnknown,
} from "./spawn_agent.ts";
import { awaitReady, dialogHelp, startClaude, whyRefused } from "./start_claude.ts";
import { driverWords, isSameRun, seeServer, serverAt, type TmuxServer } from "./tmux_servers.ts";
import { whyMarked } from "../doors/tmux_sessions.ts";
import type { World } from "../cli/world.ts";

export interface SpawnWish extends AgentWish {
  /** The session's name; undefined: the agent's, with a number where that is taken. */
  name: string | undefined;
  first: string | undefined;
  timeoutMs: number;
  dryRun: boolean;
}

export interface SpawnResult {
  agent_id: string;
  session: string;
  registered: boolean;
  state: "planned" | "ready" | "dialog" | "failed";
  pane: string;
  claude_session_id: string;
  first_command: string;
  problem: string;
}

export async function spawnSession(wish: SpawnWish, world: World): Promise<SpawnResult> {
  const { paths } = world;
  const known = agentIn(world, wish.agentId);
  const command = launchCommand(world, known.agent ?? { claude_launch_command: "" });
  const refused = whyNoLaunch(world.env, wish.dir, command) ?? whyTooLong(wish.first ?? "");
  if (refused !== undefined) throw new Error(refused);
  if (findProgram(world.env, "GSD_TMUX", "tmux") === undefined) {
    throw new Error(missingProgram(world.env, "GSD_TMUX", "tmux"));
  }
  const server = serverAt(world);
  const marked = await whyMarked(server.tmux, world.env("OPENCLAW_SHELL"));
  if (marked !== undefined) throw new Error(marked);

  if (known.agent === undefined && !wish.isNew) {
    const unknown = await whyUnknown(wish.agentId, known.registry, world);
    if (unknown !== undefined) throw new Error(unknown);
  }

  const base = sessionNameOf(known.agent ?? { agent_id: wish.agentId, tmux_session_name: "" });
  const first = wish.first ??
    chooseFirstCommand(folderFacts(wish.dir), installedGsd(wish.dir, paths.claudeConfig));
  const result: SpawnResult = {
    agent_id: wish.agentId,
    session: base,
    registered: known.agent === undefined,
    state: "planned",
    pane: "",
    claude_session_id: choosesConversation(command) ? "" : crypto.randomUUID(),
    first_command: first,
    problem: "",
  };
  if (wish.dryRun) {
    return { ...result, session: await chooseName(wish, world, command, base) };
  }

  const sessions = await openclawSessions(known, wish.agentId, world);
  // Registered under the lock: a recovery would start an agent that has no session yet.
  const { launch, pane, isNew } = await launchingAlone(world, async () => {
    const session = await chooseName(wish, world, command, base);
    const { agent, isNew } = registered(wish, world, base, sessions);
    try {
      const started = await startClaude(world, server, "new", {
        agent,
        session,
        dir: wish.dir,
        command,
        conversation: { kind: "new", id: result.claude_session_id },
        prompt: wish.systemPrompt ?? agent.system_prompt,
        claudeSessionId: result.claude_session_id,
        first,
        at: {},
      });
      return { ...started, isNew };
    } catch (error) {
      if (!isNew) throw error;
      throw new Error(`${messageOf(error)}; the agent was added to ${paths.registry}`);
    }
  });
  const { session, agent_id } = launch;
  record(paths, { kind: "session", session, agent_id, reason: "spawned" });
  return await begin(server, launch, { ...result, session, pane, registered: isNew }, wish, world);
}

/** The name of the new session; refused where its conversation is open elsewhere. */
async function chooseName(
  wish: SpawnWish,
  world: World,
  command: string,
  base: string,
): Promise<string> {
  const { claudeConfig } = asLaunched(world, undefined, command).paths;
  if (choosesConversation(command)) {
    const opens = conversationOpened({ kind: "chosen" }, { ...wish, command, claudeConfig });
    const holder = await whoHolds(opens, claudeConfig, [], world.warn);
    if (holder !== undefined) throw new Error(whyOpen(opens, holder));
  }
  const taken = await namesInUse(world, wish.agentId);
  const { registry } = agentIn(world, wish.agentId);
  if (wish.name !== undefined) {
    const refused = whyNotFree(wish.name, { ...world, taken, registry, agentId: wish.agentId });
    if (refused !== undefined) throw new Error(refused);
    return wish.name;
  }
  const known = withEarlierNames(world.paths, taken);
  return chooseSession(base, known, namesOfOthers(registry, wish.agentId));
}

/** Sessions that run here, and the agent's own that run elsewhere or will come back. */
async function namesInUse(world: World, agentId: string): Promise<Set<string>> {
  const inReach = await seeServer(world);
  if (inReach.unseen !== undefined) throw new Error(inReach.unseen);
  const servers = new Map([["", inReach], [inReach.socket ?? "", inReach]]);
  const names = new Set(inReach.sessions);
  for (const launch of allLaunches(world.paths)) {
    const { session, tmux_socket: socket = "" } = launch;
    if (launch.moved_to !== undefined) continue;
    // The record of another agent's session is not overwritten.
    if (launch.agent_id !== agentId) names.add(session);
    else {
      const server = servers.get(socket) ?? await seeServer(world, socket);
      servers.set(socket, server);
      for (const name of server.sessions) names.add(name);
      if (server.unseen !== undefined) names.add(session);
      const memory = memorySince(readMemory(world.paths, session), launch);
      const isServerThere = isSameRun(server.run, launch);
      const seen = { session, holds: "gone" as const, isServerThere, launch, memory };
      if (isStopped(seen) || comesBack(seen, false)) names.add(session);
    }
  }
  return names;
}

/** Waits for the prompt, and reports what became of the first command. */
async function begin(
  server: TmuxServer,
  launch: Launch,
  result: SpawnResult,
  wish: SpawnWish,
  world: World,
): Promise<SpawnResult> {
  const { tmux } = server;
  const { session, pane, first_command: first } = result;
  const wait = { timeoutMs: wish.timeoutMs, progress: world.warn };
  const arrival = await awaitReady(tmux, pane, launch, wait);
  const look = `look at it with: tmux attach -t ${shellQuote(`=${session}`)}`;
  if (arrival.kind === "failed") {
    const lines = maskScreen(arrival.screen).split("\n").filter((line) => line.trim() !== "").slice(
      -8,
    );
    const shown = lines.length === 0 ? "" : `\nIts screen:\n${lines.join("\n")}`;
    const kept = arrival.hasFirst ? notAgain(GIVEN, first) : "";
    const problem = `Session ${session} was started, but ${arrival.reason}; ${look}${kept}${shown}`;
    return { ...result, state: "failed", problem };
  }
  if (arrival.kind === "dialog" && !isAsking(arrival.dialog)) {
    const kept = notAgain(isOfStart(arrival.dialog) ? KEPT : PERHAPS_ITS_OWN, first);
    const way = agentsWay(arrival.dialog, launch, world);
    const problem = `Session ${session} waits: ${dialogHelp(arrival.dialog)}; ${look}${way}${kept}`;
    return { ...result, state: "dialog", problem };
  }
  const refused = await whyRefused(tmux, pane, first);
  const problem = refused === undefined
    ? ""
    : `Session ${session} is ready, but its first command failed: ${refused}`;
  return { ...result, state: "ready", problem };
}

const GIVEN =
  "its first command was given at the start, and Claude Code keeps it until it is ready";
const KEPT = "its first command is kept and sent as soon as this is answered";
const PERHAPS_ITS_OWN = "this may be the dialog of its first command itself; if it is not, that " +
  "command is kept until it is answered";

/** Warns against sending the first command twice. */
function notAgain(whereItIs: string, first: string): string {
  return first === "" ? "" : `; ${whereItIs}, so do not send it again: ${first}`;
}

/** Shown before Claude Code comes to its first command. */
function isOfStart({ kind, title }: Dialog): boolean {
  return kind === "trust" || kind === "bypass" || kind === "resume_summary" ||
    title === "Settings Error";
}

/** How an agent with `answer_permissions` says yes itself. */
function agentsWay({ options }: Dialog, launch: Launch, world: World): string {
  const { session, agent_id, tmux_socket } = launch;
  const yes = options.find(({ label }) => /^Yes\b/.test(label));
  if (yes === undefined || !agentIn(world, agent_id).agent?.settings.answer_permissions) return "";
  const words = [...driverWords(world.paths, tmux_socket), session, "choose", String(yes.number)];
  return `, or say yes with: ${words.map(shellQuote).join(" ")}`;
}

/** Asked by the first command, which runs already. */
function isAsking({ kind }: Dialog): boolean {
  return kind === "question" || kind === "permission" || kind === "plan";
}
