/** What became of a session in a recovery: the lines of its output, the objects of `--json`. */

import type { Agent } from "../registry.ts";
import type { PendingRecovery } from "../sessions/launch.ts";

export interface AgentResult {
  agent_id: string;
  session: string;
  outcome: "alive" | "recovered" | "would recover" | "failed" | "left out";
  /** What was found or what went wrong, in words. */
  detail: string;
  conversation: string;
  wake_id: string;
}

export function resultFor(
  { agent_id }: Agent,
  outcome: AgentResult["outcome"],
  session: string,
  detail: string,
): AgentResult {
  return { agent_id, session, outcome, detail, conversation: "", wake_id: "" };
}

export function broughtBack(
  agent: Agent,
  outcome: "recovered" | "would recover",
  session: string,
  { found, conversation: opens }: PendingRecovery,
): AgentResult {
  const conversation = "target" in opens ? `resume ${opens.target}` : opens.kind;
  return { ...resultFor(agent, outcome, session, found), conversation };
}
