/**
 * The queue of a session: steps that Claude is given one after the other, each once. What an event
 * does to it is in step_giving.ts and step_endings.ts, what comes next in next_move.ts.
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
  /** Its turn was cut off: Claude gets the prompt to continue, which ends the step. */
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

/** The prompt for Claude where its turn was cut off. */
export const CONTINUE = "continue";

const MOST_RESULT = 600;

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

/** Anywhere in the text; case and the kind of blanks do not count. */
export function matches(text: string, part: string): boolean {
  return squeezed(text).includes(squeezed(part));
}

function squeezed(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ");
}

/** By the instruction that caused a prompt. */
export function stepOfInstruction(queue: Queue, instructionId: string): Step | undefined {
  return queue.steps.find(({ giving }) => giving?.instruction_id === instructionId);
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

/** `resume --again` gives it once more. */
export function isRepeatable({ state }: Step): boolean {
  return state === "failed" || state === "unsure";
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

/** One line for wakes and lists. Our own words. */
export function stateOfQueue(queue: Queue): string {
  const { steps, paused } = queue;
  const waiting = waitingCount(queue);
  const current = currentStep(queue);
  const wait = `${waiting} ${waiting === 1 ? "step waits" : "steps wait"}`;
  if (paused !== undefined) return `paused, ${wait}: ${paused.reason}`;
  const runs = current === undefined ? "" : `step ${current.n} runs, `;
  return `${runs}${wait}, ${endsOf(steps)}`;
}

/** `3 done, 1 failed` */
export function endsOf(steps: Step[]): string {
  const count = (state: Step["state"]) => steps.filter((step) => step.state === state).length;
  const others = (["failed", "unsure", "skipped"] as const).filter((state) => count(state) > 0);
  return [`${count("done")} done`, ...others.map((state) => `${count(state)} ${state}`)].join(", ");
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
