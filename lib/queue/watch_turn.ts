/** Finds the end of a step's turn where no hook reports it. */

import { readStop } from "../doors/spending_stops.ts";
import { failureKind } from "../failures.ts";
import type { TranscriptEnd } from "../fleet/transcript_end.ts";
import { resetIn } from "../limit_reset.ts";
import { isLimit } from "../queue_turns.ts";
import { ended, failed, stopped } from "../step_endings.ts";
import { commandOf, type Queue, type Step } from "../steps.ts";
import { leaveUnsure } from "./check_given.ts";
import {
  type AfterMove,
  HOOKS_FIRST_MS,
  QUICK_LOOK_MS,
  type RunningQueue,
  SLOW_LOOK_MS,
} from "./running_queue.ts";
import { isInBox, isSurelyIdle, type SessionLook } from "./session_look.ts";

/** With a companion, the runner watches a turn only for this long: short turns need no other one. */
const STAYS_MS = 4000;
/** How the transcript ends when no turn runs. */
const OVER = ["answer", "failed", "interrupted"];
/** So long a turn may go on with a subagent, or at a set time (an hour at most), without a sign. */
const GOES_ON_WITHIN_MS = 7_200_000;
/** After a crash its hook tells within this time that Claude Code has started again. */
const STARTS_WITHIN_MS = 90_000;

export async function watchTurn(run: RunningQueue, queue: Queue, step: Step): Promise<AfterMove> {
  const { world } = run;
  const began = run.now();
  for (;;) {
    await world.sleep(run.now() - began < STAYS_MS ? QUICK_LOOK_MS : SLOW_LOOK_MS);
    if (run.hasChanged(queue)) return "go on";
    const end = run.transcriptEnd(step);
    const isUnread = end !== undefined && isOlder(end, step);
    const isQuiet = end !== undefined && run.now() - end.writtenAt > HOOKS_FIRST_MS &&
      run.now() - Date.parse(step.began_at ?? "") > HOOKS_FIRST_MS;
    const goesOn = step.goes_on === true && end?.kind === "answer" &&
      run.now() - end.writtenAt < GOES_ON_WITHIN_MS;
    if (isQuiet && !goesOn) {
      const look = await world.look(queue);
      if (look.state === "gone") return "leave";
      if (look.state === "free" && await isTurnOver(run, queue, step, end, look)) {
        // Esc before the first word leaves no line, and puts the prompt back into the box.
        const isBack = isUnread && isInBox(look, step.giving?.text ?? step.text);
        if (!isUnread || isBack) {
          endWithoutHook(run, step, isBack ? { ...end, kind: "interrupted" } : end);
          return "go on";
        }
        const since = Math.max(began, Date.parse(step.began_at ?? "") || 0);
        if (run.now() - since > STARTS_WITHIN_MS) {
          leaveUnsure(run, step.n, "begun", step.text);
          return "go on";
        }
      }
    }
    const isOver = end !== undefined && OVER.includes(end.kind) && !isUnread && !goesOn;
    const staysMs = isUnread ? 2 * STARTS_WITHIN_MS : STAYS_MS;
    if (!isOver && world.hasCompanion(queue) && run.now() - began > staysMs) return "leave";
    if (isQuiet) await world.sleep(HOOKS_FIRST_MS / 2);
  }
}

/**
 * The transcript ends before the step was given: Claude Code was killed before it had written the
 * prompt down, or a person took the prompt back. What is there is the end of an earlier turn.
 */
function isOlder({ at }: TranscriptEnd, { giving }: Step): boolean {
  if (giving === undefined || at === 0 || commandOf(giving.text) !== "") return false;
  return at < Date.parse(giving.at);
}

/** The transcript says that no turn runs, or the screen does, twice. */
async function isTurnOver(
  run: RunningQueue,
  queue: Queue,
  step: Step,
  end: TranscriptEnd,
  look: SessionLook,
): Promise<boolean> {
  const { text, giving } = step;
  if (OVER.includes(end.kind) && !isOlder(end, step)) return true;
  const prompt = giving?.text ?? text;
  if (!isSurelyIdle(look, prompt)) return false;
  await run.world.sleep(SLOW_LOOK_MS);
  const isSame = run.transcriptEnd(step)?.writtenAt === end.writtenAt;
  return isSame && isSurelyIdle(await run.world.look(queue), prompt);
}

/** No hook has reported how its turn ended. */
function endWithoutHook(run: RunningQueue, { n }: Step, end: TranscriptEnd): void {
  const status = end.kind === "answer" ? "done" : "failed";
  run.changeStep(n, "begun", status, (queue, step, now, wakeId) => {
    if (step.cut !== undefined) return queue;
    if (end.kind === "answer") {
      const over = ended(queue, step, { promptId: end.promptId, text: end.words, now }, wakeId);
      // As at a Stop: the agent knows of the pause, and not of this end.
      const { paused } = over;
      return paused === undefined
        ? over
        : { ...over, paused: { ...paused, told: false, wake_id: wakeId } };
    }
    if (end.kind !== "failed") {
      // A person's Esc has its own wake, and is noted before.
      const limit = readStop(run.world.paths, run.session)?.why;
      return stopped(queue, step, now.toISOString(), wakeId, false, limit);
    }
    const kind = failureKind(end.error, end.message).name;
    const resets = resetIn(end.message, end.at);
    return failed(queue, step, {
      kind,
      isLimit: isLimit(kind),
      ...(resets === undefined ? {} : { resetsAt: new Date(resets).toISOString() }),
      now,
      told: false,
    }, wakeId);
  }, "no hook has reported its end");
}
