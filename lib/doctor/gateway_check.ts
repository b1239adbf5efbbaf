/** Does the gateway answer, does it take our token, and does it know the agents' sessions? */

import { connect, type Gateway } from "../delivery/gateway.ts";
import { addressOf, whyMoved } from "../delivery/gateway_address.ts";
import { readGatewayTarget, type TargetReading } from "../delivery/openclaw_config.ts";
import { findProgram } from "../doors/programs.ts";
import { safeName } from "../paths.ts";
import type { Agent } from "../registry.ts";
import { agentsToWake, broken, type DoctorContext, type Finding, note, ok } from "./finding.ts";
import { taskCommand } from "../cli/task_command.ts";
import { editCommand, openclawCommand, registerCommand } from "./fix_commands.ts";

const WAIT_MS = 10_000;

export async function checkGateway(context: DoctorContext): Promise<Finding[]> {
  const agents = agentsToWake(context).filter((agent) => agent.transport !== "inbox");
  const notes = inboxNotes(context);
  if (agents.length === 0) return notes;
  const reading = readGatewayTarget(context.world.env);
  notes.push(...checkAddress(reading, context));
  if (reading.kind !== "target") {
    return [...notes, withoutGateway(agents, context, reading.reason)];
  }
  const { target } = reading;
  const connecting = await connect(target, WAIT_MS);
  if (connecting.kind !== "connected") {
    return [...notes, notConnected(connecting, new URL(target.url).hostname, context)];
  }
  const { gateway } = connecting;
  try {
    const text = `The gateway at ${addressOf(target.url)} is there and lets us in`;
    const sessions = await Promise.all(
      agents.map((agent) => checkSession(gateway, agent, context)),
    );
    return [ok(text), ...notes, ...sessions.flat()];
  } finally {
    gateway.close();
  }
}

function inboxNotes(context: DoctorContext): Finding[] {
  const readers = agentsToWake(context).filter((agent) => agent.transport === "inbox");
  const inbox = `${context.world.paths.state}/inbox`;
  if (readers.length === 0) return [];
  return readers.length === 1
    ? [note(
      `1 agent reads its wakes from an inbox folder: ${inbox}/${safeName(readers[0]!.agent_id)}`,
    )]
    : [note(`${readers.length} agents read their wakes from an inbox folder each, in ${inbox}`)];
}

/** The deliverer sends the token to the address of the registration only. */
function checkAddress(reading: TargetReading, context: DoctorContext): Finding[] {
  const { plan } = context;
  const registered = plan.kind === "plan" ? plan.written?.gateway : undefined;
  const moved = whyMoved(registered, reading);
  return moved === undefined ? [] : [broken(moved, registerCommand(context))];
}

type Refusal = Exclude<Awaited<ReturnType<typeof connect>>, { kind: "connected" }>;

/** A gateway on another machine is started there. */
function notConnected({ kind, reason }: Refusal, host: string, { world }: DoctorContext): Finding {
  if (kind === "held") return broken(`${reason}; wakes wait until your own gateway has the port`);
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(host);
  const words = kind === "unreachable" ? ["gateway", "run"] : ["doctor"];
  const fix = isHere ? openclawCommand(world, ...words) : undefined;
  if (fix !== undefined) return broken(reason, fix);
  const where = isHere ? "here" : `on ${host}`;
  return broken(`${reason}; run ${where}: openclaw ${words.join(" ")}`);
}

function withoutGateway(agents: Agent[], context: DoctorContext, reason: string): Finding {
  const cli = findProgram(context.world.env, "GSD_OPENCLAW", "openclaw");
  if (cli !== undefined && !agents.some((agent) => agent.transport === "gateway")) {
    return note(`Wakes go by ${cli}, which is slower: ${reason}`);
  }
  const fix = openclawCommand(context.world, "onboard");
  const help = fix === undefined ? "; install OpenClaw and set it up: openclaw onboard" : "";
  return broken(`Wakes cannot be delivered: ${reason}${help}`, fix);
}

async function checkSession(
  gateway: Gateway,
  agent: Agent,
  { world }: DoctorContext,
): Promise<Finding[]> {
  const { openclaw_session_key: key, openclaw_session_id: id } = agent;
  if (key === "" && id === "") return []; // checkRegistryFile() reports it
  const answer = await gateway.request(
    "sessions.resolve",
    key ? { key } : { sessionId: id },
    WAIT_MS,
  );
  const known = answer.kind === "ok" && typeof answer.payload.key === "string";
  const named = key ? `session key "${key}"` : `session id "${id}"`;
  if (known) return [ok(`The gateway knows the ${named} of agent "${agent.agent_id}"`)];
  const why = answer.kind === "error"
    ? answer.message
    : answer.kind === "lost"
    ? answer.reason
    : "it answered without a key";
  const edit = editCommand(world.paths.registry);
  const canSync = findProgram(world.env, "GSD_OPENCLAW", "openclaw") !== undefined;
  // sync fills in empty fields only.
  const text = `The gateway does not know the ${named} of agent "${agent.agent_id}": ${why}. ` +
    "Talk to the agent once if it is new; otherwise " +
    (canSync
      ? "empty the field, and sync finds the agent's session"
      : "write the agent's own there: sync cannot find it without OpenClaw's program");
  return [broken(text, canSync ? `${edit} && ${taskCommand(world, "sync")}` : edit)];
}
