/** Reads the registry. An error in one entry does not affect the others. */

import { type HookSettings, settingsFrom } from "./hook_settings.ts";
import { isObject, messageOf, parseJsonWithComments } from "./json.ts";

export { DEFAULT_SETTINGS, type HookSettings, LIMITS } from "./hook_settings.ts";

export type Transport = "auto" | "gateway" | "cli" | "inbox";

export interface Agent {
  agent_id: string;
  enabled: boolean;
  auto_wake: boolean;
  /** Whether the watch starts a lost session again; as `auto_wake` where it is not said. */
  auto_recover: boolean;
  tmux_session_name: string;
  openclaw_session_key: string;
  openclaw_session_id: string;
  working_directory: string;
  claude_resume_target: string;
  claude_launch_command: string;
  claude_post_launch_mode: string;
  system_prompt: string;
  settings: HookSettings;
  transport: Transport;
  /** What in its entry is not as it should be; with `unusable` it cannot be woken at all. */
  problems: string[];
  unusable: boolean;
}

export interface Registry {
  global_status_openclaw_session_id: string;
  global_status_openclaw_session_key: string;
  /** How the global status session is reached. */
  transport: Transport;
  agents: Agent[];
  problems: string[];
}

export type RegistryReading =
  | { kind: "registry"; registry: Registry }
  | { kind: "broken"; reason: string };

/**
 * With `sessions`, only the agents that one of these tmux sessions can belong to: by its name, or by
 * its record, which names one of `recorded`.
 */
export function readRegistry(
  text: string,
  sessions?: readonly string[],
  recorded: readonly string[] = [],
): RegistryReading {
  let value: unknown;
  try {
    value = parseJsonWithComments(text);
  } catch (error) {
    return { kind: "broken", reason: `it is not JSON: ${messageOf(error)}` };
  }
  if (!isObject(value)) return { kind: "broken", reason: "it is not a JSON object" };
  if (!Array.isArray(value.agents)) {
    return { kind: "broken", reason: `its field "agents" is not a list` };
  }
  const problems: string[] = [];
  const root = new Fields(value, problems);
  return {
    kind: "registry",
    registry: {
      global_status_openclaw_session_id: root.text("global_status_openclaw_session_id"),
      global_status_openclaw_session_key: root.text("global_status_openclaw_session_key"),
      transport: transportFrom(undefined, value.delivery, problems),
      agents: sessions === undefined
        ? value.agents.map((entry, index) => readAgent(entry, index, value))
        : agentsNamed(sessions, recorded, value.agents, value),
      problems,
    },
  };
}

export type AgentMatch =
  | { kind: "agent"; agent: Agent }
  | { kind: "none" }
  | { kind: "refused"; agent_id: string; reason: string };

/**
 * The agent a tmux session belongs to: the one of its record (`ownerOf`), else by its exact name,
 * else by the name with the numeric suffix that spawn adds. Never a prefix: `forge` must not catch
 * `forge-x-main`.
 */
export function findAgent(registry: Registry, session: string, owner = ""): AgentMatch {
  const named = (name: string) =>
    name === "" ? [] : registry.agents.filter((agent) => isNamed(agent.tmux_session_name, name));
  const exact = named(session);
  const base = withoutSuffix(session);
  const byName = exact.length > 0 || base === undefined ? exact : named(base);
  const owners = owner === "" ? byName : recordedIn(registry, byName, owner);
  if (owners.length === 0) return { kind: "none" };

  const usable = owners.filter((agent) => agent.enabled && !agent.unusable);
  const agent = usable[0];
  if (agent === undefined) {
    const first = owners[0]!;
    const reason = first.unusable ? first.problems.join("; ") : "the agent is disabled";
    return { kind: "refused", agent_id: first.agent_id, reason };
  }
  if (usable.some((other) => other.agent_id !== agent.agent_id)) {
    const names = usable.map((other) => other.agent_id).join(", ");
    return {
      kind: "refused",
      agent_id: agent.agent_id,
      reason: `several agents claim this session: ${names}`,
    };
  }
  return { kind: "agent", agent };
}

/** Entries of the record's agent, first those of the session's name; without any, the others. */
function recordedIn(registry: Registry, byName: Agent[], owner: string): Agent[] {
  const isOwner = ({ agent_id }: Agent) => agent_id === owner;
  return [byName.filter(isOwner), registry.agents.filter(isOwner)]
    .find((found) => found.length > 0) ?? byName;
}

