/** Sends one wake for real, the way a hook's goes, and waits until the receiver has it. */

import { isNotBegun } from "../delivery/gateway_carrier.ts";
import { enqueue, isDelivered, wakeFile } from "../outbox.ts";
import { readWake } from "../outbox_files.ts";
import { newWake, newWakeId, receiverOf } from "../new_wake.ts";
import { DELIVERER_ENV_NAMES, setVariables } from "../paths.ts";
import { run } from "../process.ts";
import type { Agent } from "../registry.ts";
import { launcherPath } from "../install/scope.ts";
import type { WakeDraft } from "../wake.ts";
import type { World } from "../cli/world.ts";
import { agentsToWake, broken, type DoctorContext, type Finding, ok } from "./finding.ts";
import { taskCommand } from "../cli/task_command.ts";
import { editCommand, hasOpenclaw, WITHOUT_OPENCLAW } from "./fix_commands.ts";

export async function sendTestWakes(context: DoctorContext): Promise<Finding[]> {
  const agents = agentsToWake(context);
  if (agents.length === 0) {
    const text = "There is no agent to send a test wake to; name one in the registry";
    return [broken(text, editCommand(context.world.paths.registry))];
  }
  const findings: Finding[] = [];
  for (const agent of agents) findings.push(await sendTestWake(agent, context.world));
  return findings;
}

/** A gateway that has just started is asked again: each try watches it for five seconds. */
const MOST_TRIES = 10;

async function sendTestWake(agent: Agent, world: World): Promise<Finding> {
  const now = world.now();
  const wake_id = newWakeId(now.getTime());
  const session = agent.tmux_session_name;
  const draft: WakeDraft = {
    trigger: "doctor_test",
    section: "CONTENT",
    body: "This is a test of the way from Claude Code's hooks to you.",
    details: { advice: "no action is needed" },
    state: "unknown",
    actions: [],
  };
  const making = { wakeId: wake_id, now };
  const wake = newWake(world.paths, receiverOf(agent), session, draft, making);
  enqueue(world.paths, wake);
  const began = performance.now();
  const env = setVariables(world.env, DELIVERER_ENV_NAMES);
  const launcher = launcherPath(world.paths, "deliver");
  const args = ["--wait", `--agent=${agent.agent_id}`, "--once"];
  const lastError = () => readWake(wakeFile(world.paths, wake))?.attempts?.last_error ?? "";
  let outcome = await run(launcher, args, { timeoutMs: 120_000, env });
  for (let tries = 1; tries < MOST_TRIES && isNotBegun(lastError()); tries++) {
    outcome = await run(launcher, args, { timeoutMs: 120_000, env });
  }
  const took = Math.round(performance.now() - began);
  if (isDelivered(world.paths, wake)) {
    return ok(`Agent "${agent.agent_id}" has the test wake ${wake_id}, after ${took} ms`);
  }
  const why = lastError() ||
    (outcome.kind === "finished" ? outcome.stderr.trim().split("\n")[0] : "") ||
    (outcome.kind === "missing" ? outcome.reason : "it is still on its way");
  const text = `Agent "${agent.agent_id}" does not have the test wake ${wake_id}: ${why}`;
  if (agent.transport !== "inbox" && !hasOpenclaw(world)) {
    return broken(`${text}; ${WITHOUT_OPENCLAW}`);
  }
  return broken(text, taskCommand(world, "deliver", "--agent", agent.agent_id, "--once"));
}
