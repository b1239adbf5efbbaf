/** What OpenClaw's refusals mean for a wake, by either transport. */

import type { TryOutcome } from "./delivery.ts";
import type { GatewayAnswer } from "./gateway.ts";

/** The result of a method of the gateway, by either transport. */
export type Called =
  | { kind: "ok"; value: Record<string, unknown> }
  | { kind: "failed"; isUnknown: boolean; outcome: TryOutcome };

export function isUnknownSession(message: string): boolean {
  return /^(No session found|session not found|Unknown session)/i.test(message);
}

/** What a refusal or a lost answer means for the next try. */
export function judged(answer: Exclude<GatewayAnswer, { kind: "ok" }>, what: string): TryOutcome {
  if (answer.kind === "lost") {
    return { kind: "later", scope: "all", reason: `${what}: ${answer.reason}` };
  }
  const reason = `${what}: ${answer.message}`;
  if (/missing scope/i.test(answer.message)) return { kind: "unfit", reason };
  // The gateway would repeat this refusal for the same key.
  if (answer.code === "UNAVAILABLE") return { kind: "later", scope: "all", reason, newKey: true };
  if (answer.code === "INVALID_REQUEST" && /invalid agent params/i.test(answer.message)) {
    return { kind: "never", reason };
  }
  return { kind: "later", scope: "target", reason };
}

/** Why the agent may not have read the wake of a run that has ended; undefined where all went well. */
export function whyRunFailed({ status }: Record<string, unknown>): string | undefined {
  return status === "timeout" || status === "error" ? `the run ended as "${status}"` : undefined;
}

/** The gateway would repeat the end of that run for the same key. */
export function letGo(sessionKey: string, why: string): TryOutcome {
  const reason = `The gateway took the wake for ${sessionKey} and let it go again: ${why}`;
  return { kind: "later", scope: "all", reason, newKey: true };
}

export function notSearched(sessionKey: string): string {
  return `Cannot tell whether session ${sessionKey} has the wake already`;
}

/** An answer of another form says nothing: the wake may be there. */
export function withoutMessages(sessionKey: string): TryOutcome {
  const reason = `${notSearched(sessionKey)}: its history has no list of messages`;
  return { kind: "later", scope: "all", reason };
}

/** Nothing was sent: the wake keeps its key, and waits until the session's history can be read. */
export function withoutHistory(outcome: TryOutcome): TryOutcome {
  if (outcome.kind === "delivered" || outcome.kind === "unfit") return outcome;
  const elsewhere = outcome.kind === "later" && outcome.elsewhere === true;
  const { reason } = outcome;
  return { kind: "later", scope: "all", reason, ...(elsewhere ? { elsewhere } : {}) };
}