function withoutSuffix(session: string): string | undefined {
  return /^(.+)-\d+$/.exec(session)?.[1];
}

/** There may be a thousand entries: the length of the name rules most of them out. */
function agentsNamed(
  sessions: readonly string[],
  recorded: readonly string[],
  entries: unknown[],
  root: Record<string, unknown>,
): Agent[] {
  const all = sessions.flatMap((name) => [name, withoutSuffix(name) ?? name]);
  const names = new Set(all.flatMap((name) => [name, plainSessionName(name)]));
  const lengths = new Set(Array.from(names, (name) => name.length));
  const agents: Agent[] = [];
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index] as { tmux_session_name?: unknown; agent_id?: unknown } | null;
    const name = entry?.tmux_session_name;
    const isNamed = typeof name === "string" && lengths.has(name.length) &&
      names.has(tmuxSessionName(name));
    if (isNamed || recorded.includes(entry?.agent_id as string)) {
      agents.push(readAgent(entry, index, root));
    }
  }
  return agents;
}

/** The name that tmux gives a session when it is asked for this one. */
export function tmuxSessionName(name: string): string {
  return name.replace(/[.:]/g, "_");
}

/** Is that its name? The registry may have it as it was asked for, or as tmux writes it. */
export function isNamed(name: string, session: string): boolean {
  const given = tmuxSessionName(name);
  return given === session || given === plainSessionName(session);
}

/** As it was asked for: tmux 3.3 writes `x\$y` for `x$y`, before a letter, "_" and "{". */
export function plainSessionName(session: string): string {
  return session.replaceAll("\\$", "$");
}

/** Why an agent cannot be woken, or undefined when it can. */
export function whyUnreachable(agent: Agent): string | undefined {
  if (agent.transport === "inbox") return undefined;
  return agent.openclaw_session_key === "" && agent.openclaw_session_id === ""
    ? "it has neither openclaw_session_key nor openclaw_session_id"
    : undefined;
}

function readAgent(entry: unknown, index: number, root: Record<string, unknown>): Agent {
  const problems: string[] = [];
  const isEntry = isObject(entry);
  if (!isEntry) problems.push(`agents[${index}] is not an object`);
  const fields = new Fields(isEntry ? entry : {}, problems);
  const agentId = fields.text("agent_id");
  const enabled = fields.flag("enabled", true);
  const session = fields.text("tmux_session_name");
  if (isEntry && agentId === "" && problems.length === 0) problems.push("agent_id is missing");
  const unusable = problems.length > 0;
  const autoWake = fields.flag("auto_wake", true);
  return {
    agent_id: agentId,
    enabled,
    tmux_session_name: session,
    auto_wake: autoWake,
    auto_recover: fields.flag("auto_recover", autoWake),
    openclaw_session_key: fields.text("openclaw_session_key"),
    openclaw_session_id: fields.text("openclaw_session_id"),
    working_directory: fields.text("working_directory"),
    claude_resume_target: fields.text("claude_resume_target"),
    claude_launch_command: fields.text("claude_launch_command"),
    claude_post_launch_mode: fields.text("claude_post_launch_mode"),
    system_prompt: fields.text("system_prompt"),
    settings: settingsFrom(fields.object("hook_settings"), root.hook_settings, problems),
    transport: transportFrom(fields.object("delivery"), root.delivery, problems),
    problems,
    unusable,
  };
}

function transportFrom(own: unknown, global: unknown, problems: string[]): Transport {
  for (const source of [own, global]) {
    const value = isObject(source) ? source.transport : undefined;
    if (value === undefined) continue;
    if (value === "auto" || value === "gateway" || value === "cli" || value === "inbox") {
      return value;
    }
    problems.push(`delivery.transport cannot be ${JSON.stringify(value)}`);
  }
  return "auto";
}

/** Reads typed fields of an object and notes each one that has another type. */
class Fields {
  constructor(
    private readonly from: Record<string, unknown>,
    private readonly problems: string[],
  ) {}

  text(name: string): string {
    const value = this.from[name];
    if (value === undefined || value === null) return "";
    if (typeof value === "string") return value;
    this.problems.push(`${name} is not a text`);
    return "";
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.from[name];
    if (value === undefined || value === null) return fallback;
    if (typeof value === "boolean") return value;
    this.problems.push(`${name} is not true or false`);
    return fallback;
  }

  object(name: string): unknown {
    const value = this.from[name];
    if (value === undefined || value === null || isObject(value)) return value;
    this.problems.push(`${name} is not an object`);
    return undefined;
  }
}
