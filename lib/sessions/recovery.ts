/** All agents at once: who lives, who comes back, who does not, and who is told. */

import { commandWords } from "../situation.ts";
import { readTextIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { record } from "../journal.ts";
import { agentsIn, waitingIds } from "../outbox.ts";
import { hash } from "../paths.ts";
import { messageOf } from "../process.ts";
import { examine, restart } from "./recover_agent.ts";
import { deliver, recoveredDraft, send } from "./recovery_wake.ts";
import { receiverOf } from "../new_wake.ts";
import {
  type Agent,
  DEFAULT_SETTINGS,
  readRegistry,
  type Registry,
  whyUnreachable,
} from "../registry.ts";
import { refuseBroken } from "./registry_file.ts";
import { shellQuote } from "../shell.ts";
import { syncRegistry } from "./sync_registry.ts";
import { type Tmux, tmuxFrom } from "../tmux.ts";
import { whyMarked } from "./tmux_sessions.ts";
import type { World } from "./world.ts";

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

export async function recoverAll(options: RecoveryOptions, world: World): Promise<AgentResult[]> {
  let registry = load(world);
  for (const id of options.only) {
    if (!registry.agents.some((agent) => agent.agent_id === id)) {
      throw new Error(`the registry ${world.paths.registry} has no agent "${id}"`);
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
  const tmux = tmuxFrom(world.env, { env: world.environment(), timeoutMs: 10_000 });
  const chosen = registry.agents.filter((agent) =>
    options.only.length === 0 || options.only.includes(agent.agent_id)
  );
  const marked = await whyMarked(tmux, world.env("OPENCLAW_SHELL"));
  const alone = oneAtATime();
  const results = await Promise.all(chosen.map(async (agent) => {
    try {
      return await recoverOne({ agent, registry, tmux, options, world, marked, alone });
    } catch (error) {
      return result(agent, "failed", agent.tmux_session_name, messageOf(error));
    }
  }));
  if (!options.dryRun) {
    tellGlobalStatus(registry, results, world);
    deliverWaiting(world);
  }
  return results;
}

interface Job {
  agent: Agent;
  registry: Registry;
  tmux: Tmux;
  options: RecoveryOptions;
  world: World;
  marked: string | undefined;
  alone: <T>(work: () => Promise<T>) => Promise<T>;
}

async function recoverOne(job: Job): Promise<AgentResult> {
  const { agent, registry, tmux, options, world } = job;
  const left = whyLeftOut(agent, options.only.includes(agent.agent_id));
  if (left !== undefined) return result(agent, "left out", agent.tmux_session_name, left);
  const finding = await examine(world, tmux, registry, agent);
  if (finding.kind === "alive") return result(agent, "alive", finding.session, "");
  if (finding.kind === "failed") return result(agent, "failed", finding.session, finding.reason);
  const { plan } = finding;
  const { conversation } = plan;
  const spoken = conversation.kind === "resume"
    ? `resume ${conversation.target}`
    : conversation.kind;
  if (options.dryRun) {
    return { ...result(agent, "would recover", plan.session, plan.found), conversation: spoken };
  }
  if (job.marked !== undefined) return result(agent, "failed", plan.session, job.marked);

  const recovery = await restart(world, tmux, agent, plan, job.alone, options.timeoutMs);
  if (recovery.kind === "failed") {
    const { session, reason } = recovery;
    record(world.paths, { kind: "problem", session, agent_id: agent.agent_id, reason });
    return result(agent, "failed", session, reason);
  }
  record(world.paths, {
    kind: "session",
    session: plan.session,
    agent_id: agent.agent_id,
    reason: `recovered: ${plan.found}`,
  });
  const mute = whyUnreachable(agent);
  const done = { ...result(agent, "recovered", plan.session, plan.found), conversation: spoken };
  if (mute !== undefined) return { ...done, detail: `${plan.found}; it was not woken: ${mute}` };
  const socket = await tmux.call("display-message", "-p", "#{socket_path}");
  const draft = recoveredDraft(world, {
    session: plan.session,
    found: plan.found,
    conversation,
    ...(recovery.dialog === undefined ? {} : { dialog: recovery.dialog }),
  }, socket.kind === "ok" ? socket.stdout.trim() : "");
  return { ...done, wake_id: send(world, receiverOf(agent), plan.session, draft) };
}

/** Who is named is meant: `auto_wake` only keeps an agent out of a recovery of all. */
function whyLeftOut(agent: Agent, isNamed: boolean): string | undefined {
  if (agent.unusable) return agent.problems.join("; ");
  if (!agent.enabled) return "it is disabled";
  return agent.auto_wake || isNamed ? undefined : "its auto_wake is off";
}

/** Once per set of failures: a timer that meets the same ones again has nothing to add. */
function tellGlobalStatus(registry: Registry, results: AgentResult[], world: World): void {
  const { global_status_openclaw_session_key: key, global_status_openclaw_session_id: id } =
    registry;
  const failed = results.filter((result) => result.outcome === "failed");
  const file = `${world.paths.state}/recovery-failures`;
  if (failed.length === 0) return removeIfThere(file);
  if (key === "" && id === "" && registry.transport !== "inbox") return;
  const lines = failed.map(({ agent_id, session, detail }) =>
    `- ${agent_id} (${session}): ${detail}`
  );
  const mark = hash(lines.join("\n"));
  if (readTextIfThere(file) === mark) return;
  const receiver = {
    agent_id: "global_status",
    transport: registry.transport,
    openclaw_session_key: key,
    openclaw_session_id: id,
    maxChars: DEFAULT_SETTINGS.max_content_chars,
  };
  send(world, receiver, "recovery", {
    trigger: "recovery_failed",
    section: "CONTENT",
    body: [
      `${failed.length} of ${results.length} agents could not be brought back:`,
      ...lines,
      "The others are not affected. Remove the cause, then run the action below.",
    ].join("\n"),
    state: "error",
    actions: failed.map(({ agent_id }) =>
      [...commandWords(world.paths, "recover"), "--agent", agent_id].map(shellQuote).join(" ")
    ),
  });
  writeAtomic(file, mark);
}

function deliverWaiting(world: World): void {
  for (const agentId of agentsIn(world.paths, "outbox")) {
    if (waitingIds(world.paths, agentId).length > 0) deliver(world, agentId, "recovery");
  }
}

function load(world: World): Registry {
  const text = readTextIfThere(world.paths.registry);
  if (text === undefined) throw new Error(`there is no registry at ${world.paths.registry}`);
  const reading = readRegistry(text);
  if (reading.kind === "registry") return reading.registry;
  refuseBroken(world.paths.registry, text, "nothing was recovered");
  throw new Error(reading.reason);
}

/** tmux makes its server with the first session: two at once would race for it. */
function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => {});
    return mine;
  };
}

function result(
  agent: Agent,
  outcome: AgentResult["outcome"],
  session: string,
  detail: string,
): AgentResult {
  return { agent_id: agent.agent_id, session, outcome, detail, conversation: "", wake_id: "" };
}
