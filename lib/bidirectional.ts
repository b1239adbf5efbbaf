/** Waits, while Claude waits too, for what the agent decides. */

import { readTextIfThere, removeIfThere, sleepSync } from "./files.ts";
import type { HookContext } from "./hook_context.ts";
import { isObject } from "./json.ts";
import { record } from "./journal.ts";
import { replyFile } from "./outbox_files.ts";
import { endReplyWait, isAwaited } from "./reply_wait.ts";
import { decisionIn, type ReplyDecision } from "./replies.ts";

const LOOK_EVERY_MS = 50;

/** The agent's decision on a wake; "none" when it made none, or not in time. */
export function waitForDecision(context: HookContext, wakeId: string): ReplyDecision {
  const waited = performance.now();
  const limitMs = context.settings.bidirectional_timeout_s * 1000;
  const path = replyFile(context.paths, wakeId);
  let decision: ReplyDecision = { kind: "none" };
  const canCome = isAwaited(context.paths, wakeId);
  let reason = canCome
    ? `no reply within ${context.settings.bidirectional_timeout_s} s`
    : "no reply can come: the deliverer was not started";
  while (canCome && performance.now() - waited < limitMs) {
    const text = readTextIfThere(path);
    if (text !== undefined) {
      removeIfThere(path);
      const reply = readReply(text);
      decision = decisionIn(reply.text);
      reason = reply.problem ?? (decision.kind === "none" ? "the reply holds no decision" : "");
      break;
    }
    sleepSync(LOOK_EVERY_MS);
  }
  endReplyWait(context.paths, wakeId);
  record(context.paths, {
    kind: "decided",
    session: context.session,
    agent_id: context.agent.agent_id,
    wake_id: wakeId,
    event: context.event.name,
    decision: decision.kind,
    ...(decision.kind === "none" ? {} : { by: context.agent.agent_id, by_kind: "agent" }),
    ...(decision.kind === "block" ? { text: decision.reason } : {}),
    ...(decision.kind === "instructions" ? { text: decision.text } : {}),
    ...(reason === "" ? {} : { reason }),
    duration_ms: Math.round(performance.now() - waited),
  });
  return decision;
}

function readReply(text: string): { text: string; problem?: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && typeof value.text === "string") return { text: value.text };
    const why = isObject(value) && typeof value.reason === "string" ? value.reason : "no text";
    return { text: "", problem: `the agent did not reply: ${why}` };
  } catch {
    return { text: "", problem: "the reply could not be read" };
  }
}
