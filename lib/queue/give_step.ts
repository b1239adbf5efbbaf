/** Gives a step to Claude, as soon as the session takes a prompt. */

import { readStop } from "../doors/spending_stops.ts";
import { newWakeId } from "../new_wake.ts";
import { readMemory } from "../session_memory.ts";
import { pausedFor } from "../step_endings.ts";
import { given, notGiven, toGive, unread } from "../step_giving.ts";
import { proofOf, sizeOf } from "../step_proof.ts";
import type { Queue, Step, StepGiving } from "../steps.ts";
import { type AfterMove, QUICK_LOOK_MS, type RunningQueue } from "./running_queue.ts";

/** After Stop, Claude Code may still run other hooks. */
const FREE_WITHIN_MS = 20_000;
const STARTS_WITHIN_MS = 180_000;
const MOST_REFUSALS = 5;
const REFUSED_SLEEP_MS = 2000;

/** `text`: the step's own, or what sends Claude on with it. */
export async function giveStep(
  run: RunningQueue,
  queue: Queue,
  step: Step,
  text: string,
): Promise<AfterMove> {
  const ready = await whenFree(run, queue);
  if (ready !== "free") return ready === "changed" ? "go on" : "leave";
  const { world, session } = run;
  const memory = readMemory(world.paths, session);
  // The resumed conversation may lack it: Claude Code writes a prompt down a little later.
  const isRead = step.cut !== "ended" || step.giving === undefined ||
    proofOf(step.giving, memory.transcript_path || step.giving.transcript_path).kind !== "none";
  if (!isRead) {
    run.change((now) => unread(now, step.n));
    return "go on";
  }
  const at = world.now();
  const giving: StepGiving = {
    instruction_id: newWakeId(at.getTime()),
    at: at.toISOString(),
    text,
    claude_session_id: memory.claude_session_id,
    transcript_path: memory.transcript_path,
    position: sizeOf(memory.transcript_path),
  };
  let isStill = false;
  run.change((now) => {
    const move = run.nextMove(now);
    isStill = move.kind === "give" && move.step.n === step.n;
    return isStill ? toGive(now, step.n, giving) : now;
  });
  if (!isStill) return "go on";
  const { by, by_kind } = step;
  const giver = { by, by_kind, instruction_id: giving.instruction_id };
  const result = await world.give(queue, text, giver);
  if (result.kind === "done") run.change((now) => given(now, step.n, world.now()));
  else if (!result.isUnsure) await refused(run, step, result.reason);
  return "go on";
}

/** "changed": somebody has changed the queue meanwhile. */
async function whenFree(run: RunningQueue, queue: Queue): Promise<"free" | "changed" | "leave"> {
  const began = run.now();
  for (;;) {
    const { state, reason } = await run.world.look(queue);
    if (state === "free") return "free";
    if (state === "gone") return "leave";
    if (state === "several") {
      const why = "several panes of the session run Claude Code: close all but one";
      run.pause(queue, "road", why, { said: reason });
      return "changed";
    }
    const patience = state === "starting" ? STARTS_WITHIN_MS : FREE_WITHIN_MS;
    if (run.now() - began > patience) return "leave";
    await run.world.sleep(QUICK_LOOK_MS);
    if (run.hasChanged(queue)) return "changed";
  }
}

/** Nothing was given: it waits again, and after some refusals the queue pauses. */
async function refused(run: RunningQueue, { n }: Step, reason: string): Promise<void> {
  const { world } = run;
  const now = world.now();
  const isSpent = readStop(world.paths, run.session) !== undefined;
  let count = 0;
  const after = run.change((queue) => {
    const waiting = notGiven(queue, n);
    if (waiting === queue) return queue; // it has begun all the same
    count = (queue.refusals ?? 0) + 1;
    const next = { ...waiting, refusals: count };
    if (count < MOST_REFUSALS && !isSpent) return next;
    const { refusals: _, ...rest } = next;
    const why = `step ${n} could not be given`;
    const wakeId = newWakeId(now.getTime());
    const cause = isSpent ? "budget" : "road";
    return pausedFor(rest, cause, why, now.toISOString(), wakeId, { said: reason });
  });
  const isPaused = after?.paused?.why === "road" || after?.paused?.why === "budget";
  if (after !== undefined && isPaused) run.note(after, "paused", undefined, reason);
  else if (count > 0) await world.sleep(REFUSED_SLEEP_MS * count);
}
