/** All agents at once: who lives, who comes back, who does not, and who is told. */

import { readTextIfThere } from "../files.ts";
import type { Conversation } from "./launch.ts";
import { launchingAlone } from "./launch_lock.ts";
import { agentsIn, waitingIds } from "../outbox.ts";
import { messageOf } from "../process.ts";
import { examine, type Finding, type Opened, type RecoveryPlan } from "./recover_agent.ts";
import { tellFailures } from "./recovery_failures.ts";
import { deliver } from "./recovery_wake.ts";
import { type Agent, readRegistry, type Registry } from "../registry.ts";
import { refuseBroken, upsertAgent } from "../registry/registry_file.ts";
import { awaitReturn, type Returning, start } from "./restart.ts";
import { isNameless, sessionNameOf, withNames } from "./session_names.ts";
import { syncRegistry } from "./sync_registry.ts";
import { whyMarked } from "../doors/tmux_sessions.ts";
import type { World } from "../cli/world.ts";

export interface AgentResult {
  agent_id: string;
  session: string;
  outcome: "alive" | "recovered" | "would recover" | "failed" | "left out";
  /** What was found or what went wrong, in words. */
  detail: string;
  conversation: string;
  wake_id: string;
}

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
  for (const id of options.only) {
    if (!registry.agents.some((agent) => agent.agent_id === id)) {
      const known = registry.agents.map(({ agent_id }) => agent_id).join(", ") || "none";
      throw new Error(
        `the registry ${world.paths.registry} has no agent "${id}"; its agents: ${known}`,
      );
    }
  }
  if (options.sync) {
    try {
      await syncRegistry(world, options.dryRun);
      registry = load(world);
    } catch (error) {
      world.warn(`The OpenClaw sessions were not refreshed: ${messageOf(error)}`);
    }
  }
  const chosen = registry.agents.filter((agent) =>
    options.only.length === 0 || options.only.includes(agent.agent_id)
  );
  const opened: Opened = new Map();
  const results = await Promise.all(chosen.map(async (agent) => {
    try {
      return await recoverOne(agent, registry, options, world, opened);
    } catch (error) {
      return [result(agent, "failed", sessionNameOf(agent), messageOf(error))];
    }
  }));
  const flat = results.flat();
  if (!options.dryRun) {
    const ids = new Set(chosen.map((agent) => agent.agent_id));
    const woken = flat.filter(({ wake_id }) => wake_id !== "").map(({ agent_id }) => agent_id);
    const told = tellFailures(world, registry, ids, flat) ? ["global_status"] : [];
    deliverWaiting(world, new Set([...woken, ...told]));
  }
  return flat;
}

async function recoverOne(
  agent: Agent,
  registry: Registry,
  options: RecoveryOptions,
  world: World,
  opened: Opened,
): Promise<AgentResult[]> {
  const isNamed = options.only.includes(agent.agent_id);
  const spoiled = whySpoiled(agent, registry);
  if (spoiled !== undefined) return [result(agent, "failed", agent.tmux_session_name, spoiled)];
  const left = whyLeftOut(agent, isNamed);
  if (left !== undefined) return [result(agent, "left out", agent.tmux_session_name, left)];
  const named = withNames(registry, new Set([agent]));
  if (options.dryRun) {
    const findings = await examine(world, named, agent, isNamed, opened);
    return findings.map((finding) => planned(agent, finding));
  }
  // The hooks know the session by the registry alone: without a name there nobody is ever woken.
  if (isNameless(agent)) {
    const tmux_session_name = sessionNameOf(agent);
    upsertAgent(world.paths.registry, { agent_id: agent.agent_id, tmux_session_name });
  }
  // What is found must still be so when it is acted on.
  const steps = await launchingAlone(world, async () => {
    const steps: (AgentResult | Returning)[] = [];
    for (const finding of await examine(world, named, agent, isNamed, opened)) {
      steps.push(await begin(world, agent, finding));
    }
    return steps;
  });
  return await Promise.all(
    steps.map((step) => "outcome" in step ? step : finish(world, agent, step, options.timeoutMs)),
  );
}

