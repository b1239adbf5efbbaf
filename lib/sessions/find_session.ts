/** One session by its name: its record, its agent, its tmux server, and what runs in it. */

import { nearest } from "../cli/nearest.ts";
import type { World } from "../cli/world.ts";
import { allProcesses, isClaude, type ProcessInfo, treeBelow } from "../doors/process_tree.ts";
import { panesOf } from "../doors/tmux_sessions.ts";
import { currentName, isKnownName, ownerOf } from "../known_sessions.ts";
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
import { type SeenServer, seeServer } from "./tmux_servers.ts";

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
 * Looks on the tmux server of its record, and on the one in reach. Throws where tmux does not tell:
 * that has not lost its sessions. `needsTmux` is false where its agent alone is asked for.
 */
export async function findSession(
  world: World,
  name: string,
  { needsTmux = true } = {},
): Promise<FoundSession> {
  const inReach = await seeServer(world);
  const session = inReach.sessions.has(name) ? name : currentName(world.paths, name);
  const launch = launchOf(world, session);
  const socket = launch?.tmux_socket;
  const own = socket === undefined || socket === inReach.socket
    ? inReach
    : await seeServer(world, socket);
  const isOwn = own.sessions.has(session);
  const server = isOwn || !inReach.sessions.has(session) ? own : inReach;
  const registry = registryIn(world);
  const match = registry === undefined
    ? undefined
    : findAgent(registry, session, ownerOf(world.paths, session));
  const agent = match?.kind === "agent" ? match.agent : undefined;
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
  const thoseWith = (isIt: (process: ProcessInfo, at: number) => boolean): RunningClaude[] =>
    trees.flatMap(({ pane, tree }) => {
      const process = tree.find(isIt);
      if (process === undefined) return [];
      const id = listed.get(process.pid);
      return [{ process, pane, claudeSessionId: typeof id === "string" ? id : "" }];
    });
  const known = thoseWith(({ pid }) => listed.has(pid));
  const running = known.length > 0 ? known : thoseWith((process) => isClaude(process));
  if (running.length === 0) {
    // A launch command of another name: what runs before the shell or script of the pane.
    const others = thoseWith((process, at) =>
      process.foreground && !(at === 0 && isShell(process.args[0] ?? ""))
    );
    return others.find(({ pane }) => "pane" in state && pane === state.pane);
  }
  if (running.length === 1) return running[0];
  const { script } = launchFiles(paths, session);
  const started = trees.find(({ tree }) => tree[0]?.args[1] === script)?.pane;
  const memory = memorySince(readMemory(paths, session), launch);
  const ids = [launch?.claude_session_id, memory?.claude_session_id].filter((id) => !!id);
  // The memory comes last: it has the one that spoke last, which may be a person's.
  const own = running.find(({ pane }) => pane === started) ??
    ids.map((id) => running.find((one) => one.claudeSessionId === id)).find((one) => one);
  if (own !== undefined) return own;
  const panes = running.map(({ pane }) => pane).join(", ");
  throw new Error(
    `several panes of it run Claude Code (${panes}), and none is known to be its own; end the others first`,
  );
}
