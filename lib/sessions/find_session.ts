/** One session by its name: its record, its agent, its tmux server, and what runs in it. */

import { nearest } from "../cli/nearest.ts";
import type { World } from "../cli/world.ts";
import { allProcesses, isClaude, type ProcessInfo, treeBelow } from "../doors/process_tree.ts";
import { panesOf } from "../doors/tmux_sessions.ts";
import { currentName, hasMoved, isKnownName, ownerOf } from "../known_sessions.ts";
import { isShell } from "../doors/command_words.ts";
import type { Paths } from "../paths.ts";
import { type Agent, findAgent, type Registry } from "../registry.ts";
import { readMemory } from "../session_memory.ts";
import { launchCommand, launchCommandOf } from "./agent_launch.ts";
import { listedSessions } from "./conversations.ts";
import { type Launch, memorySince } from "./launch.ts";
import { allLaunches, launchFiles } from "./launch_files.ts";
import { type SessionState, stateOfSession } from "./session_state.ts";
import { registryIn } from "./spawn_agent.ts";
import { isOfServer, paneEnv, type SeenServer, seeServer } from "./tmux_servers.ts";

export interface FoundSession {
  /** The name that it has now. */
  session: string;
  launch: Launch | undefined;
  registry: Registry | undefined;
  agent: Agent | undefined;
  server: SeenServer;
  state: SessionState;
}

/**
 * Looks on the tmux server of its record, and on the one in reach: for a session that has moved, or
 * has its name from the registry; `takesNamesake`: for any of that name. Throws where tmux does not
 * tell: that has not lost its sessions. `needsTmux` is false where its agent alone is asked for.
 */
export async function findSession(
  world: World,
  name: string,
  { needsTmux = true, takesNamesake = false } = {},
): Promise<FoundSession> {
  const inReach = await seeServer(world);
  const session = inReach.sessions.has(name) ? name : currentName(world.paths, name);
  const launch = launchOf(world, session);
  const own = isOfServer(launch, inReach.socket)
    ? inReach
    : await seeServer(world, launch?.tmux_socket);
  const isOwn = own.sessions.has(session);
  const registry = registryIn(world);
  const agentOf = (owner?: string) => {
    const match = registry === undefined ? undefined : findAgent(registry, session, owner);
    return match?.kind === "agent" ? match.agent : undefined;
  };
  const agent = agentOf(ownerOf(world.paths, session));
  const isIts = async () =>
    takesNamesake || agent !== undefined && agentOf() === agent ||
    needsTmux && await runsOn(inReach, session, launch!, world.paths);
  const isThere = !isOwn && inReach.sessions.has(session) && await isIts();
  const server = isThere ? inReach : own;
  const command = agent === undefined
    ? launch?.command ?? launchCommand(world, { claude_launch_command: "" })
    : launchCommandOf(world, agent, launch);
  const unseen = own.unseen ?? (isOwn ? undefined : inReach.unseen);
  const look = async (): Promise<SessionState> => {
    if (unseen !== undefined) throw new Error(unseen);
    if (!server.sessions.has(session)) return { kind: "gone" };
    return await stateOfSession(server.tmux, session, command);
  };
  const state = await look().catch((error): SessionState => {
    if (needsTmux) throw error;
    return { kind: "gone" };
  });
  return { session, launch, registry, agent, server, state };
}

/** On another tmux server than that of its launch. */
async function runsOn(
  { tmux, socket, run }: SeenServer,
  session: string,
  { claude_session_id, env }: Launch,
  paths: Paths,
): Promise<boolean> {
  const processes = await allProcesses();
  const config = env.CLAUDE_CONFIG_DIR ?? paths.claudeConfig;
  const listed = listedSessions(`${config}/sessions`, processes);
  return (await panesOf(tmux, session)).some(({ pane, pid }) => {
    const process = claudeAmong(treeBelow(processes, pid), listed);
    if (process === undefined) return false;
    const variable = `${socket},${run?.replace(/-.*/, "")},0`;
    const claudeId = asRunning(process, pane, listed).claudeSessionId;
    const running = { claudeId, env: paneEnv(variable, pane) };
    return hasMoved(paths, session, claude_session_id, running);
  });
}

