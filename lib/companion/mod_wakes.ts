/** The wakes that a companion makes: what hooks are not called for. */

import type { WakeDraft } from "../wake.ts";
import type { Retrying } from "./api_attempts.ts";
import type { DroppedText } from "./session_facts.ts";

type Draft = Omit<WakeDraft, "actions">;

/** A person stopped the turn. */
export function interruptedDraft(said: string, afterS: number): Draft {
  return {
    trigger: "interrupted",
    section: "CONTENT",
    body: said || "(Claude had said nothing yet.)",
    state: "idle",
    details: {
      stopped_by: "a person, with Esc",
      after: `${afterS} s`,
      advice: "wait for that person, or ask; instructions are refused until somebody types",
    },
  };
}

export function lostDraft(claudeId: string): Draft {
  return {
    trigger: "session_lost",
    section: "CONTENT",
    body: `Claude Code was killed or has crashed. Its conversation is kept: ${claudeId}`,
    state: "terminated",
    details: { advice: "run the action: it brings the session back into its conversation" },
  };
}

export function retryingDraft({ failures, forS, cause, kind, resetsAt }: Retrying): Draft {
  const tries = `${failures} failed ${failures === 1 ? "attempt" : "attempts"}`;
  return {
    trigger: "retrying",
    section: "CONTENT",
    body: `Claude Code cannot reach its model: ${kind} (${cause}). ${tries} in ${forS} s; ` +
      "it goes on trying by itself.",
    state: "working",
    details: {
      failure: kind,
      attempts: String(failures),
      ...(resetsAt === undefined ? {} : { resets_at: resetsAt.toISOString() }),
      advice: resetsAt === undefined
        ? "wait; you get a wake when the turn ends or fails"
        : "wait for the reset; you get a wake when the turn ends or fails",
    },
  };
}

/** Said to be queued, and then dropped: by a person's Esc, or with the queue. */
export function droppedDraft(dropped: DroppedText[]): Draft {
  const texts = dropped.map(({ text, reason }) => `${text}\n(not taken: ${reason})`);
  return {
    trigger: "instruction_dropped",
    section: "CONTENT",
    body: texts.join("\n\n"),
    state: "idle",
    details: {
      instructions: String(dropped.length),
      advice: "Claude has not read this; look at the session before you send it again",
    },
  };
}
