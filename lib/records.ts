/**
 * The records of the journal that say who did what: one function for each. A command passes the
 * result to `record()`, a hook to `note()`.
 */

import type { PendingKind } from "./answers.ts";
import type { Closed } from "./close_pending.ts";
import type { JournalRecord } from "./journal.ts";
import { isObject } from "./json.ts";
import { outcomeSoFar } from "./keyboard_outcome.ts";
import { textFields, timeOfWake } from "./new_wake.ts";
import type { Paths } from "./paths.ts";
import { readMemory } from "./session_memory.ts";

export { queuedRecord } from "./new_wake.ts";

/**
 * agent: the session's agent. person: a person by a command of ours. keyboard: a person at Claude
 * Code's own prompt. claude: Claude Code itself. program: another part of ours, such as the watch.
 */
export type ByKind = "agent" | "person" | "keyboard" | "claude" | "program" | "unknown";

export interface Giver {
  /** A name: the agent's id, the person's login, `keyboard`, `watch` … */
  by: string;
  by_kind: ByKind;
  /** The programs that have called the driver. */
  caller?: string;
}

export const KEYBOARD: Giver = { by: "keyboard", by_kind: "keyboard" };

/** A person decided, at a keyboard or by a command. */
export function isHuman(kind: unknown): boolean {
  return kind === "keyboard" || kind === "person";
}

interface Where {
  session: string;
  agent_id?: string;
}

export interface InstructionFacts extends Where, Giver {
  /** See `newWakeId`. A prompt that this has caused names it. */
  instruction_id: string;
  /** type, clear_then, enter, esc, submit … */
  action: string;
  text?: string;
  /** The road: keys, mod, socket. */
  via: string;
  /** Why it was not carried out, or may not have been. */
  refused?: string;
}

/** An instruction to Claude Code, from an agent, a person or a program, by any road. */
export function instruction(facts: InstructionFacts): JournalRecord {
  const { refused, text, ...rest } = facts;
  return {
    kind: "instruction",
    ...rest,
    ...textFields(text),
    outcome: refused === undefined ? "done" : "refused",
    ...(refused === undefined ? {} : { reason: refused }),
  };
}

export interface AnswerFacts extends Where, Partial<Giver> {
  /** A question or a form is answered; a permission or a plan is decided. */
  what: PendingKind;
  question_id?: string;
  wake_id?: string;
  event?: string;
  tool?: string;
  /** hook, keys, mod, keyboard. */
  via?: string;
  decision?: unknown;
  /** What the screen asked, where no wake says it. */
  asked?: string;
  /**
   * left: closed without an answer, by Esc or otherwise. unknown: decided at the keyboard, and
   * the outcome is not known. timeout: no hook waits any longer, but it is open.
   */
  outcome?: "given" | "left" | "unknown" | "timeout" | "claude gone";
  /** When it was asked: an ISO date. */
  asked_at?: string;
  now: Date;
}

export function isAnswered(kind: PendingKind): boolean {
  return kind === "question" || kind === "form";
}

/** Who answered a question or decided a request, and after how long. */
export function answer({ what, asked_at, now, outcome, ...rest }: AnswerFacts): JournalRecord {
  // The hook beside a dialog may begin half a second after the one that has sent the wake.
  const since = [asked_at, timeOfWake(rest.wake_id)].filter((at) => at !== undefined).sort()[0];
  const after = now.getTime() - Date.parse(since ?? "");
  return {
    kind: isAnswered(what) ? "answered" : "decided",
    ...rest,
    outcome: outcome ?? "given",
    ...(Number.isFinite(after) ? { after_ms: Math.max(0, after) } : {}),
  };
}

/** A dialog that was closed without an answer of ours: Esc, or a decision at the keyboard. */
export function leftRecord({ id, pending }: Closed, context: ClosedIn): JournalRecord {
  const what = pending?.kind ?? (id.startsWith("q-") ? "question" : "permission");
  const kind = pending === undefined || isAnswered(what) || pending.subagent !== undefined
    ? undefined
    : outcomeSoFar(context.event.transcriptPath, pending);
  return answer({
    session: context.session,
    agent_id: context.agent.agent_id,
    event: context.event.name,
    what,
    question_id: id,
    ...(pending === undefined ? {} : {
      wake_id: pending.wake_id,
      tool: pending.tool,
      asked_at: pending.asked_at,
    }),
    ...KEYBOARD,
    via: "keyboard",
    ...(kind !== undefined
      ? { decision: { kind } }
      : { outcome: isAnswered(what) ? "left" : "unknown" }),
    now: new Date(),
  });
}

/** A question that was answered at Claude Code's own dialog, as PostToolUse reports it. */
export function keyboardRecord(
  context: ClosedIn,
  question_id: string | undefined,
  answers: Record<string, string>,
  closed: Closed | undefined,
): JournalRecord {
  const { session, agent, event, paths } = context;
  const wake_id = closed?.pending?.wake_id ?? readMemory(paths, session).open?.wake_id;
  // Without an answer for a time that its settings say, Claude Code goes on by itself.
  const { tool_response } = event.fields;
  const isAway = isObject(tool_response) && tool_response.afkTimeoutMs !== undefined;
  return answer({
    ...{ what: "question", session, agent_id: agent.agent_id, event: event.name },
    ...(question_id === undefined ? {} : { question_id }),
    ...(wake_id === undefined ? {} : { wake_id }),
    ...(isAway ? { by: "claude", by_kind: "claude", outcome: "left" } : KEYBOARD),
    via: "keyboard",
    decision: { kind: "answers", answers },
    asked_at: closed?.pending?.asked_at ?? timeOfWake(wake_id),
    now: new Date(),
  });
}

interface ClosedIn {
  paths: Paths;
  session: string;
  agent: { agent_id: string };
  event: { name: string; fields: Record<string, unknown>; transcriptPath: string };
}
