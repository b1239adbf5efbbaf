/** Can wakes get through: the gateway there, our token good, the agents' sessions known? */

import { connect, type Gateway, placeOf } from "../../delivery/gateway.ts";
import { readGatewayTarget } from "../../delivery/openclaw_config.ts";
import { findProgram } from "../programs.ts";
import type { Agent } from "../../registry.ts";
import { agentsToWake, type Finding, type Patient } from "./finding.ts";

const CHECK = "gateway";
const WAIT_MS = 10_000;

export async function checkGateway(patient: Patient): Promise<Finding[]> {
  const agents = agentsToWake(patient).filter((agent) => agent.transport !== "inbox");
  const inbox = agentsToWake(patient).length - agents.length;
  const notes: Finding[] = inbox === 0 ? [] : [{
    check: CHECK,
    level: "note",
    text: `${inbox} agent${inbox === 1 ? " reads its" : "s read their"} wakes from an inbox folder`,
  }];
  if (agents.length === 0) return notes;
  const reading = readGatewayTarget(patient.world.env);
  if (reading.kind === "unreadable") {
    return [...notes, withoutGateway(agents, patient, reading.reason)];
  }
  const { target } = reading;
  const connecting = await connect(target, WAIT_MS);
  if (connecting.kind !== "connected") {
    const mend = connecting.kind === "unreachable" ? "openclaw gateway run" : "openclaw doctor";
    return [...notes, { check: CHECK, level: "broken", text: connecting.reason, mend }];
  }
  const { gateway } = connecting;
  try {
    const text = `The gateway at ${placeOf(target.url)} is there and lets us in`;
    const sessions = await Promise.all(agents.map((agent) => checkSession(gateway, agent)));
    return [{ check: CHECK, level: "ok", text }, ...notes, ...sessions.flat()];
  } finally {
    gateway.close();
  }
}

function withoutGateway(agents: Agent[], patient: Patient, reason: string): Finding {
  const cli = findProgram(patient.world.env, "GSD_OPENCLAW", "openclaw");
  const stuck = cli === undefined || agents.some((agent) => agent.transport === "gateway");
  return stuck
    ? {
      check: CHECK,
      level: "broken",
      text: `Wakes cannot be delivered: ${reason}`,
      mend: "openclaw onboard",
    }
    : {
      check: CHECK,
      level: "note",
      text: `Wakes go by ${cli}, which is slower: ${reason}`,
    };
}

async function checkSession(gateway: Gateway, agent: Agent): Promise<Finding[]> {
  const { openclaw_session_key: key, openclaw_session_id: id } = agent;
  if (key === "" && id === "") return []; // said by the registry's check
  const answer = await gateway.request(
    "sessions.resolve",
    key ? { key } : { sessionId: id },
    WAIT_MS,
  );
  const known = answer.kind === "ok" && typeof answer.payload.key === "string";
  const named = key ? `session key "${key}"` : `session id "${id}"`;
  if (known) {
    const text = `The gateway knows the ${named} of agent "${agent.agent_id}"`;
    return [{ check: CHECK, level: "ok", text }];
  }
  const why = answer.kind === "error"
    ? answer.message
    : answer.kind === "lost"
    ? answer.reason
    : "it answered without a key";
  return [{
    check: CHECK,
    level: "broken",
    text: `The gateway does not know the ${named} of agent "${agent.agent_id}": ${why}`,
    mend: "deno task sync",
  }];
}
