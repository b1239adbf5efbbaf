/** The wakes of a queue: that it is through, and that it waits. Pure. */

import type { Paths } from "../paths.ts";
import { pausedActions } from "../queue_turns.ts";
import {
  brief,
  currentStep,
  endsOf,
  isOpen,
  nextStep,
  type Queue,
  stateOfQueue,
  type Step,
} from "../steps.ts";
import type { WakeDraft } from "../wake.ts";

const NOTHING_SAID = "(Claude said nothing at the end.)";
const MOST_BLOCKS = 12_000;

export function doneDraft(queue: Queue, actions: string[]): WakeDraft {
  const over = queue.steps.filter((step) => !isOpen(step));
  const first = over.map(({ began_at }) => Date.parse(began_at ?? "")).find((at) => at > 0);
  const last = Math.max(...over.map(({ ended_at }) => Date.parse(ended_at ?? "") || 0));
  return {
    trigger: "queue_done",
    section: "CONTENT",
    before: { title: "The steps, each with its first lines:", text: listOf(over) },
    body: `At the end of the last step Claude said:\n\n${queue.last?.text || NOTHING_SAID}`,
    state: "idle",
    details: {
      steps: endsOf(over),
      ...(first === undefined || last < first ? {} : { took: spanOf(last - first) }),
      queue: "through",
    },
    actions,
  };
}

const ADVICE: Partial<Record<NonNullable<Queue["paused"]>["why"], string>> = {
  person: "a person works in the session: ask before you let the queue go on",
  esc: "somebody stopped the turn: find out why before you let the queue go on",
  stop_on: "read what Claude says, then decide: resume gives the next step",
  condition: "resume gives the step all the same; drop it if it is not wanted",
  budget:
    "when the limit has ended, resume goes on; resume --again repeats a step that was stopped",
  road: "look at the session; resume tries again",
  lost: "resume goes on with the next step, resume --again repeats the one that was lost",
  failure: "resume goes on with the next step, resume --again repeats the one that failed",
  unsure: "look at the session; resume goes on with the next step, resume --again gives it again",
  limit: "resume goes on with the next step, resume --again repeats the one that failed",
};

export function pausedDraft(paths: Paths, queue: Queue, actions: string[]): WakeDraft {
  const { why, reason, said } = queue.paused!;
  const next = nextStep(queue);
  const current = currentStep(queue);
  const words = said ?? queue.last?.text ?? "";
  const over = queue.steps.filter((step) => !isOpen(step));
  const waits = next === undefined ? "" : `The next step is ${next.n}:\n${next.text}`;
  return {
    trigger: "queue_paused",
    section: "CONTENT",
    ...(over.length === 0
      ? {}
      : { before: { title: "The steps so far:", text: listOf(over.slice(-5)) } }),
    body: [words, waits].filter((part) => part !== "").join("\n\n") || "(Nothing was said.)",
    state: current === undefined ? "idle" : "working",
    details: {
      paused_by: why === "stop_on" || why === "condition" ? `--${OPTION[why]}` : why,
      reason,
      ...(ADVICE[why] === undefined ? {} : { advice: ADVICE[why] }),
      queue: stateOfQueue(queue).replace(`: ${reason}`, ""),
    },
    actions: [...pausedActions(paths, queue), ...actions],
  };
}

const OPTION = { stop_on: "stop-on", condition: "if-last-matches" };

/** Of many steps only the last ones keep their text. */
function listOf(steps: Step[]): string {
  const blocks = steps.map(blockOf);
  let room = MOST_BLOCKS;
  for (let i = blocks.length - 1; i >= 0; i--) {
    room -= blocks[i]!.length;
    if (room < 0) blocks[i] = headOf(steps[i]!);
  }
  return blocks.join("\n");
}

function headOf(step: Step): string {
  const took = Date.parse(step.ended_at ?? "") - Date.parse(step.began_at ?? "");
  const time = Number.isFinite(took) ? ` in ${spanOf(took)}` : "";
  const why = step.why === undefined ? "" : `: ${step.why}`;
  return `${step.n}. ${brief(step.text, 100)} (${step.state}${time}${why})`;
}

function blockOf(step: Step): string {
  const result = step.result?.trim() ?? "";
  if (result === "") return headOf(step);
  return `${headOf(step)}\n${result.split("\n").map((line) => `   ${line}`).join("\n")}`;
}

/** `4 s`, `12 min`, `3 h 20 min`. */
export function spanOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
