/** What the runner of a queue has to do now. Pure. */

import {
  CONTINUE,
  currentStep,
  isOpen,
  isRepeatable,
  matches,
  nextStep,
  type Pause,
  type Queue,
  type Step,
} from "./steps.ts";

export type Move =
  /** All steps are done: report that to the agent, and drop the queue. */
  | { kind: "report" }
  | { kind: "tell the pause" }
  /** The limit is over. */
  | { kind: "go on" }
  /** Was it given? */
  | { kind: "look up"; step: Step }
  /** Its turn runs. */
  | { kind: "watch"; step: Step }
  | { kind: "give"; step: Step; text: string }
  /** Its condition is not met. */
  | { kind: "unmet"; step: Step }
  | { kind: "wait"; until: number }
  /** An event, or somebody, has to come first. */
  | { kind: "rest" };

export interface Facts {
  now: number;
  /** The session is paused or taken; until when, where that is known. */
  held?: { until?: number };
  /** Claude's last words, where no step has any yet. */
  last?: string;
}

/** What a runner has to do now. */
export function whatNext(queue: Queue, { now, held, last = "" }: Facts): Move {
  if (queue.report !== undefined) return { kind: "report" };
  const current = currentStep(queue);
  if (current?.state === "giving") return { kind: "look up", step: current };
  if (current !== undefined && current.cut === undefined) return { kind: "watch", step: current };
  const { paused } = queue;
  if (paused !== undefined) {
    if (isThrough(queue, paused)) return { kind: "report" };
    if (!paused.told) return { kind: "tell the pause" };
    const until = Date.parse(paused.until ?? "");
    if (Number.isNaN(until)) return { kind: "rest" };
    return until <= now ? { kind: "go on" } : { kind: "wait", until };
  }
  const step = current ?? nextStep(queue);
  if (step === undefined) return { kind: "report" };
  if (held !== undefined) {
    return held.until === undefined ? { kind: "rest" } : { kind: "wait", until: held.until };
  }
  const stopping = Date.parse(queue.stopping ?? "");
  if (stopping > now) return { kind: "wait", until: stopping };
  if (step.cut !== undefined) return { kind: "give", step, text: CONTINUE };
  const after = Date.parse(step.after ?? "");
  if (after > now) return { kind: "wait", until: after };
  const words = queue.last?.text ?? last;
  const isMet = step.isWanted || step.if_last_matches === undefined ||
    matches(words, step.if_last_matches);
  return isMet ? { kind: "give", step, text: step.text } : { kind: "unmet", step };
}

/** Nothing is left that the pause could hold, or that could be repeated. */
function isThrough({ steps }: Queue, { why }: Pause): boolean {
  return ["asked", "esc", "person"].includes(why) && !steps.some(isOpen) &&
    !steps.slice(-1).some(isRepeatable);
}
