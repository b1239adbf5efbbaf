/**
 * A turn that a person stopped with Esc. No hook is called for it. The mod reports it at once. Without
 * the mod it is found at the next event that comes between two turns: Claude Code's own
 * `sessions/<pid>.json` knows of a change since, and the transcript ends with an interruption.
 */

import { type HookEvent, textOf } from "./events.ts";
import { namesIn, readTextIfThere } from "./files.ts";
import type { HookContext } from "./hook_context.ts";
import { isObject } from "./json.ts";
import { hasQueue } from "./known_sessions.ts";
import { fromEnd, joinBlocks, type Line, textIn } from "./transcript.ts";
import { ownEscape } from "./own_escape.ts";
import { later } from "./paths.ts";
import { sendWake } from "./sending.ts";
import { readMemory } from "./session_memory.ts";
import { readLastTurn } from "./last_turn.ts";
import { actions, type WakeDraft } from "./wake.ts";

export interface StoppedTurn {
  promptId: string;
  at: number;
}

/** The state follows the mark within this time. */
const TOGETHER_MS = 5000;
const MARK = "[Request interrupted by user";
/** The mark is at the end: after it come only commands and what Claude Code notes for itself. */
const MOST_CHARS = 200_000;

/** What is reported, by the mod's word or by these files. */
export function interruptedDraft(
  said: string,
  { at, advice }: { at: number; advice: string },
): Omit<WakeDraft, "actions"> {
  return {
    trigger: "interrupted",
    section: "CONTENT",
    body: said.trim() || "(Claude had said nothing yet.)",
    state: "idle",
    details: {
      stopped_by: "a person at the terminal",
      stopped_at: new Date(at).toISOString().replace(/\.\d+Z$/, "Z"),
      advice,
    },
  };
}

/** The identity of an interruption: the same for hook, companion and watch. */
export function interruptionOf({ promptId, turnId }: { promptId: string; turnId?: string }) {
  return promptId || turnId || "";
}

/** Reports it at an event between two turns, unless the agent knows it or has done it itself. */
export async function tellInterrupted(context: HookContext): Promise<void> {
  const { event, paths, session } = context;
  const stopped = stoppedTurn(event);
  if (stopped === undefined || ownEscape(paths, session, stopped.at) !== undefined) return;
  const identity = interruptionOf(stopped);
  const isKnown = readMemory(paths, session).said.some((said) =>
    said.identity === `interrupted|${identity}`
  );
  if (isKnown) return;
  const said = saidBefore(event.transcriptPath, stopped.promptId);
  // The prompt of this event has not begun its turn when the transcript is read.
  const isWorking = event.name === "UserPromptSubmit";
  const advice = isWorking
    ? "Claude has another prompt since: wait for the end of that turn"
    : "ask that person before you give another instruction";
  if (hasQueue(paths, session)) {
    const { turnStopped }: typeof import("./queue_turns.ts") = await import(
      later("./queue_turns.ts")
    );
    turnStopped(paths, session, context.now);
  }
  const own = { ...context, event: { ...event, name: "interrupted", promptId: stopped.promptId } };
  await sendWake(own, {
    ...interruptedDraft(said, { at: stopped.at, advice }),
    ...(isWorking ? { state: "working" } : {}),
    actions: actions(context, { kind: isWorking ? "working" : "prompt" }),
  }, { source: "transcript", open: null, identity });
}

/** To be asked at an event at which no turn runs. */
export function stoppedTurn({ sessionId, transcriptPath }: HookEvent): StoppedTurn | undefined {
  const folder = /^(.+)\/projects\//.exec(transcriptPath)?.[1];
  const changed = folder === undefined ? undefined : changedAt(`${folder}/sessions`, sessionId);
  if (changed === undefined) return undefined;
  const mark = fromEnd(transcriptPath, lastMark);
  return mark !== undefined && changed > mark.at - TOGETHER_MS ? mark : undefined;
}

/** When the Claude Code of this conversation last began or ended some work. */
function changedAt(folder: string, sessionId: string): number | undefined {
  for (const name of namesOf(folder).filter((name) => /^\d+\.json$/.test(name))) {
    const state = parsed(textAt(`${folder}/${name}`));
    if (state?.sessionId !== sessionId) continue;
    return typeof state.statusUpdatedAt === "number" ? state.statusUpdatedAt : undefined;
  }
  return undefined;
}

/** The mark with which the conversation ends; commands and their output may follow it. */
function lastMark(lines: Iterable<Line>): StoppedTurn | undefined {
  let passed = 0;
  for (const { text } of lines) {
    if ((passed += text.length) > MOST_CHARS) return undefined;
    const entry = parsed(text);
    if (entry?.type === "assistant") return undefined;
    if (entry?.type !== "user") continue;
    if (isMark(text)) {
      const at = Date.parse(textOf(entry, "timestamp"));
      return Number.isNaN(at) ? undefined : { promptId: textOf(entry, "promptId"), at };
    }
    if (!isAside(entry)) return undefined;
  }
  return undefined;
}

/** A command, its output, or what Claude Code adds itself: no turn has begun with it. */
function isAside({ isMeta, message }: Record<string, unknown>): boolean {
  const text = isObject(message) ? textIn(message.content) : "";
  return isMeta === true || /^<(command-|local-command-)/.test(text);
}

/** Claude's words of a turn that was stopped: the mark behind them looks like a prompt. */
export function saidBefore(transcriptPath: string, promptId: string): string {
  const read = (lines: Iterable<Line>) => readLastTurn(withoutMark(lines), promptId).blocks;
  return fromEnd(transcriptPath, brokenOff) ?? joinBlocks(fromEnd(transcriptPath, read) ?? []);
}

/** The message that was being written: Claude Code keeps it as one of its own, before the mark. */
function brokenOff(lines: Iterable<Line>): string | undefined {
  let isMarked = false;
  let passed = 0;
  for (const { text } of lines) {
    if ((passed += text.length) > MOST_CHARS) return undefined;
    const entry = parsed(text);
    if (entry?.type === "user" && !isMark(text) && isMarked) return undefined;
    isMarked ||= isMark(text);
    if (entry?.type !== "assistant" || !isObject(entry.message)) continue;
    const isOwn = isMarked && entry.message.model === "<synthetic>";
    return isOwn ? textIn(entry.message.content) || undefined : undefined;
  }
  return undefined;
}

function* withoutMark(lines: Iterable<Line>): Generator<Line> {
  for (const line of lines) {
    if (!isMark(line.text)) yield line;
  }
}

/** As Claude Code writes it: the only text of a user line. */
function isMark(line: string): boolean {
  return line.includes(`"content":[{"type":"text","text":"${MARK}`);
}

function parsed(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function namesOf(folder: string): string[] {
  try {
    return namesIn(folder);
  } catch {
    return []; // this Claude Code keeps none, or its hooks were registered before these were read
  }
}

function textAt(path: string): string | undefined {
  try {
    return readTextIfThere(path);
  } catch {
    return undefined;
  }
}
