/** An agent's sessions: those that run, and those that were started once. */

import { commandOf } from "./agent_launch.ts";
import { comesBack, type SeenSession } from "./comeback.ts";
import { lastSign, memorySince } from "./conversations.ts";
import type { Launch } from "./launch.ts";
import { launchesOf } from "./launch_files.ts";
import { ownerOf } from "../owners.ts";
import type { Agent, Registry } from "../registry.ts";
import type { SessionMemory } from "../session_memory.ts";
import { isOwn, sessionNameOf } from "./session_names.ts";
import { type SessionState, stateOfSession } from "./session_state.ts";
import { type SeenServer, seeServer } from "./tmux_servers.ts";
import type { World } from "../cli/world.ts";

export interface AgentSession extends SeenSession {
  server: SeenServer;
  pane: string;
  launch: Launch | undefined;
}

export interface AgentSessions {
  /** The latest first. */
  sessions: AgentSession[];
  /** The tmux server in reach, then those of the launches. */
  servers: SeenServer[];
  /** The names of all sessions on these servers. */
  names: Set<string>;
}

/** Each launch is searched on its own tmux server, other sessions on all of these servers. */
export async function sessionsOf(
  world: World,
  registry: Registry,
  agent: Agent,
): Promise<AgentSessions> {
  const launches = launchesOf(world.paths, agent.agent_id)
    .sort((a, b) => lastSign(world.paths, a) < lastSign(world.paths, b) ? 1 : -1);
  const inReach = await seeServer(world);
  const bySocket = new Map([["", inReach], [inReach.socket ?? "", inReach]]);
  for (const { tmux_socket: socket = "" } of launches) {
    if (!bySocket.has(socket)) bySocket.set(socket, await seeServer(world, socket));
  }
  const servers = [...new Set(bySocket.values())];

  const look = async (session: string, server: SeenServer, launch?: Launch) => {
    const found: SessionState = server.sessions.has(session)
      ? await stateOfSession(server.tmux, session, commandOf(world, agent, launch))
      : { kind: "gone" };
    const memory = launch && memorySince(world.paths, session, launch);
    return {
      session,
      server,
      launch,
      state: found.kind,
      pane: "pane" in found ? found.pane : "",
      isServerThere: server.run !== undefined &&
        [undefined, server.run].includes(launch?.tmux_server),
      ended: memory?.ended ?? "",
      endedAt: memory?.updated_at ?? launch?.stopped_at ?? "",
      isUnfinished: launch?.recovery !== undefined,
      isStopped: launch !== undefined && isStopped(launch, memory),
    };
  };
  const sessions: AgentSession[] = [];
  for (const launch of launches) {
    const server = bySocket.get(launch.tmux_socket ?? "")!;
    sessions.push(await look(launch.session, server, launch));
  }
  for (const server of servers) {
    for (const session of server.sessions) {
      if (sessions.some((one) => one.server === server && one.session === session)) continue;
      if (!isOwn(registry, agent, session, ownerOf(world.paths, session))) continue;
      // A shell under the agent's name may be anybody's: only a running Claude Code counts.
      const one = await look(session, server);
      if (one.state === "alive") sessions.push(one);
    }
  }
  if (sessions.length === 0) sessions.push(await look(sessionNameOf(agent), inReach));
  return { sessions, servers, names: new Set(servers.flatMap(({ sessions }) => [...sessions])) };
}

/** A Claude Code that was started there by hand since has no end yet: it is not the stopped one. */
export function isStopped(
  { stopped_at }: Launch,
  memory: SessionMemory | undefined,
): boolean {
  if (stopped_at === undefined || memory === undefined) return stopped_at !== undefined;
  return memory.ended !== "" || memory.updated_at < stopped_at;
}

/** The names that a new session cannot have: they run, or a recovery will bring them back. */
export async function namesKept(
  world: World,
  registry: Registry,
  agent: Agent,
): Promise<Set<string>> {
  const { sessions, names } = await sessionsOf(world, registry, agent);
  for (const one of sessions) {
    if (one.launch !== undefined && (one.isStopped || comesBack(one, false))) {
      names.add(one.session);
    }
  }
  return names;
}
