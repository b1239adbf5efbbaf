/** What the events of a session do to its queue, and what wakes say of it. */

import type { HookContext } from "./hook_context.ts";
import { note } from "./journal.ts";
import { messageOf } from "./json.ts";
import { resetIn } from "./limit_reset.ts";
import { newWakeId } from "./new_wake.ts";
import type { Paths } from "./paths.ts";
import { afterBlock, mayBlock, withBlock } from "./queue_block.ts";
import { eventOwner, readMemory } from "./session_memory.ts";
import { ended, failed, pausedFor, started, stopped } from "./step_endings.ts";
import { begun, goingOn, wentOn } from "./step_giving.ts";
import {
  currentStep,
  isDoneBy,
  isEnding,
  isOpen,
  isRepeatable,
  isWaiting,
  type Queue,
  stateOfQueue,
  type Step,
  stepOfInstruction,
  stepOfTurn,
} from "./steps.ts";
import { readQueue, updateQueue } from "./steps_file.ts";
import { shellQuote } from "./text.ts";
import type { Prompter } from "./typed.ts";
import { commandWords, otherSocket } from "./wake.ts";

/** The record of a step, for the journal. */
export function stepRecord(
  { session, agent_id }: Pick<Queue, "session" | "agent_id">,
  status: string,
  step: Pick<Step, "n" | "text"> & Partial<Step> | undefined,
  more: { reason?: string; by?: string; by_kind?: string } = {},
) {
  const took = Date.parse(step?.ended_at ?? "") - Date.parse(step?.began_at ?? "");
  return {
    kind: "step" as const,
    session,
    agent_id,
    status,
    ...(step === undefined ? {} : { step: step.n, text: step.text }),
    ...(Number.isFinite(took) ? { after_ms: Math.max(0, took) } : {}),
    ...more,
  };
}

/** A prompt has arrived: a step has begun, or somebody else goes on with the session. */
export async function promptArrived(context: HookContext, who: Prompter): Promise<void> {
  const { paths, session, event, now } = context;
  let step: Step | undefined;
  let isPaused = false;
  const after = await change(context, (queue) => {
    const own = who.instruction_id === undefined
      ? undefined
      : stepOfInstruction(queue, who.instruction_id);
    if (own?.state === "giving") {
      step = own;
      return begun(queue, own.n, event.promptId, now);
    }
    // A task in the background has ended: the step goes on with another prompt.
    const current = currentStep(queue);
    if (who.by_kind === "claude" && current?.state === "begun") {
      return wentOn(queue, current.n, event.promptId);
    }
    if (who.by_kind !== "keyboard" || !queue.steps.some(isOpen)) return queue;
    const reason = "a person has typed at the terminal";
    const wakeId = newWakeId(now.getTime());
    const paused = pausedFor(queue, "person", reason, now.toISOString(), wakeId);
    isPaused = paused !== queue;
    return paused;
  });
  if (after === undefined) return;
  if (step !== undefined) await note(paths, stepRecord(after, "begun", step), now);
  if (isPaused) {
    const reason = after.paused?.reason ?? "";
    await note(paths, stepRecord(after, "paused", undefined, { reason }), now);
    context.startQueue(session);
  }
}

export type AtStop =
  /** The turn belongs to no step: its wake is sent as always. */
  | { kind: "other" }
  /** The queue goes on, or its own wake tells how it ended. `next`: what the hook is to answer. */
  | { kind: "step"; n: number; next?: string };

/** `willGoOn`: Claude is woken again by what runs in the background. */
export async function turnEnded(
  context: HookContext,
  { text, willGoOn }: { text: string; willGoOn: boolean },
): Promise<AtStop> {
  const { paths, session, event, now } = context;
  const canBlock = !willGoOn && await mayBlock(context);
  let step: Step | undefined;
  let next: Step | undefined;
  let isOver = false;
  const after = await change(context, (before) => {
    const queue = afterBlock(before, context);
    step = stepOfTurn(queue, event.promptId, isUnseen(context));
    if (step === undefined || !isEnding(queue, step)) return queue;
    if (willGoOn) return goingOn(queue, step.n, event.promptId, now);
    isOver = true;
    const end = { promptId: event.promptId, text, now };
    const over = ended(queue, step, end, newWakeId(now.getTime()));
    const given = canBlock ? withBlock(over, context) : undefined;
    next = given?.step;
    return given?.queue ?? over;
  });
  if (after === undefined) return { kind: "other" };
  if (step !== undefined && isOver) {
    const over = after.steps.find(({ n }) => n === step!.n)!;
    await note(paths, stepRecord(after, "done", over), now);
  }
  context.startQueue(session);
  if (step === undefined || isRepeatable(step)) return { kind: "other" };
  // Report this turn by itself: the agent knows of the pause, and the end of the queue is far.
  const isHeld = isOver && after.paused?.told === true && after.steps.some(isOpen);
  if (isHeld) return { kind: "other" };
  return { kind: "step", n: step.n, ...(next === undefined ? {} : { next: next.text }) };
}

