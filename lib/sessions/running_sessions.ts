/** The sessions in which Claude Code runs, of one agent or of all. */

import type { World } from "../cli/world.ts";
import { nearest } from "../cli/nearest.ts";
import { sessionsOf } from "./agent_sessions.ts";
import { withNames } from "./session_names.ts";
import { registryIn } from "./spawn_agent.ts";

export interface RunningSession {
  session: string;
  agent_id: string;
  /** The socket of its tmux server, where that is known. */
  socket?: string;
}

/** Throws for an agent that the registry does not have. */
export async function runningSessions(world: World, agentId?: string): Promise<RunningSession[]> {
  const registry = registryIn(world);
  const ids = registry?.agents.map(({ agent_id }) => agent_id) ?? [];
  if (agentId !== undefined && !ids.includes(agentId)) {
    const near = nearest(agentId, ids);
    const meant = near === undefined ? "" : `; did you mean ${near}?`;
    throw new Error(`the registry ${world.paths.registry} has no agent "${agentId}"${meant}`);
  }
  const found = new Map<string, RunningSession>();
  for (const agent of registry?.agents ?? []) {
    const isMeant = agent.enabled && !agent.unusable;
    if (!isMeant || (agentId !== undefined && agent.agent_id !== agentId)) continue;
    const { sessions } = await sessionsOf(world, withNames(registry!, new Set([agent])), agent);
    for (const { session, server: { socket }, state } of sessions) {
      if (state !== "alive") continue;
      const about = { session, agent_id: agent.agent_id };
      const place = socket === undefined ? {} : { socket };
      found.set(`${socket} ${session}`, { ...about, ...place });
    }
  }
  return [...found.values()];
}
