/** What OpenClaw's refusals mean for a wake, whichever way it was asked. */

import type { TryOutcome } from "./delivery.ts";
import type { Answer } from "./gateway.ts";

/** What a method of the gateway has given, whichever way it was called. */
export type Called =
  | { kind: "ok"; value: Record<string, unknown> }
  | { kind: "failed"; isUnknown: boolean; outcome: TryOutcome };

export function isUnknownSession(message: string): boolean {
  return /^(No session found|session not found|Unknown session)/i.test(message);
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

export function notSearched(sessionKey: string): string {
  return `Cannot tell whether session ${sessionKey} has the wake already`;
}

/** Nothing was sent: the wake waits until the session's history can be read, with its key. */
export function withoutHistory(outcome: TryOutcome): TryOutcome {
  if (outcome.kind === "delivered" || outcome.kind === "unfit") return outcome;
  const elsewhere = outcome.kind === "later" && outcome.elsewhere === true;
  const { reason } = outcome;
  return { kind: "later", scope: "all", reason, ...(elsewhere ? { elsewhere } : {}) };
}
