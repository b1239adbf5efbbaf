/** The agent of a new session: found in the registry, or added to it. */

import { launchCommand } from "./agent_launch.ts";
import { nearest } from "../cli/nearest.ts";
import { readTextIfThere } from "../files.ts";
import { messageOf } from "../process.ts";
import {
  type AgentListing,
  listOpenClawAgents,
  listOpenClawSessions,
  type OpenClawSession,
} from "./openclaw_sessions.ts";
import { type Agent, readRegistry, type Registry, whyUnreachable } from "../registry.ts";
import { editRegistry, refuseBroken, upsertAgent } from "../registry/registry_file.ts";
import { isNameless } from "./session_names.ts";
import { planSync } from "./sync_registry.ts";
import type { World } from "../cli/world.ts";

export interface AgentWish {
  agentId: string;
  dir: string;
  systemPrompt: string | undefined;
  /** Add it also where OpenClaw does not have it. */
  isNew: boolean;
}

/** The registry and the agent in it; throws for a broken registry. */
export function agentIn(world: World, agentId: string): { registry?: Registry; agent?: Agent } {
  const registry = registryIn(world);
  const agent = registry?.agents.find((candidate) => candidate.agent_id === agentId);
  return {
    ...(registry === undefined ? {} : { registry }),
    ...(agent === undefined ? {} : { agent }),
  };
}

/** The registry, where there is one; throws for a broken one. */
export function registryIn(world: World): Registry | undefined {
  const text = readTextIfThere(world.paths.registry);
  if (text === undefined) return undefined;
  refuseBroken(world.paths.registry, text, "it was left untouched");
  const reading = readRegistry(text);
  if (reading.kind === "broken") throw new Error(reading.reason);
  return reading.registry;
}

/**
 * Why a new agent is refused: one that OpenClaw does not have would never be woken. Where OpenClaw
 * cannot be asked, only a name that resembles one of the registry is refused.
 */
export async function whyUnknown(
  agentId: string,
  registry: Registry | undefined,
  world: World,
): Promise<string | undefined> {
  const ours = registry?.agents.map((agent) => agent.agent_id) ?? [];
  const listing = registry?.transport === "inbox"
    ? { kind: "unknown" as const, reason: "" }
    : await agentsOfOpenClaw(agentId, world);
  const theirs = listing.kind === "agents" ? listing.ids : [];
  if (theirs.includes(agentId)) return undefined;
  const near = nearest(agentId, [...ours, ...theirs]);
  if (listing.kind === "unknown" && near === undefined) return undefined;
  const none = listing.kind === "agents"
    ? "neither the registry nor OpenClaw has an agent"
    : "the registry has no agent";
  const meant = near === undefined ? "" : `did you mean ${near}? `;
  return `${none} "${agentId}"; ${meant}--new adds it nevertheless`;
}

async function agentsOfOpenClaw(agentId: string, world: World): Promise<AgentListing> {
  world.warn(`Asking OpenClaw whether it has an agent ${agentId}`);
  const listing = await listOpenClawAgents(world);
  if (listing.kind === "unknown") world.warn(`OpenClaw could not be asked: ${listing.reason}`);
  return listing;
}

/** Adds the agent, or the fields of its entry that hooks need to find it. */
export function registered(
  wish: AgentWish,
  world: World,
  base: string,
  sessions: OpenClawSession[],
): { agent: Agent; isNew: boolean } {
  const { registry: path } = world.paths;
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
      ...(isNameless(agent) ? { tmux_session_name: base } : {}),
      ...(agent.working_directory === "" ? { working_directory: wish.dir } : {}),
    };
  upsertAgent(path, { agent_id: wish.agentId, ...fields });
  if (sessions.length > 0) {
    editRegistry(path, (registry) => {
      const at = registry.agents.findIndex(({ agent_id }) => agent_id === wish.agentId);
      const { changes } = planSync(registry, sessions);
      return changes.filter(({ path }) => path[0] === "agents" && path[1] === at);
    });
  }
  return { agent: agentIn(world, wish.agentId).agent!, isNew: agent === undefined };
}

/** OpenClaw's sessions, so that the first turn of a new agent already wakes it. */
export async function openclawSessions(
  { registry, agent }: ReturnType<typeof agentIn>,
  agentId: string,
  world: World,
): Promise<OpenClawSession[]> {
  const isReachable = agent === undefined
    ? registry?.transport === "inbox"
    : whyUnreachable(agent) === undefined;
  if (isReachable) return [];
  world.warn(`Asking OpenClaw for the session of ${agentId}`);
  try {
    const listing = await listOpenClawSessions(world);
    if (listing.kind === "sessions") return listing.sessions;
    throw new Error(listing.reason);
  } catch (error) {
    world.warn(`OpenClaw could not be asked: ${messageOf(error)}`);
    return [];
  }
}
