/** Recovery of all agents: plans, starts, waits, and reports what failed. */

import { taskCommand } from "../cli/task_command.ts";
import { readTextIfThere } from "../files.ts";
import { launchingAlone } from "./launch_lock.ts";
import { agentsIn, waitingIds } from "../outbox.ts";
import { messageOf } from "../process.ts";
import { reportFailures } from "./recovery_failures.ts";
import {
  type AgentResult,
  type OpenedNow,
  planRecovery,
  type RecoveryStep,
  resultFor,
} from "./recovery_plan.ts";
import { deliver } from "./recovery_wake.ts";
import { type Agent, readRegistry, type Registry } from "../registry.ts";
import { refuseBroken, upsertAgent } from "../registry/registry_file.ts";
import { awaitReturn, restart } from "./restart.ts";
import { isNameless, sessionNameOf, withNames } from "./session_names.ts";
import { syncRegistry } from "./sync_registry.ts";
import type { World } from "../cli/world.ts";

export interface RecoveryOptions {
  /** These agents only; all of them when empty. */
  only: string[];
  sync: boolean;
  timeoutMs: number;
  dryRun: boolean;
}

/** A result per session; per agent where it has none. */
export async function recoverAll(options: RecoveryOptions, world: World): Promise<AgentResult[]> {
  let registry = load(world);
  const ids = registry.agents.map(({ agent_id }) => agent_id);
  const unknown = options.only.find((id) => !ids.includes(id));
  if (unknown !== undefined) {
    const known = `its agents: ${ids.join(", ") || "none"}`;
    throw new Error(`the registry ${world.paths.registry} has no agent "${unknown}"; ${known}`);
  }
  if (options.sync) {
    try {
      await syncRegistry(world, options.dryRun);
      registry = load(world);
    } catch (error) {
      world.warn(`The OpenClaw sessions were not refreshed: ${messageOf(error)}`);
    }
  }
  const chosen = registry.agents.filter(({ agent_id }) =>
    options.only.length === 0 || options.only.includes(agent_id)
  );
  const opened: OpenedNow = new Map();
  const results = (await Promise.all(chosen.map(async (agent) => {
    try {
      return await recoverAgent(agent, registry, options, world, opened);
    } catch (error) {
      return [resultFor(agent, "failed", sessionNameOf(agent), messageOf(error))];
    }
  }))).flat();
  if (options.dryRun) return results;
  const examined = new Set(chosen.map(({ agent_id }) => agent_id));
  const woken = new Set(results.filter((one) => one.wake_id).map(({ agent_id }) => agent_id));
  if (reportFailures(world, registry, examined, results)) woken.add("global_status");
  // What waited before this run; a new wake has started its deliverer already.
  for (const agentId of agentsIn(world.paths, "outbox")) {
    if (woken.has(agentId) || waitingIds(world.paths, agentId).length === 0) continue;
    deliver(world, agentId, "recovery");
  }
  return results;
}

async function recoverAgent(
  agent: Agent,
  registry: Registry,
  options: RecoveryOptions,
  world: World,
  opened: OpenedNow,
): Promise<AgentResult[]> {
  const isNamed = options.only.includes(agent.agent_id);
  const excluded = whyExcluded(agent, registry, isNamed);
  if (excluded !== undefined) {
    return [resultFor(agent, excluded.outcome, agent.tmux_session_name, excluded.reason)];
  }
  const scope = { world, registry: withNames(registry, new Set([agent])), agent, opened };
  if (options.dryRun) {
    return (await planRecovery(scope, isNamed)).map(({ result }) => result);
  }
  // Hooks find the agent by its session's name in the registry.
  if (isNameless(agent)) {
    const tmux_session_name = sessionNameOf(agent);
    upsertAgent(world.paths.registry, { agent_id: agent.agent_id, tmux_session_name });
  }
  // Planned and started under one lock: what was seen must still be so.
  const steps = await launchingAlone(world, async () => {
    const begun: RecoveryStep[] = [];
    for (const step of await planRecovery(scope, isNamed)) begun.push(await begin(world, step));
    return begun;
  });
  return await Promise.all(steps.map((step) => finish(world, agent, step, options.timeoutMs)));
}

/** `--agent` overrules `auto_wake`, not `enabled`. */
function whyExcluded(
  agent: Agent,
  registry: Registry,
  isNamed: boolean,
): { outcome: "failed" | "left out"; reason: string } | undefined {
  if (agent.unusable) {
    const reason = `its entry in the registry is wrong: ${agent.problems.join("; ")}`;
    return { outcome: "failed", reason };
  }
  if (registry.agents.filter(({ agent_id }) => agent_id === agent.agent_id).length > 1) {
    return { outcome: "failed", reason: "the registry has several entries with its agent_id" };
  }
  if (!agent.enabled) return { outcome: "left out", reason: "it is disabled" };
  if (agent.auto_wake || isNamed) return undefined;
  return { outcome: "left out", reason: "its auto_wake is off" };
}

async function begin(world: World, { result, plan, ...rest }: RecoveryStep): Promise<RecoveryStep> {
  if (plan === undefined) return { result, ...rest };
  const started = await restart(world, plan);
  return started.kind === "failed"
    ? { result: failed(result, started.reason) }
    : { result, returning: started };
}

async function finish(
  world: World,
  agent: Agent,
  { result, returning }: RecoveryStep,
  timeoutMs: number,
): Promise<AgentResult> {
  if (returning === undefined) return result;
  const back = await awaitReturn(world, agent, returning, timeoutMs);
  if (back.kind === "failed") return failed(result, back.reason);
  const detail = [result.detail, ...back.notes].join("; ");
  return { ...result, outcome: "recovered", detail, wake_id: back.wakeId };
}

function failed(result: AgentResult, detail: string): AgentResult {
  return { ...result, outcome: "failed", detail, conversation: "" };
}

function load(world: World): Registry {
  const { registry: path, root } = world.paths;
  const text = readTextIfThere(path);
  if (text === undefined) {
    const example = `${root}/config/recovery-registry.example.json`;
    throw new Error(
      `there is no registry at ${path}; ${
        taskCommand(world, "spawn")
      } makes one, or copy ${example} there`,
    );
  }
  const reading = readRegistry(text);
  if (reading.kind === "registry") return reading.registry;
  refuseBroken(path, text, "nothing was recovered");
  throw new Error(reading.reason);
}