export function launchOf({ paths }: World, session: string): Launch | undefined {
  return allLaunches(paths).find((launch) =>
    launch.session === session && launch.moved_to === undefined
  );
}

/** Why a session without an agent is refused; undefined where it has one. */
export function whyNotOurs(world: World, found: FoundSession): string | undefined {
  const { session, launch, agent } = found;
  if (launch !== undefined || agent !== undefined || isKnownName(world.paths, session)) {
    return undefined;
  }
  const ours = allLaunches(world.paths).filter(({ moved_to }) => moved_to === undefined)
    .map((one) => one.session);
  const near = nearest(session, ours);
  const meant = near === undefined ? "" : `; did you mean ${near}?`;
  return found.state.kind === "gone"
    ? `there is no session "${session}"${meant}`
    : `the tmux session "${session}" has no agent${meant || "; gsd-code adopt gives it one"}`;
}

/** The process of Claude Code in a session, and its entry in Claude Code's own list. */
export interface RunningClaude {
  process: ProcessInfo;
  pane: string;
  /** "" where the list does not have it. */
  claudeSessionId: string;
}

/** Throws where several panes run Claude Code, and nothing says which one is the session's own. */
export async function claudeIn(
  { server: { tmux }, session, state, launch }: FoundSession,
  paths: Paths,
): Promise<RunningClaude | undefined> {
  const processes = await allProcesses();
  const trees = (await panesOf(tmux, session)).filter(({ dead }) => !dead)
    .map(({ pane, pid }) => ({ pane, tree: treeBelow(processes, pid) }));
  const listed = listedSessions(`${paths.claudeConfig}/sessions`, processes);
  const { script } = launchFiles(paths, session);
  const started = trees.find(({ tree }) => tree[0]?.args[1] === script);
  if (started !== undefined) {
    // Its own pane, whatever runs in others. Right after its start only the script may run there.
    const process = claudeAmong(started.tree, listed) ?? otherProgram(started.tree);
    return process && asRunning(process, started.pane, listed);
  }
  const running = trees.flatMap(({ pane, tree }) => {
    const process = claudeAmong(tree, listed);
    return process === undefined ? [] : [asRunning(process, pane, listed)];
  });
  if (running.length === 0) {
    const shown = trees.find(({ pane }) => "pane" in state && pane === state.pane);
    const process = shown && otherProgram(shown.tree);
    return process && asRunning(process, shown.pane, listed);
  }
  if (running.length === 1) return running[0];
  const memory = memorySince(readMemory(paths, session), launch);
  const ids = [launch?.claude_session_id, memory?.claude_session_id].filter((id) => !!id);
  // The memory comes last: it has the one that spoke last, which may be a person's.
  const own = ids.map((id) => running.find((one) => one.claudeSessionId === id)).find((one) => one);
  if (own !== undefined) return own;
  const panes = running.map(({ pane }) => pane).join(", ");
  throw new Error(
    `several panes of it run Claude Code (${panes}), and none is known to be its own; end the others first`,
  );
}

/** The one of Claude Code's own list; it is not there while it starts, or with another folder. */
function claudeAmong(
  tree: ProcessInfo[],
  listed: Map<number, unknown>,
): ProcessInfo | undefined {
  return tree.find(({ pid }) => listed.has(pid)) ?? tree.find((process) => isClaude(process));
}

/** A launch command of another name: what runs before the shell or script of the pane. */
function otherProgram(tree: ProcessInfo[]): ProcessInfo | undefined {
  return tree.find(({ foreground, args }, at) =>
    foreground && !(at === 0 && isShell(args[0] ?? ""))
  );
}

function asRunning(
  process: ProcessInfo,
  pane: string,
  listed: Map<number, unknown>,
): RunningClaude {
  const id = listed.get(process.pid);
  return { process, pane, claudeSessionId: typeof id === "string" ? id : "" };
}
