/** Updates the OpenClaw session of each agent in the registry. */

import { listOpenClawSessions, type OpenClawSession } from "./openclaw_sessions.ts";
import {
  editRegistry,
  fieldChanges,
  fieldName,
  type RegistryChange,
} from "../registry/registry_file.ts";
import type { AgentFile, RegistryFile } from "../registry/registry_schema.ts";
import { shellQuote } from "../text.ts";
import type { World } from "../cli/world.ts";

export interface SyncResult {
  source: string;
  changes: { field: string; agent_id: string; from: string; to: string }[];
  notes: string[];
}

export async function syncRegistry(world: World, dryRun: boolean): Promise<SyncResult> {
  const path = world.paths.registry;
  try {
    Deno.statSync(path);
  } catch {
    throw new Error(`there is no registry at ${path}; spawn makes one`);
  }
  const listing = await listOpenClawSessions(world);
  if (listing.kind === "unknown") throw new Error(listing.reason);
  const result: SyncResult = { source: listing.source, changes: [], notes: [] };
  editRegistry(path, (registry) => {
    const { changes, notes } = planSync(registry, listing.sessions);
    result.notes = notes;
    result.changes = changes.map(({ path: at, value }) => ({
      field: fieldName(at),
      agent_id: at[0] === "agents" ? registry.agents[Number(at[1])]!.agent_id : "",
      from: present(registry, at),
      to: String(value),
    }));
    return changes;
  }, { dryRun });
  return result;
}

function present(registry: RegistryFile, at: (string | number)[]): string {
  const value = at.reduce<unknown>(
    (inside, step) => (inside as Record<string | number, unknown> | undefined)?.[step],
    registry,
  );
  return typeof value === "string" ? value : "";
}

interface SyncPlan {
  changes: RegistryChange[];
  /** For a person: an agent without a session, a key that OpenClaw does not have. */
  notes: string[];
}

export function planSync(registry: RegistryFile, sessions: OpenClawSession[]): SyncPlan {
  const notes: string[] = [];
  const changes: RegistryChange[] = [];
  const { global_status_openclaw_session_key: key, global_status_openclaw_session_id: id } =
    registry;
  if (key || id) {
    const found = known(sessions, key, id);
    if (found === undefined) notes.push(gone("The global status session", key || id!, []));
    else {
      changes.push(...fieldChanges([], registry, {
        global_status_openclaw_session_id: found.id,
        global_status_openclaw_session_key: found.key,
      }));
    }
  }
  registry.agents.forEach((agent, index) => {
    const isInbox = (agent.delivery?.transport ?? registry.delivery?.transport) === "inbox";
    // OpenClaw never wakes these, so that they need no session.
    const isMute = agent.enabled === false || isInbox;
    const found = sessionFor(agent, sessions, isMute ? [] : notes);
    if (found === undefined) return;
    changes.push(...fieldChanges(["agents", index], agent, {
      openclaw_session_id: found.id,
      openclaw_session_key: found.key,
    }));
  });
  return { changes, notes };
}

/** By its key, else by its id; an agent with neither gets its topic's session or its main one. */
function sessionFor(
  agent: AgentFile,
  sessions: OpenClawSession[],
  notes: string[],
): OpenClawSession | undefined {
  const name = `Agent "${agent.agent_id}"`;
  const { openclaw_session_key: key, openclaw_session_id: id } = agent;
  const own = sessions.filter((session) => session.agentId === agent.agent_id);
  if (key || id) {
    const found = known(own, key, id) ?? known(sessions, key, id);
    if (found === undefined) notes.push(gone(name, key || id!, own));
    return found;
  }
  const topic = agent.topic_id === undefined ? "" : `:topic:${agent.topic_id}`;
  const ofTopic = topic === "" ? [] : own.filter((session) => session.key.endsWith(topic));
  if (ofTopic.length > 1) {
    const keys = ofTopic.map((session) => session.key).join(", ");
    notes.push(
      `${name} has several sessions of topic ${agent.topic_id}: ${keys}; write one of ` +
        "them into its openclaw_session_key",
    );
    return undefined;
  }
  const found = ofTopic[0] ??
    own.find((session) => session.key === `agent:${agent.agent_id}:main`);
  if (found === undefined) {
    notes.push(
      `${name} has no session in OpenClaw yet: make one with ` +
        `openclaw agent --agent ${shellQuote(agent.agent_id)} --message hello`,
    );
  }
  return found;
}

function known(
  sessions: OpenClawSession[],
  key: string | undefined,
  id: string | undefined,
): OpenClawSession | undefined {
  return key
    ? sessions.find((session) => session.key === key)
    : sessions.find((session) => session.id === id);
}

function gone(who: string, what: string, own: OpenClawSession[]): string {
  const present = own.map(({ key }) => key).join(", ");
  const instead = present === ""
    ? "correct it in the registry"
    : `it has ${present}: write one of them into the registry, or take this one out and sync again`;
  return `${who} is registered with ${what}, a session that OpenClaw does not have; ${instead}`;
}
