/** Finds out whether a step was given when no event has reported its start. Pure. */

import { commandOf, isDoneBy, type StepGiving } from "../steps.ts";
import type { Proof } from "../step_proof.ts";
import { isInBox, type SessionLook } from "./session_look.ts";

export type StepVerdict =
  | { kind: "begun"; promptId: string }
  /** A command that begins no turn was run; perhaps it has opened a dialog. */
  | { kind: "run"; hasDialog: boolean }
  | { kind: "not given" }
  /** The command may have been run; nothing shows whether it was. */
  | { kind: "unsure" }
  | { kind: "no sign" }
  /** Look again. */
  | { kind: "later" }
  /** Exit: an event, or the end of the program, brings the next look. */
  | { kind: "leave" };

export interface GivenFacts {
  giving: StepGiving;
  proof: Proof;
  look: SessionLook;
  /** Claude Code's id of the present conversation; "" where no hook has reported it. */
  claudeId: string;
  /** The driver has noted that it was about to send it. Without that nothing was sent. */
  wasNoted: boolean;
  /** Claude Code writes down when this command is run. */
  leavesTrace: boolean;
  hasCompanion: boolean;
  now: number;
}

/** Claude Code waits for other hooks before it acts on ours. This is their default time limit. */
const STOP_HOOKS_MS = 600_000;

/** How long a given prompt may show nowhere. */
const NO_SIGN_MS = 90_000;

/** An unknown conversation does not count as another one. */
function isAnother(before: string, now: string): boolean {
  return before !== "" && now !== "" && before !== now;
}

export function verdictOn(facts: GivenFacts): StepVerdict {
  const { giving, proof, look, hasCompanion, now } = facts;
  const isTraceless = facts.wasNoted && !facts.leavesTrace;
  const { state } = look;
  if (proof.kind === "prompt") return { kind: "begun", promptId: proof.promptId };
  const command = commandOf(giving.text);
  const isLate = now - Date.parse(giving.given_at ?? giving.at) > NO_SIGN_MS;
  const isCommand = command !== "";
  // A long compaction, hooks of others before the turn, a dialog that keeps a prompt waiting.
  if (state === "busy" || state === "starting" || (state === "dialog" && !isCommand)) {
    // The screen of a dialog that we cannot read looks like that of a start.
    if (isCommand && isLate && state === "starting" && isTraceless) return { kind: "unsure" };
    return { kind: isLate && hasCompanion ? "leave" : "later" };
  }
  if (giving.by_stop && proof.kind === "none" && state !== "gone") {
    return { kind: now - Date.parse(giving.at) > STOP_HOOKS_MS ? "unsure" : "later" };
  }
  const wasRun = giving.given_at !== undefined || proof.kind === "command" ||
    (isDoneBy(giving.text, "clear") && isAnother(giving.claude_session_id, facts.claudeId));
  if (isCommand && wasRun) return { kind: "run", hasDialog: state === "dialog" };
  if (giving.given_at === undefined) {
    // What Claude has read is in the transcript. A command that opens a dialog leaves no trace.
    const maybeRun = isCommand && isTraceless && !isInBox(look, giving.text);
    return { kind: maybeRun ? "unsure" : "not given" };
  }
  if (state === "gone") return { kind: "leave" };
  return { kind: isLate ? "no sign" : "later" };
}