async function begin(
  world: World,
  agent: Agent,
  finding: Finding,
): Promise<AgentResult | Returning> {
  if (finding.kind === "alive" && finding.launch?.untold !== undefined) {
    const { launch, pane, server } = finding;
    return { launch, untold: launch.untold!, pane, server, wasFound: true };
  }
  if (finding.kind !== "lost") return planned(agent, finding);
  const { session, server } = finding.plan;
  const marked = await whyMarked(server.tmux, world.env("OPENCLAW_SHELL"));
  if (marked !== undefined) return result(agent, "failed", session, marked);
  const started = await start(world, agent, finding.plan);
  if (started.kind === "started") return started.returning;
  return result(agent, "failed", session, started.reason);
}

async function finish(
  world: World,
  agent: Agent,
  returning: Returning,
  timeoutMs: number,
): Promise<AgentResult> {
  const { launch: { session }, untold: { found, conversation } } = returning;
  const back = await awaitReturn(world, agent, returning, timeoutMs);
  if (back.kind === "failed") return result(agent, "failed", session, back.reason);
  const woken = back.kind === "told" ? "" : `; it was not woken: ${back.reason}`;
  const waits = back.waits === "" ? "" : `; it waits: ${back.waits}`;
  const wake_id = back.kind === "told" ? back.wakeId : "";
  const done = result(agent, "recovered", session, found + woken + waits);
  return { ...done, conversation: spoken(conversation), wake_id };
}

function planned(agent: Agent, finding: Finding): AgentResult {
  switch (finding.kind) {
    case "failed":
      return result(agent, "failed", finding.session, finding.reason);
    case "left_out":
      return result(agent, "left out", finding.session, finding.reason);
    case "lost":
      return wouldRecover(agent, finding.plan.session, finding.plan);
    case "alive": {
      // A recovery that was cut short has started it, and the next one makes up for the rest.
      const { session, launch } = finding;
      return launch?.untold === undefined
        ? result(agent, "alive", session, "")
        : wouldRecover(agent, session, launch.untold);
    }
  }
}

function wouldRecover(
  agent: Agent,
  session: string,
  { found, conversation }: Pick<RecoveryPlan, "found" | "conversation">,
): AgentResult {
  const plan = result(agent, "would recover", session, found);
  return { ...plan, conversation: spoken(conversation) };
}

function spoken(conversation: Conversation): string {
  return conversation.kind === "resume" || conversation.kind === "target"
    ? `resume ${conversation.target}`
    : conversation.kind;
}

/** An entry that cannot be used as it is: nobody meant to leave this agent out. */
function whySpoiled(agent: Agent, registry: Registry): string | undefined {
  if (agent.unusable) return `its entry in the registry is wrong: ${agent.problems.join("; ")}`;
  const twins = registry.agents.filter((other) => other.agent_id === agent.agent_id);
  return twins.length > 1 ? "the registry has several entries with its agent_id" : undefined;
}

/** Who is named is meant: `auto_wake` only keeps an agent out of a recovery of all. */
function whyLeftOut(agent: Agent, isNamed: boolean): string | undefined {
  if (!agent.enabled) return "it is disabled";
  return agent.auto_wake || isNamed ? undefined : "its auto_wake is off";
}

/** What waited before this run; for new wakes a deliverer is under way. */
function deliverWaiting(world: World, underWay: ReadonlySet<string>): void {
  for (const agentId of agentsIn(world.paths, "outbox")) {
    if (underWay.has(agentId) || waitingIds(world.paths, agentId).length === 0) continue;
    deliver(world, agentId, "recovery");
  }
}

function load(world: World): Registry {
  const text = readTextIfThere(world.paths.registry);
  if (text === undefined) {
    const { registry, root } = world.paths;
    throw new Error(
      `there is no registry at ${registry}; deno task spawn makes one, or copy ` +
        `${root}/config/recovery-registry.example.json there`,
    );
  }
  const reading = readRegistry(text);
  if (reading.kind === "registry") return reading.registry;
  refuseBroken(world.paths.registry, text, "nothing was recovered");
  throw new Error(reading.reason);
}

function result(
  agent: Agent,
  outcome: AgentResult["outcome"],
  session: string,
  detail: string,
): AgentResult {
  return { agent_id: agent.agent_id, session, outcome, detail, conversation: "", wake_id: "" };
}
