/** What people and agents do to a queue: add, drop, move, clear, hold. Pure. */

import { EXITS } from "../driver/prompt_words.ts";
import type { Giver } from "../records.ts";
import { isOpen, isWaiting, type Queue, type Step } from "../steps.ts";

export interface NewStep {
  text: string;
  after?: string;
  if_last_matches?: string;
  stop_on?: string;
}

const MOST_STEPS = 1000;
const MOST_CHARS = 100_000;

/** Why these steps cannot be added; undefined when they can. A step ends in a turn of Claude. */
export function whyNotAdded(queue: Queue | undefined, texts: string[]): string | undefined {
  if (texts.length === 0) return "there is no step";
  const count = (queue?.steps.filter(isOpen).length ?? 0) + texts.length;
  if (count > MOST_STEPS) return `a queue has at most ${MOST_STEPS} steps`;
  for (const text of texts) {
    if (text.trim() === "") return "a step needs a text";
    if (text.length > MOST_CHARS) return `a step has at most ${MOST_CHARS} characters`;
    if (EXITS.test(text)) return `"${text.trim()}" ends Claude Code: gsd-code stop does that`;
    if (/^\s*!/.test(text)) return "a step that begins with ! would run a command without Claude";
  }
  return undefined;
}

export function added(
  queue: Queue | undefined,
  at: { session: string; agent_id: string; socket?: string },
  steps: NewStep[],
  { by, by_kind }: Giver,
  now: Date,
): { queue: Queue; added: Step[] } {
  const before: Queue = queue ?? { next: 1, steps: [], ...at };
  const added_at = now.toISOString();
  const fresh = steps.map((step, index): Step => ({
    n: before.next + index,
    ...{ by, by_kind, added_at, state: "waiting" },
    ...step,
  }));
  return {
    queue: {
      ...before,
      ...at,
      next: before.next + fresh.length,
      steps: [...before.steps, ...fresh],
    },
    added: fresh,
  };
}

/** The queue without these steps, or why not. Undefined: nothing is left. */
export function dropped(queue: Queue, numbers: number[]): Queue | undefined | string {
  for (const n of numbers) {
    const problem = whyNotWaiting(queue, n);
    if (problem !== undefined) return problem;
  }
  const steps = queue.steps.filter(({ n }) => !numbers.includes(n));
  if (steps.length === 0) return undefined;
  if (steps.some(isOpen)) return { ...queue, steps };
  // The queue is done: a pause would delay the report of its end.
  const { paused: _, ...rest } = queue;
  return { ...rest, steps };
}

function whyNotWaiting({ steps }: Queue, n: number): string | undefined {
  const step = steps.find((one) => one.n === n);
  if (step === undefined) return `there is no step ${n}`;
  if (isWaiting(step)) return undefined;
  return isOpen(step)
    ? `step ${n} is with Claude already: esc of menu-driver stops its turn`
    : `step ${n} is ${step.state}`;
}

function whyNotMoved(queue: Queue, n: number): string | undefined {
  const problem = whyNotWaiting(queue, n);
  const isCut = queue.steps.some((step) => step.n === n && step.cut !== undefined);
  return problem ?? (isCut ? `step ${n} has begun: it is finished first` : undefined);
}

export type Place =
  | { kind: "first" }
  | { kind: "last" }
  | { kind: "before" | "after"; n: number };

export function moved(queue: Queue, n: number, to: Place): Queue | string {
  const problem = whyNotMoved(queue, n);
  if (problem !== undefined) return problem;
  const step = queue.steps.find((one) => one.n === n)!;
  const others = queue.steps.filter((one) => one.n !== n);
  const firstWaiting = others.findIndex(({ state }) => state === "waiting");
  const end = others.length;
  if (to.kind === "last") return { ...queue, steps: [...others, step] };
  if (to.kind === "first") return at(firstWaiting === -1 ? end : firstWaiting);
  if (to.n === n) return `step ${n} cannot be moved beside itself`;
  const other = whyNotMoved(queue, to.n);
  if (other !== undefined) return other;
  const index = others.findIndex((one) => one.n === to.n);
  return at(to.kind === "before" ? index : index + 1);

  function at(index: number): Queue {
    return { ...queue, steps: [...others.slice(0, index), step, ...others.slice(index)] };
  }
}

/** The queue without its waiting steps. Undefined: nothing is left. A running step goes on. */
export function cleared(queue: Queue): Queue | undefined {
  const { paused: _, refusals: _r, ...rest } = queue;
  const steps = queue.steps.filter((step) => !isWaiting(step));
  return steps.some(isOpen) ? { ...rest, steps } : undefined;
}

/** `14:40`, a date, `done` or `reset`: the step's field; a sentence for anything else. */
export function afterOf(
  word: string,
  now: Date,
): { after?: string } | string {
  if (word === "done") return {};
  if (word === "reset") return { after: "reset" };
  const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(word);
  if (clock !== null) {
    const day = new Date(now);
    day.setHours(Number(clock[1]), Number(clock[2]), 0, 0);
    if (day <= now) day.setDate(day.getDate() + 1);
    return { after: day.toISOString() };
  }
  const at = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(word) ? Date.parse(word.replace(" ", "T")) : NaN;
  return Number.isNaN(at)
    ? `--after needs done, reset, a time such as 14:40 or 2026-11-18T14:40, not "${word}"`
    : { after: new Date(at).toISOString() };
}

/** A step per line; between lines of `---` a step may have several. Lines with # first are notes. */
export function stepsIn(text: string): string[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const isBlocks = lines.some((line) => line.trim() === "---");
  if (!isBlocks) {
    return lines.filter((line) => line.trim() !== "" && !/^\s*#(\s|$)/.test(line))
      .map((line) => line.trim());
  }
  return lines.join("\n").split(/^\s*---\s*$/m).map((block) => block.trim())
    .filter((block) => block !== "");
}