/** Before its wake is sent, which then says what the queue does. */
export async function turnFailed(
  context: HookContext,
  failure: { kind: string; text: string; resetsAt?: string | undefined },
): Promise<void> {
  const { paths, session, event, now } = context;
  let step: Step | undefined;
  const after = await change(context, (before) => {
    const queue = afterBlock(before, context);
    step = stepOfTurn(queue, event.promptId, isUnseen(context));
    if (step === undefined || step.state === "done" || !isEnding(queue, step)) return queue;
    const said = resetIn(failure.text, now.getTime());
    const resets = failure.resetsAt ??
      (said === undefined ? undefined : new Date(said).toISOString());
    return failed(queue, step, {
      kind: failure.kind,
      isLimit: isLimit(failure.kind),
      ...(resets === undefined ? {} : { resetsAt: resets }),
      now,
      told: true,
    }, newWakeId(now.getTime()));
  });
  if (after === undefined || step === undefined || step.state === "done") return;
  await note(paths, stepRecord(after, "failed", step, { reason: failure.kind }), now);
  context.startQueue(session);
}

/** The hook of its prompt was killed, or could not write. */
function isUnseen({ paths, session, event }: HookContext): boolean {
  return readMemory(paths, session).prompted?.prompt_id !== event.promptId;
}

export function isLimit(kind: string): boolean {
  return kind.startsWith("rate limit");
}

/** Claude Code has started again, cleared or compacted. */
export async function sessionStarted(context: HookContext, source: string): Promise<void> {
  const { paths, session, now } = context;
  let step: Step | undefined;
  const after = await change(context, (queue) => {
    step = currentStep(queue);
    return started(queue, source, now, newWakeId(now.getTime()));
  });
  if (after === undefined) return;
  const over = after.steps.find(({ n }) => n === step?.n);
  if (step !== undefined && over !== undefined && over.state !== step.state) {
    const why = over.why === undefined ? {} : { reason: over.why };
    await note(paths, stepRecord(after, over.state, over, why), now);
  }
  context.startQueue(session);
}

/** The compaction that is about to begin is a step. */
export function isStepOfCompaction(context: HookContext): boolean {
  const queue = readIfThere(context.paths, context.session);
  const step = queue === undefined ? undefined : currentStep(queue);
  return step !== undefined && isDoneBy(step.giving?.text ?? step.text, "compact");
}

/** A person has stopped the turn: the wake of that says what the queue does. */
export function turnStopped(paths: Paths, session: string, now: Date): void {
  try {
    updateQueue(paths, session, (queue) => {
      const step = currentStep(queue);
      const at = now.toISOString();
      const wakeId = newWakeId(now.getTime());
      if (step?.state === "begun" && !isWaiting(step)) {
        return stopped(queue, step, at, wakeId, true);
      }
      if (!queue.steps.some(isOpen)) return queue;
      const reason = "a person has stopped a turn (Esc)";
      return pausedFor(queue, "esc", reason, at, wakeId, { told: true });
    });
  } catch {
    // The interruption is reported anyway; the runner finds it by its own look.
  }
}

/** What a wake says of the queue, and the lines that go on with it. */
export function queueWords(
  { paths, session, env }: Pick<HookContext, "paths" | "session" | "env">,
): { state: string; actions: string[] } | undefined {
  const queue = readIfThere(paths, session);
  if (queue === undefined || !queue.steps.some(isOpen)) return undefined;
  const socket = otherSocket(env("TMUX") ?? "");
  const actions = queue.paused === undefined ? [] : pausedActions(paths, queue, socket);
  return { state: stateOfQueue(queue), actions };
}

/** The lines that end a pause. */
export function pausedActions(
  paths: Paths,
  queue: Queue,
  socket: string | undefined = queue.socket,
): string[] {
  const place = socket === undefined ? [] : ["--socket", socket];
  const line = (...words: string[]) =>
    [...commandWords(paths, "queue"), ...place, queue.session, ...words].map(shellQuote).join(" ");
  const hasFailed = queue.steps.some(isRepeatable);
  return [
    line("resume"),
    ...(hasFailed ? [line("resume", "--again")] : []),
    line("list"),
    line("clear"),
  ];
}

function readIfThere(paths: Paths, session: string): Queue | undefined {
  try {
    return readQueue(paths, session);
  } catch {
    return undefined;
  }
}

/** Undefined where there is no queue, or the event is of a `claude -p` beside the session. */
async function change(
  context: HookContext,
  work: (queue: Queue) => Queue,
): Promise<Queue | undefined> {
  const { paths, session, event, env } = context;
  if (eventOwner(readMemory(paths, session), event) === "guest") return undefined;
  try {
    return updateQueue(paths, session, (queue) => withServer(work(queue), env("TMUX") ?? ""));
  } catch (error) {
    const reason = `Cannot change the queue: ${messageOf(error)}`;
    const { agent_id } = context.agent;
    await note(paths, { kind: "problem", session, agent_id, event: event.name, reason });
    return undefined;
  }
}

/** On the server of the event: the session may have been on another one before. */
function withServer(queue: Queue, tmux: string): Queue {
  const socket = otherSocket(tmux);
  if (!tmux.startsWith("/") || queue.socket === socket) return queue;
  const { socket: _, ...rest } = queue;
  return socket === undefined ? rest : { ...rest, socket };
}
