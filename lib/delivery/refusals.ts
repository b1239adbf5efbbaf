/** What OpenClaw's refusals mean for a wake, whichever way it was asked. */

import type { TryOutcome } from "./delivery.ts";
import type { Answer } from "./gateway.ts";
import type { QueuedWake } from "../outbox.ts";

export type SessionFound = { kind: "session"; sessionKey: string };

/** The session that `sessions.resolve` has found; without a key it cannot be addressed. */
export function sessionIn(
  answer: Record<string, unknown>,
  { openclaw_session_key, openclaw_session_id }: QueuedWake,
): SessionFound | TryOutcome {
  const found = typeof answer.key === "string" ? answer.key : "";
  const sessionKey = found || openclaw_session_key;
  if (sessionKey !== "") return { kind: "session", sessionKey };
  const reason = `OpenClaw did not find session ${openclaw_session_id}: it answered without a key`;
  return { kind: "later", scope: "target", reason };
}

export function isUnknownSession(message: string): boolean {
  return /^(No session found|session not found|Unknown session)/i.test(message);
}

export function unknownSession(wake: QueuedWake): TryOutcome {
  const { openclaw_session_key: key, openclaw_session_id: id } = wake;
  const [what, name, field] = key
    ? ["key", key, "openclaw_session_key"]
    : ["id", id, "openclaw_session_id"];
  return {
    kind: "later",
    scope: "target",
    reason: `OpenClaw has no session with the ${what} "${name}": correct ${field} of agent ` +
      `"${wake.agent_id}" in the registry, or start that session`,
  };
}

/** What a refusal or a lost answer means for the next try. */
export function judged(answer: Exclude<Answer, { kind: "ok" }>, what: string): TryOutcome {
  if (answer.kind === "lost") {
    return { kind: "later", scope: "all", reason: `${what}: ${answer.reason}` };
  }
  const reason = `${what}: ${answer.message}`;
  if (/missing scope/i.test(answer.message)) return { kind: "unfit", reason };
  // Its key is spent: the gateway would only repeat that it cannot.
  if (answer.code === "UNAVAILABLE") return { kind: "later", scope: "all", reason, newKey: true };
  if (answer.code === "INVALID_REQUEST" && /invalid agent params/i.test(answer.message)) {
    return { kind: "never", reason };
  }
  return { kind: "later", scope: "target", reason };
}
