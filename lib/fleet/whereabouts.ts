/** On which tmux server a session is and what it holds, also where it has moved or got another name. */

import type { World } from "../cli/world.ts";
import { hasMoved } from "../known_sessions.ts";
import type { Agent, Registry } from "../registry.ts";
import { launchCommandOf } from "../sessions/agent_launch.ts";
import type { Launch } from "../sessions/launch.ts";
import { isOfServer, paneEnv } from "../sessions/tmux_servers.ts";
import { type ClaudeEntry, runs, socketOf } from "./claude_entries.ts";
import type { ClaudeFinder, Held } from "./claude_finder.ts";
import type { FleetServer } from "./fleet_panes.ts";
import type { SessionObservation } from "./observation.ts";
import { agentOfSession, definedOnly } from "./session_files.ts";

/**
 * On the server of its launch; on another one only where its Claude Code has moved there, or where
 * its name is the agent's: as hooks have it.
 */
export async function whereIs(
  { session, agent, launch, registry, entries }: {
    session: string;
    agent: Agent | undefined;
    launch: Launch | undefined;
    registry: Registry | undefined;
    entries: Map<number, ClaudeEntry>;
  },
  servers: FleetServer[],
  finder: ClaudeFinder,
  world: Pick<World, "env" | "now" | "paths">,
): Promise<[FleetServer | undefined, Held]> {
  const having = servers.filter(({ panes }) => panes.some((pane) => pane.session === session));
  const own = having.find(({ socket }) => isOfServer(launch, socket));
  for (const server of own === undefined ? having : [own]) {
    if (agent === undefined) return [server, { kind: "gone" }];
    const command = launchCommandOf(world, agent, launch);
    const of = { now: world.now().getTime(), stamp: launch?.started_at ?? "" };
    const held = await finder.find(server, session, command, entries, of);
    const pane = server.panes.find((one) => one.pane === held.pane);
    const claudeId = held.entry?.sessionId ?? "";
    const running = { claudeId, env: paneEnv(pane?.variable, pane?.pane) };
    const isIts = () =>
      agentOfSession(registry, session, undefined) === agent ||
      hasMoved(world.paths, session, launch?.claude_session_id, running);
    if (server === own || held.kind === "alive" && isIts()) return [server, held];
  }
  return [undefined, { kind: "gone" }];
}

/** The socket of another server than that of its launch, on which it runs on. */
export function movedTo(
  launch: Launch | undefined,
  holds: Held["kind"],
  socket: string | undefined,
): string | undefined {
  return holds === "alive" && !isOfServer(launch, socket) ? socket : undefined;
}

export interface Whereabouts {
  followed: SessionObservation[];
  elsewhere: SessionObservation[];
  strays: string[];
}

/**
 * A session that is gone may run under another name, or in a server that we do not know.
 * `elsewhere`: its conversation goes on in another of the sessions. `strays`: sockets of tmux
 * servers that were not looked at yet.
 */
export async function findMoved(
  sessions: SessionObservation[],
  servers: FleetServer[],
  entries: Map<number, ClaudeEntry>,
  agentOf: (session: string) => Agent | undefined,
  finder: ClaudeFinder,
): Promise<Whereabouts> {
  const found = new Set(sessions.map(({ entry }) => entry?.pid));
  const followed: SessionObservation[] = [];
  const elsewhere: SessionObservation[] = [];
  const strays: string[] = [];
  for (const seen of sessions) {
    const id = seen.memory?.claude_session_id || seen.launch?.claude_session_id || "";
    // A person who left the session may continue its conversation elsewhere.
    const isOver = (seen.memory?.ended ?? "") !== "";
    const ofIt = id === "" || isOver || seen.holds === "alive"
      ? []
      : Array.from(entries.values()).filter((entry) => entry.sessionId === id);
    const living = ofIt.find(runs);
    if (living === undefined) {
      followed.push({ ...seen, ...definedOnly({ entry: ofIt.at(-1) }) });
      continue;
    }
    const pane = await finder.paneOf(living.pid, servers);
    const stray = pane === undefined ? socketOf(living.pid) : undefined;
    if (stray !== undefined) strays.push(stray);
    const isListed = pane !== undefined && agentOf(pane.session) !== undefined;
    if (isListed || found.has(living.pid)) elsewhere.push(seen);
    else {
      followed.push({
        ...seen,
        holds: "alive",
        entry: living,
        // Only a tmux that answers can say that it is in no pane.
        ...(pane === undefined && seen.isUnseen ? {} : { renamedTo: pane?.session ?? "" }),
        ...definedOnly({ pane: pane?.pane, socket: pane?.socket }),
      });
    }
  }
  return { followed, elsewhere, strays };
}
