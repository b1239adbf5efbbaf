/** The wakes that a companion makes: what hooks are not called for. */

import type { WakeDraft } from "../wake.ts";
import type { Retrying } from "./api_attempts.ts";
import type { DroppedText } from "./session_facts.ts";

type Draft = Omit<WakeDraft, "actions">;

/** Whether its tmux session holds on, only the watch's next look shows. */
const MAY_BE_RESTARTED = "The watch starts it again if its tmux session is still there. " +
  "If no session_recovered comes within a minute, run the action.";

export function lostDraft(claudeId: string, isRecovered: boolean): Draft {
  return {
    trigger: "session_lost",
    section: "CONTENT",
    body: `Claude Code was killed or has crashed. Its conversation is kept: ${claudeId}`,
    state: "terminated",
    details: {
      advice: isRecovered
        ? MAY_BE_RESTARTED
        : "run the action: it brings the session back into its conversation",
    },
  };
}

export function retryingDraft({ failures, forS, cause, kind, resetsAt }: Retrying): Draft {
  const tries = `${failures} failed ${failures === 1 ? "attempt" : "attempts"} in ${forS} s`;
  const what = failures === 0 ? `no answer for ${forS} s` : `${kind} (${cause}), ${tries}`;
  return {
    trigger: "retrying",
    section: "CONTENT",
    body: `Claude Code cannot reach its model: ${what}. It goes on trying by itself.`,
    state: "working",
    details: {
      failure: kind,
      ...(failures === 0 ? {} : { attempts: String(failures) }),
      ...(resetsAt === undefined ? {} : { resets_at: resetsAt.toISOString() }),
      advice: resetsAt === undefined
        ? "wait; you get a wake when the turn ends or fails"
        : "wait for the reset; you get a wake when the turn ends or fails",
    },
  };
}

/** A text that was reported as queued, then dropped by a person's Esc or with the queue. */
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
