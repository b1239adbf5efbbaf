/** An agent's sessions: those that run, and those that were started once. */

import { commandOf } from "./agent_launch.ts";
import { comesBack, type SeenSession } from "./comeback.ts";
import { lastSign, memorySince } from "./conversations.ts";
import type { Launch } from "./launch.ts";
import { launchesOf } from "./launch_files.ts";
import type { Agent, Registry } from "../registry.ts";
import { isOwn, sessionNameOf } from "./session_names.ts";
import { type SessionState, stateOfSession } from "./session_state.ts";
import { type SeenServer, seeServer } from "./tmux_servers.ts";
import type { World } from "../cli/world.ts";

export interface AgentSession extends SeenSession {
  server: SeenServer;
  pane: string;
  launch: Launch | undefined;
  /** The agent's name has changed since: it comes back under a free one. */
  needsName: boolean;
}

export interface AgentSessions {
  /** The latest first. */
  sessions: AgentSession[];
  /** The tmux server in reach, then those of the launches. */
  servers: SeenServer[];
  /** The names of all sessions on these servers. */
  running: Set<string>;
}

/** Every launch is looked for on its own tmux server; other sessions on the servers seen so. */
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
  const sessions: AgentSession[] = [];
  const serverOf = (launch?: Launch) => bySocket.get(launch?.tmux_socket ?? "")!;
  const add = async (session: string, launch: Launch | undefined) => {
    const server = serverOf(launch);
    const isThere = server.facts?.sessions.has(session);
    const command = commandOf(world, agent, launch);
    const state = isThere ? await stateOfSession(server.tmux, session, command) : GONE;
    sessions.push(sessionFrom(world, session, server, state, launch));
  };

  const own = launches.filter(({ session }) => isOwn(registry, agent, session));
  for (const launch of own) await add(launch.session, launch);
  for (const server of servers) {
    for (const session of server.facts?.sessions ?? []) {
      if (!isOwn(registry, agent, session)) continue;
      if (sessions.some((one) => one.server === server && one.session === session)) continue;
      const command = commandOf(world, agent, own.find((one) => one.session === session));
      const state = await stateOfSession(server.tmux, session, command);
      // A shell under the agent's name may be anybody's: only a living Claude Code counts.
      if (state.kind === "alive") sessions.push(sessionFrom(world, session, server, state));
    }
  }
  const renamed = launches.filter((launch) => !own.includes(launch));
  const name = sessionNameOf(agent);
  // Never started, or renamed in the registry since: it gets the name that the registry has now.
  if (sessions.length === 0) await add(name, renamed.shift());
  for (const launch of renamed) {
    const server = serverOf(launch);
    if (server.facts?.sessions.has(launch.session)) continue; // no longer the agent's
    sessions.push({ ...sessionFrom(world, name, server, GONE, launch), needsName: true });
  }
  const running = new Set(servers.flatMap(({ facts }) => [...facts?.sessions ?? []]));
  return { sessions, servers, running };
}

const GONE: SessionState = { kind: "gone" };

function sessionFrom(
  { paths }: World,
  session: string,
  server: SeenServer,
  found: SessionState,
  launch?: Launch,
): AgentSession {
  const memory = launch && memorySince(paths, launch.session, launch);
  const run = server.facts?.server;
  return {
    session,
    server,
    launch,
    needsName: false,
    state: found.kind,
    pane: "pane" in found ? found.pane : "",
    isServerThere: run !== undefined && [undefined, run].includes(launch?.tmux_server),
    ended: memory?.ended ?? "",
    endedAt: memory?.updated_at ?? "",
    isUnfinished: launch?.recovery !== undefined,
  };
}

/** The names that a new session cannot have: they run, or a recovery will bring them back. */
export async function namesKept(
  world: World,
  registry: Registry,
  agent: Agent,
): Promise<Set<string>> {
  const { sessions, running } = await sessionsOf(world, registry, agent);
  for (const { launch, ...seen } of sessions) {
    if (launch !== undefined && comesBack(seen, false)) running.add(launch.session);
  }
  return running;
}
