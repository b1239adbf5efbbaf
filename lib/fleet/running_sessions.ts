/** The sessions in which Claude Code runs, of one agent or of all. */

import { noRegistry } from "../cli/no_registry.ts";
import { nearest } from "../cli/nearest.ts";
import { FleetReader, type FleetWorld } from "./fleet_reader.ts";

export interface RunningSession {
  session: string;
  agent_id: string;
  /** The socket of its tmux server, where that is known. */
  socket?: string;
}

/** Throws for an agent that the registry does not have. */
export async function runningSessions(
  world: FleetWorld,
  agentId?: string,
): Promise<RunningSession[]> {
  const reader = new FleetReader(world);
  const { sessions, problems } = await reader.read();
  if (reader.registry === undefined && problems.length > 0) throw new Error(problems[0]);
  const ids = reader.registry?.agents.map(({ agent_id }) => agent_id) ?? [];
  if (agentId !== undefined && !ids.includes(agentId)) {
    if (reader.registry === undefined) throw new Error(noRegistry(world.paths));
    const near = nearest(agentId, ids);
    const meant = near === undefined ? "" : `; did you mean ${near}?`;
    throw new Error(`the registry ${world.paths.registry} has no agent "${agentId}"${meant}`);
  }
  return sessions.filter(({ holds }) => holds === "alive").flatMap((seen) => {
    const { session, renamedTo, socket, agent: { agent_id } = { agent_id: "" } } = seen;
    // In a tmux server that we do not know nothing can be typed.
    const isMeant = agent_id === (agentId ?? agent_id) && agent_id !== "" && renamedTo !== "";
    return isMeant ? [{ session: renamedTo ?? session, agent_id, socket }] : [];
  });
}
