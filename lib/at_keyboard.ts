/** What a person has decided at a dialog of Claude Code, for the record of the hook beside it. */

import type { Pending } from "./answers.ts";
import type { WaitWorld } from "./answer_wait.ts";
import { sleepSync } from "./files.ts";
import type { HookContext } from "./hook_context.ts";
import { keyboardOutcome, outcomeSoFar } from "./keyboard_outcome.ts";
import { type AnswerFacts, isAnswered, KEYBOARD } from "./records.ts";
import type { BlockingClock } from "./transcript.ts";

const DECIDED_WITHIN_MS = 3000;
const LOOK_EVERY_MS = 100;

/** After a Yes nothing ends this hook: it can wait for a busy machine to write the tool's result. */
export async function untilDecided(
  { event }: HookContext,
  pending: Pending,
  sleep: WaitWorld["sleep"],
): Promise<void> {
  if (!isInTranscript(pending)) return;
  for (let waited = 0; waited < DECIDED_WITHIN_MS; waited += LOOK_EVERY_MS) {
    if (outcomeSoFar(event.transcriptPath, pending) !== undefined) return;
    await sleep(LOOK_EVERY_MS);
  }
}

function isInTranscript({ kind, subagent }: Pending): boolean {
  return !isAnswered(kind) && subagent === undefined;
}

/** The result of the tool shows how it was decided, unless that still runs. */
export function atKeyboard({ event }: HookContext, pending: Pending): Partial<AnswerFacts> {
  const kind = isInTranscript(pending)
    ? keyboardOutcome(event.transcriptPath, pending, sinceNow())
    : undefined;
  return kind === undefined
    ? leftAtKeyboard(pending.kind)
    : { ...KEYBOARD, via: "keyboard", decision: { kind } };
}

/** Counts from now, not from the start of the hook. A hook that is being ended has little time. */
function sinceNow(): BlockingClock {
  const began = performance.now();
  return { now: () => performance.now() - began, sleep: sleepSync };
}

/** A question was left. How a permission was decided is not known at this moment. */
function leftAtKeyboard(kind: Pending["kind"]): Partial<AnswerFacts> {
  return { ...KEYBOARD, via: "keyboard", outcome: isAnswered(kind) ? "left" : "unknown" };
}
