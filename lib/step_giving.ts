/** How a step reaches Claude. Pure: a queue in, a queue out. */

import type { Queue, Step, StepGiving, StepState } from "./steps.ts";

export function withStep(queue: Queue, n: number, change: Partial<Step>): Queue {
  const steps = queue.steps.map((step) => step.n === n ? { ...step, ...change } : step);
  return { ...queue, steps };
}

/** It is done, or has failed. */
export function withOver(queue: Queue, n: number, change: Partial<Step>): Queue {
  const steps = queue.steps.map((step): Step => {
    if (step.n !== n) return step;
    const { cut: _, goes_on: _g, ...rest } = step;
    return { ...rest, ...change };
  });
  return { ...queue, steps };
}

/** Before it is given. */
export function toGive(queue: Queue, n: number, giving: StepGiving): Queue {
  return withStep(queue, n, { state: "giving", giving });
}

/** The driver has given it; the proof is still to come. */
export function given(queue: Queue, n: number, now: Date): Queue {
  const step = queue.steps.find((one) => one.n === n);
  if (step?.state !== "giving" || step.giving === undefined) return queue;
  const { refusals: _, by_person: _p, ...rest } = queue;
  return withStep(rest, n, { giving: { ...step.giving, given_at: now.toISOString() } });
}

/** It was not given: it waits again, at its place. */
export function notGiven(queue: Queue, n: number): Queue {
  const step = queue.steps.find((one) => one.n === n);
  if (step?.state !== "giving") return queue;
  const { giving: _, ...rest } = step;
  const state: StepState = step.cut === undefined ? "waiting" : "begun";
  const steps = queue.steps.map((one) => one.n === n ? { ...rest, state } : one);
  return { ...queue, steps };
}

/**
 * Claude Code was killed before it had written the prompt down: no one has read the step. Where
 * that was the `continue` of a step, the step itself was read: it is continued again.
 */
export function unread(queue: Queue, n: number): Queue {
  const steps = queue.steps.map((step): Step => {
    if (step.n !== n || step.cut === undefined) return step;
    const { giving, ...read } = step;
    if (giving !== undefined && giving.text !== step.text) return { ...read, cut: "ended" };
    const { cut: _, prompt_id: _p, began_at: _b, ...rest } = read;
    return { ...rest, state: "waiting" };
  });
  return { ...queue, steps };
}

/** Its prompt has reached Claude. */
export function begun(queue: Queue, n: number, promptId: string, now: Date): Queue {
  const step = queue.steps.find((one) => one.n === n);
  if (step?.state !== "giving") return queue;
  const { cut: _, ...rest } = step;
  const steps = queue.steps.map((one): Step =>
    one.n !== n ? one : {
      ...rest,
      state: "begun",
      prompt_id: promptId,
      began_at: step.began_at ?? now.toISOString(),
    }
  );
  return { ...queue, steps };
}

/** Its turn has ended, and Claude goes on by itself: the step is not over. */
export function goingOn(queue: Queue, n: number, promptId: string, now: Date): Queue {
  const after = begun(queue, n, promptId, now);
  const isRunning = after.steps.some((step) => step.n === n && step.state === "begun");
  return isRunning ? withStep(after, n, { goes_on: true }) : queue;
}

/** Claude goes on, with a prompt of its own. */
export function wentOn(queue: Queue, n: number, promptId: string): Queue {
  const steps = queue.steps.map((step): Step => {
    if (step.n !== n) return step;
    const { goes_on: _, ...rest } = step;
    return { ...rest, prompt_id: promptId };
  });
  return { ...queue, steps };
}
