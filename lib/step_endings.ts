/** How a step ends, and what pauses a queue. Pure: a queue in, a queue out. */

import { withOver, withStep } from "./step_giving.ts";
import {
  brief,
  currentStep,
  firstLines,
  isDoneBy,
  isOpen,
  isRepeatable,
  matches,
  nextStep,
  type Pause,
  type PauseCause,
  type Queue,
  type Step,
} from "./steps.ts";

const MOST_LAST = 64_000;

export interface TurnEnd {
  promptId: string;
  text: string;
  now: Date;
}

/** A step is over. `wakeId`: of the wake that would tell a pause. */
export function ended(queue: Queue, step: Step, end: TurnEnd, wakeId: string): Queue {
  const at = end.now.toISOString();
  const over = withOver(queue, step.n, {
    state: "done",
    ended_at: at,
    result: firstLines(end.text),
  });
  const last = { text: end.text.slice(0, MOST_LAST), prompt_id: end.promptId, at };
  const after: Queue = { ...over, last };
  const { stop_on } = step;
  if (stop_on === undefined || !matches(end.text, stop_on)) return after;
  if (nextStep(after) === undefined || after.paused !== undefined) return after;
  return pausedFor(after, "stop_on", `step ${step.n} says "${brief(stop_on)}"`, at, wakeId);
}

const STRONGER: PauseCause[] = ["person", "esc", "lost", "asked"];

export function pausedFor(
  queue: Queue,
  why: PauseCause,
  reason: string,
  at: string,
  wakeId: string,
  more: Pick<Partial<Pause>, "told" | "until" | "said"> = {},
): Queue {
  // A pause that was asked for or reported stays as it is. One that ends by itself does
  // not: nothing may be typed into a session that a person uses, or that is another one by then.
  const isReplaced = queue.paused?.until !== undefined && STRONGER.includes(why);
  if (queue.paused !== undefined && !isReplaced) return queue;
  return { ...queue, paused: { why, reason, at, told: false, wake_id: wakeId, ...more } };
}

/** The turn of a step has failed; the failure itself has a wake of its own. */
export function failed(
  queue: Queue,
  step: Step,
  failure: { kind: string; isLimit: boolean; resetsAt?: string; now: Date; told: boolean },
  wakeId: string,
): Queue {
  const { kind, isLimit, resetsAt, now, told } = failure;
  const at = now.toISOString();
  const next = nextStep(queue);
  if (isLimit && (step.after === "reset" || next?.after === "reset")) {
    // It is finished by "continue" when the limit has ended.
    const cut = withStep(queue, step.n, { cut: "limit" });
    const until = resetsAt ?? new Date(now.getTime() + UNKNOWN_RESET_MS).toISOString();
    const reason = `step ${step.n} met a limit: it goes on by itself at ${until.slice(0, 16)}Z`;
    return pausedFor(cut, "limit", reason, at, wakeId, { told, until });
  }
  const over = withOver(queue, step.n, { state: "failed", ended_at: at, why: kind });
  const why = isLimit ? "limit" : "failure";
  return pausedFor(over, why, `step ${step.n} failed: ${kind}`, at, wakeId, { told });
}

/** The command may have run: it is not given again. */
export function leftUnsure(
  queue: Queue,
  { n }: Step,
  why: string,
  at: string,
  wakeId: string,
): Queue {
  const over = withOver(queue, n, { state: "unsure", ended_at: at, why });
  return pausedFor(over, "unsure", `step ${n}: ${why}`, at, wakeId);
}

/** A limit that names no end is tried again after this time. */
const UNKNOWN_RESET_MS = 300_000;

/** Somebody stopped the turn of a step. */
export function stopped(
  queue: Queue,
  step: Step,
  at: string,
  wakeId: string,
  told: boolean,
  /** The limit of spending that is reached, if one is: the watch has stopped the turn. */
  limit?: string,
): Queue {
  const how = limit === undefined ? "(Esc)" : `by a limit: ${limit}`;
  const over = withOver(queue, step.n, {
    state: "failed",
    ended_at: at,
    why: `its turn was stopped ${how}`,
  });
  const cause = limit === undefined ? "esc" : "budget";
  const reason = `the turn of step ${step.n} was stopped ${how}`;
  return pausedFor(over, cause, reason, at, wakeId, { told });
}

/** Claude Code has started again, or has a new conversation. */
export function started(queue: Queue, source: string, now: Date, wakeId: string): Queue {
  const step = currentStep(queue);
  if (step === undefined) return queue;
  const at = now.toISOString();
  if (isDoneBy(step.giving?.text ?? step.text, source)) return commandDone(queue, step, at);
  if (step.state !== "begun") return queue;
  // During a limit anybody can clear it: `continue` would mean nothing then.
  const isCleared = source === "clear" && step.cut !== undefined;
  if (source !== "resume" && source !== "startup" && !isCleared) return queue;
  if (source === "resume") return withStep(queue, step.n, { cut: "ended" });
  const why = isCleared
    ? "the conversation was cleared before it was finished"
    : "Claude Code ended during its turn, and the conversation is another one now";
  const over = withOver(queue, step.n, { state: "failed", ended_at: at, why });
  return pausedFor(over, "lost", `step ${step.n} failed: ${why}`, at, wakeId);
}

export function commandDone(queue: Queue, step: Step, at: string, result = ""): Queue {
  const began = { began_at: step.began_at ?? step.giving?.at ?? at };
  return withOver(queue, step.n, { state: "done", ended_at: at, result, ...began });
}

/** Goes on after a pause. `isAgain`: with the step that has failed. */
export function resumed(queue: Queue, { isAgain = false } = {}): Queue {
  const { paused, refusals: _, by_person: _b, ...rest } = queue;
  const failedStep = isAgain ? rest.steps.findLast(isRepeatable) : undefined;
  if (failedStep !== undefined) {
    const { ended_at: _e, began_at: _s, why: _w, giving: _g, prompt_id: _p, ...more } = failedStep;
    const { cut: _c, goes_on: _o, ...step } = more;
    const steps = rest.steps.map((one): Step =>
      one.n === failedStep.n ? { ...step, state: "waiting" } : one
    );
    return { ...rest, steps };
  }
  const next = nextStep(rest);
  if (paused?.why !== "condition" || next === undefined) return rest;
  return withStep(rest, next.n, { isWanted: true });
}

/** After the report: what was added meanwhile stays. Undefined: nothing is left. */
export function reported(queue: Queue): Queue | undefined {
  const steps = queue.steps.filter(isOpen);
  if (steps.length === 0) return undefined;
  const { report: _, last: _l, ...rest } = queue;
  return { ...rest, steps };
}

/** While Claude Code is ended, until a time at the latest; undefined: it was ended, or goes on. */
export function withStop(queue: Queue, until: string | undefined): Queue {
  const { stopping: _, ...rest } = queue;
  return until === undefined ? rest : { ...rest, stopping: until };
}
