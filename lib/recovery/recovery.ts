/** Recovery of all agents: plans, starts, waits, and reports what failed. */

import { noRegistry } from "../cli/no_registry.ts";
import { taskCommand } from "../cli/task_command.ts";
import { readTextIfThere } from "../files.ts";
import { agentsIn, waitingIds } from "../outbox_files.ts";
import { ownerOf } from "../known_sessions.ts";
import { messageOf } from "../process.ts";
import { FleetReader } from "../fleet/fleet_reader.ts";
import { allLaunches } from "../sessions/launch_files.ts";
import { launchingAlone } from "../sessions/launch_lock.ts";
import { GLOBAL_AGENT } from "../sessions/global_status.ts";
import { deliver } from "../sessions/recovery_wake.ts";
import { isNameless, sessionNameOf, withNames } from "../sessions/session_names.ts";
import { syncRegistry } from "../sessions/sync_registry.ts";
import { type Ending, type RecoveryRun, startSessions } from "./recover_agent.ts";
import { reportFailures } from "./recovery_failures.ts";
import { type AgentResult, resultFor } from "./recovery_result.ts";
import { type Agent, readRegistry, type Registry } from "../registry.ts";
import { refuseBroken, upsertAgent } from "../registry/registry_file.ts";
import type { World } from "../cli/world.ts";

export interface RecoveryOptions {
  /** These agents only; all of them when empty. */
  only: string[];
  /** Started by the watch or at boot: sessions that a person has ended are not started again. */
  unattended?: boolean;
  /** These sessions only; all that come back when empty. */
  sessions: string[];
  sync: boolean;
  timeoutMs: number;
  dryRun: boolean;
}

/** A result per session; per agent where it has none. */
export async function recoverAll(options: RecoveryOptions, world: World): Promise<AgentResult[]> {
  let registry = load(world);
  const ids = registry.agents.map(({ agent_id }) => agent_id);
  const owners = ownersOf(options.sessions, world);
  const unknown = options.only.find((id) => !ids.includes(id));
  if (unknown !== undefined) {
    const known = `its agents: ${ids.join(", ") || "none"}`;
    throw new Error(`the registry ${world.paths.registry} has no agent "${unknown}"; ${known}`);
  }
  const needsOpenClaw = [registry, ...registry.agents].some(({ transport }) =>
    transport !== "inbox"
  );
  if (options.sync && needsOpenClaw) {
    try {
      await syncRegistry(world, options.dryRun);
      registry = load(world);
    } catch (error) {
      world.warn(`The OpenClaw sessions were not refreshed: ${messageOf(error)}`);
    }
  }
  const chosen = registry.agents.filter(({ agent_id }) =>
    options.sessions.length > 0
      ? owners.includes(agent_id)
      : options.only.length === 0 || options.only.includes(agent_id)
  );
  const isNamed = ({ agent_id }: Agent) =>
    options.only.includes(agent_id) || owners.includes(agent_id);
  const excluded = new Map(
    chosen.map((agent) => [agent, whyExcluded(agent, registry, isNamed(agent))]),
  );
  const wanted = chosen.filter((agent) => excluded.get(agent) === undefined);
  const named = withNames(registry, new Set(wanted));
  const startAgent = async (agent: Agent, run: RecoveryRun): Promise<Ending[]> => {
    const left = excluded.get(agent);
    if (left !== undefined) return [() => left];
    // Hooks find the agent by its session's name in the registry.
    if (isNameless(agent) && !options.dryRun) {
      const tmux_session_name = sessionNameOf(agent);
      upsertAgent(world.paths.registry, { agent_id: agent.agent_id, tmux_session_name });
    }
    const isWished = isNamed(agent) && !options.unattended;
    return await startSessions({ ...options, ...run, agent, isNamed: isWished });
  };
  const failed = (agent: Agent) => (error: unknown): Ending[] => [
    () => resultFor(agent, "failed", sessionNameOf(agent), messageOf(error)),
  ];
  const startAll = async (): Promise<Ending[]> => {
    const fleet = await new FleetReader(world, undefined, named).read();
    // A tmux that does not answer has not lost its sessions.
    const isUnsure = fleet.servers.some(({ isStale }) => isStale);
    if (isUnsure) throw new Error(fleet.problems.join("; "));
    const names = new Set(fleet.servers.flatMap(({ panes }) => panes.map((one) => one.session)));
    const run = { world, registry: named, fleet, names, opened: new Map() };
    const endings: Ending[] = [];
    for (const agent of chosen) {
      endings.push(...await startAgent(agent, run).catch(failed(agent)));
    }
    return endings;
  };
  // Look and start under one lock, so that the state cannot change in between.
  const endings = await (options.dryRun ? startAll() : launchingAlone(world, startAll))
    .catch((error) => chosen.flatMap((agent) => failed(agent)(error)));
  const results = await Promise.all(endings.map((ending) => ending()));
  if (options.dryRun) return results;
  const examined = new Set(chosen.map(({ agent_id }) => agent_id));
  const woken = new Set(results.filter((one) => one.wake_id).map(({ agent_id }) => agent_id));
  if (reportFailures(world, registry, examined, results)) woken.add(GLOBAL_AGENT);
  // Deliver what waited before this run. Each new wake has started its deliverer already.
  for (const agentId of orNone(() => agentsIn(world.paths, "outbox"), world)) {
    const waits = () => waitingIds(world.paths, agentId);
    if (woken.has(agentId) || orNone(waits, world).length === 0) continue;
    deliver(world, agentId, "recovery");
  }
  return results;
}

/** The sessions are started by now: their results count more than an outbox. */
function orNone(list: () => string[], { warn }: World): string[] {
  try {
    return list();
  } catch (error) {
    warn(`Cannot look for wakes that wait: ${messageOf(error)}`);
    return [];
  }
}

/** The agents that sessions have by their records; throws for one without a record. */
function ownersOf(sessions: string[], { paths }: World): string[] {
  return sessions.map((session) => {
    const owner = ownerOf(paths, session);
    if (owner !== undefined) return owner;
    const known = allLaunches(paths).filter((launch) => launch.moved_to === undefined)
      .map((launch) => launch.session).join(", ");
    throw new Error(
      `no session "${session}" was started by spawn or given by adopt; known: ${known || "none"}`,
    );
  });
}

/** `--agent` overrules `auto_wake`, not `enabled`. */
function whyExcluded(
  agent: Agent,
  registry: Registry,
  isNamed: boolean,
): AgentResult | undefined {
  const because = (outcome: "failed" | "left out", reason: string) =>
    resultFor(agent, outcome, agent.tmux_session_name, reason);
  if (agent.unusable) {
    return because("failed", `its entry in the registry is wrong: ${agent.problems.join("; ")}`);
  }
  if (registry.agents.filter(({ agent_id }) => agent_id === agent.agent_id).length > 1) {
    return because("failed", "the registry has several entries with its agent_id");
  }
  if (!agent.enabled) return because("left out", "it is disabled");
  return agent.auto_wake || isNamed ? undefined : because("left out", "its auto_wake is off");
}

function load(world: World): Registry {
  const { registry: path } = world.paths;
  const text = readTextIfThere(path);
  if (text === undefined) throw new Error(noRegistry(world.paths, taskCommand(world, "spawn")));
  const reading = readRegistry(text);
  if (reading.kind === "registry") return reading.registry;
  refuseBroken(path, text, "nothing was recovered");
  throw new Error(reading.reason);
}
