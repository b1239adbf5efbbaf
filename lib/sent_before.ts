/** What was sent before: by the journal, where the memory has not kept it, and as a short reminder. */

import type { HookContext } from "./hook_context.ts";
import { readJournal } from "./journal_read.ts";
import { type Judgement } from "./noise.ts";
import { isDelivered, TURN_ENDS } from "./outbox.ts";
import { type WakeDraft } from "./wake.ts";

/** A full disk may have kept the memory from being written, and not the wake of the turn's end. */
export function sentByJournal(
  { paths, session, agent, event }: HookContext,
): Judgement | undefined {
  if (event.promptId === "") return undefined;
  try {
    for (const { kind, prompt_id, trigger, wake_id } of readJournal(paths, session)) {
      const isEnd = kind === "queued" && prompt_id === event.promptId &&
        TURN_ENDS.includes(String(trigger));
      const of = String(wake_id);
      if (isEnd && isDelivered(paths, { agent_id: agent.agent_id, wake_id: of })) {
        return { kind: "suppress", reason: "the end of this turn was sent before", of };
      }
    }
  } catch {
    // It cannot be read: better sent twice than not at all.
  }
  return undefined;
}

/** With `dedup_mode` lightweight, a duplicate becomes a short reminder. */
export function reminderOf(draft: WakeDraft, verdict: Judgement, context: HookContext): WakeDraft {
  if (verdict.kind === "send") return draft;
  if (verdict.kind === "suppress" && context.settings.dedup_mode !== "lightweight") return draft;
  const { pressure: _, before: _said, after: _runs, ...others } = draft;
  const { details: { reply_expected: _reply, ...details } = {}, ...rest } = others;
  const body = `Nothing new since wake ${verdict.of}: ${verdict.reason}`;
  return { ...rest, details, section: "NO CHANGE", body };
}
