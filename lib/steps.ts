/**
 * The queue of a session: steps that Claude is given one after the other, each once. What an event
 * does to it, and what comes next, is decided here. Pure: a queue in, a queue out.
 *
 *   waiting → giving → begun → done | failed
 *      │         └→ unsure
 *      └→ skipped
 */

import type { ByKind } from "./records.ts";

export type StepState =
  | "waiting"
  | "giving"
  | "begun"
  | "done"
  | "failed"
  | "skipped"
  /** It may have been run, and nothing shows whether: it is not given again unasked. */
  | "unsure";

export interface Step {
  n: number;
  text: string;
  by: string;
  by_kind: ByKind;
  added_at: string;
  /** Not before this time (ISO); "reset": also goes on by itself when a limit ends. */
  after?: string;
  /** Given only if Claude's last words have this text. */
  if_last_matches?: string;
  /** The queue pauses if Claude's words at the end of this step have this text. */
  stop_on?: string;
  /** A person or the agent has said to go on: its condition is no longer asked. */
  isWanted?: true;
  state: StepState;
  giving?: StepGiving;
  /** The turn that it has begun. */
  prompt_id?: string;
  began_at?: string;
  ended_at?: string;
  /** Its turn was cut off: Claude is told to continue, which ends the step. */
  cut?: "ended" | "limit";
  /** Its turn has ended and left something running that wakes Claude again. */
  goes_on?: true;
  /** The first lines of what Claude said. */
  result?: string;
  /** Why it failed or was skipped. */
  why?: string;
}

/** Written before the step is given: who finds it after a crash can look whether it was. */
export interface StepGiving {
  instruction_id: string;
  at: string;
  /** The step's text, or what sends Claude on. */
  text: string;
  /** Where the conversation was then. */
  claude_session_id: string;
  transcript_path: string;
  position: number;
  /** The driver has said that it was given, then. */
  given_at?: string;
  /** The Stop hook gives it, as its answer. */
  by_stop?: true;
}

export type PauseCause =
  | "person"
  | "esc"
  | "failure"
  | "limit"
  | "stop_on"
  | "condition"
  | "asked"
  | "road"
  | "budget"
  | "lost"
  | "unsure";

export interface Pause {
  why: PauseCause;
  /** In our own words. */
  reason: string;
  at: string;
  /** It ends by itself then. */
  until?: string;
  /** What the driver said, or Claude: foreign text. */
  said?: string;
  /** The agent knows, by this wake or by another one. */
  told: boolean;
  wake_id: string;
}

export interface Queue {
  session: string;
  agent_id: string;
  /** The tmux server, where `tmux` alone would not find it. */
  socket?: string;
  /** The number of the next step. */
  next: number;
  steps: Step[];
  /** What Claude said at the end of the last turn that belongs to a step. */
  last?: { text: string; prompt_id: string; at: string };
  paused?: Pause;
  /** How often the driver could not give the step, one time after the other. */
  refusals?: number;
  /** Claude Code is about to be ended: no step is given before this time. */
  stopping?: string;
  /** A person has said to go on, and no step was given since. */
  by_person?: true;
  /** Begun: the wake that tells its end. */
  report?: { wake_id: string; prompt_id: string };
}

/** What Claude is told where its turn was cut off. */
export const CONTINUE = "continue";

const MOST_RESULT = 600;
const MOST_LAST = 64_000;

export function isOpen({ state }: Step): boolean {
  return state === "waiting" || state === "giving" || state === "begun";
}

/** Not with Claude: it has still to begin, or was cut off and has still to go on. */
export function isWaiting({ state, cut }: Step): boolean {
  return state === "waiting" || (state === "begun" && cut !== undefined);
}

/** The step that is with Claude, or on its way there. */
export function currentStep({ steps }: Queue): Step | undefined {
  return steps.find(({ state }) => state === "giving" || state === "begun");
}

export function nextStep({ steps }: Queue): Step | undefined {
  return steps.find(({ state }) => state === "waiting");
}

export function waitingCount({ steps }: Queue): number {
  return steps.filter(({ state }) => state === "waiting").length;
}

export type Move =
  /** All is done: the agent is told, and the queue forgotten. */
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

/** Anywhere in the text; case and the kind of blanks do not count. */
export function matches(text: string, part: string): boolean {
  return squeezed(text).includes(squeezed(part));
}

function squeezed(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ");
}

export function withStep(queue: Queue, n: number, change: Partial<Step>): Queue {
  const steps = queue.steps.map((step) => step.n === n ? { ...step, ...change } : step);
  return { ...queue, steps };
}

/** It is done, or has failed. */
function withOver(queue: Queue, n: number, change: Partial<Step>): Queue {
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
 * Claude Code was killed before it had written the prompt down: nobody has read the step. Where
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

/** By the instruction that caused a prompt. */
export function stepOfInstruction(queue: Queue, instructionId: string): Step | undefined {
  return queue.steps.find(({ giving }) => giving?.instruction_id === instructionId);
}

export interface TurnEnd {
  promptId: string;
  text: string;
  now: Date;
}

/**
 * Whose turn that was: the step that runs, or the last one, whose turn another hook sent on.
 * `isUnknown`: no hook has seen its prompt. Then it is that of the step which was just given.
 */
export function stepOfTurn(queue: Queue, promptId: string, isUnknown = false): Step | undefined {
  const current = currentStep(queue);
  const own = promptId === ""
    ? undefined
    : queue.steps.findLast(({ prompt_id }) => prompt_id === promptId);
  if (own !== undefined) return own;
  if (current?.state === "giving") return isUnknown ? current : undefined;
  const isBegun = current !== undefined && current.cut === undefined;
  return isBegun && (promptId === "" || !current.prompt_id) ? current : undefined;
}

/** Its end is still to be noted; another hook may also send on the turn of the last one. */
export function isEnding(queue: Queue, step: Step): boolean {
  const current = currentStep(queue);
  if (current !== undefined) return current.n === step.n && step.cut === undefined;
  return step.state === "done" && queue.last?.prompt_id === step.prompt_id;
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
  // A pause that somebody has asked for, or knows of, stays as it is. One that ends by itself does
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

/** A command was perhaps run: better not done than done twice. */
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

/** `resume --again` gives it once more. */
export function isRepeatable({ state }: Step): boolean {
  return state === "failed" || state === "unsure";
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

/** `/clear` and `/compact` begin no turn: a SessionStart says that they are done. */
export function isDoneBy(text: string, source: string): boolean {
  const command = commandOf(text);
  if (source === "clear") return ["clear", "new", "reset"].includes(command);
  return source === "compact" && command === "compact";
}

export function commandOf(text: string): string {
  return /^\/([\w:.-]+)(\s|$)/.exec(text)?.[1] ?? "";
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

/** One line for wakes and lists. Our own words. */
export function stateOfQueue(queue: Queue): string {
  const { steps, paused } = queue;
  const done = steps.filter((step) => !isOpen(step)).length;
  const waiting = waitingCount(queue);
  const current = currentStep(queue);
  const wait = `${waiting} ${waiting === 1 ? "step waits" : "steps wait"}`;
  if (paused !== undefined) return `paused, ${wait}: ${paused.reason}`;
  const runs = current === undefined ? "" : `step ${current.n} runs, `;
  return `${runs}${wait}, ${done} done`;
}

/** Some lines, of which none is cut in the middle where that can be avoided. */
export function firstLines(text: string, most = MOST_RESULT): string {
  const lines = text.trim().split("\n").slice(0, 6).join("\n");
  return lines.length <= most ? lines : `${lines.slice(0, most)}…`;
}

export function brief(text: string, most = 60): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}
