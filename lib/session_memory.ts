/** What is kept of a tmux session between two events: its Claude session and the wakes sent. */

import { type HookEvent, runsSubagents, textOf } from "./events.ts";
import { readTextIfThere, withLock, writeAtomic } from "./files.ts";
import type { HookContext } from "./hook_context.ts";
import { isObject } from "./json.ts";
import { memoryFile, noteSession } from "./known_sessions.ts";
import type { Memory, OpenDialog } from "./noise.ts";
import { type Paths, safeName } from "./paths.ts";

export { memoryFile } from "./known_sessions.ts";

export interface SessionMemory extends Memory {
  session: string;
  agent_id: string;
  /** Claude Code's own id, which /clear and resume replace while the session goes on. */
  claude_session_id: string;
  transcript_path: string;
  cwd: string;
  /** The last event of Claude Code. What we report ourselves is no sign of it. */
  updated_at: string;
  /** Why that Claude ended, in SessionEnd's word; "" while it runs. See `wasLeft` in comeback.ts. */
  ended: string;
  /** When the last one has ended. */
  ended_at?: string;
  /** Those that ran as `claude -p` beside it: it is not them that recovery resumes. */
  guests?: string[];
  /** Who gave the latest prompt; `last`: the latest instruction that has caused one. */
  prompted?: { prompt_id: string; by_kind: string; last: string };
}

/** The Claude of an event: the session's own, a `claude -p` beside it, or another one. */
export type EventOwner = "own" | "guest" | "other";

const LOCK_WAIT_MS = 2000;
const MOST_GUESTS = 20;
/** An end without a reason: earlier versions remembered only that there was one. */
const UNKNOWN_END = "unknown";

export function readMemory(paths: Paths, session: string): SessionMemory {
  return parseMemory(readTextIfThere(memoryFile(paths, session)), session);
}

/** Changes a session's memory, one process at a time; "busy" when another holds it for too long. */
export function changeMemory<T>(
  paths: Paths,
  session: string,
  change: (memory: SessionMemory) => { memory: SessionMemory; value: T },
): { kind: "done"; value: T } | { kind: "busy" } {
  return withLock(`${paths.state}/locks/session-${safeName(session)}`, LOCK_WAIT_MS, () => {
    const { memory, value } = change(readMemory(paths, session));
    try {
      writeAtomic(memoryFile(paths, session), JSON.stringify(memory));
    } catch {
      // With a full disk only the memory is lost: at worst a wake is sent twice.
    }
    return value;
  });
}

/** Notes under which id Claude Code runs in the session now. */
export function rememberSession(
  context: HookContext,
  { closeDialog }: { closeDialog: boolean },
): EventOwner {
  const { event, paths, session } = context;
  try {
    const outcome = changeMemory(paths, session, (before) => {
      const after = withEvent(before, context);
      const memory = closeDialog ? withoutDialog(after, event, Date.now()) : after;
      return { memory, value: eventOwner(before, event) };
    });
    if (outcome.kind === "done") return outcome.value;
  } catch {
    // Without the memory an end is still reported.
  }
  return "own";
}

/**
 * An event belongs to the session's own Claude. Two exceptions, while the one before is not known to
 * have ended: the end of another one, and a `claude -p`. That one is known by its start: only in a
 * terminal does Claude Code name its model at a `startup`.
 */
export function eventOwner(
  before: SessionMemory,
  { name, sessionId, fields }: HookEvent,
): EventOwner {
  const { claude_session_id: own, ended, guests = [] } = before;
  if (own === "" || sessionId === "" || sessionId === own) return "own";
  const isStart = name === "SessionStart";
  if (guests.includes(sessionId) && !(ended && isStart)) return "guest";
  if (ended) return "own";
  if (name === "SessionEnd") return "other";
  const isHeadless = isStart && fields.source === "startup" && fields.model === undefined;
  return isHeadless ? "guest" : "own";
}

/** A dialog is closed by the Claude, or the subagent, that has opened it. */
export function withoutDialog(
  memory: SessionMemory,
  event: HookEvent,
  at: number,
): SessionMemory {
  const { open, beside, ...rest } = memory;
  const all = [open, beside].filter((one) => one !== undefined);
  const left = all.filter((one) => isAnothers(one, event.sessionId) || outlives(one, event));
  const gone = all.find((one) => !left.includes(one));
  return withDialogs(gone === undefined ? rest : { ...rest, closed: { ...gone, at } }, left);
}

/** A subagent's dialog stays open when Claude itself has answered, or has ended its turn. */
function outlives({ subagent }: OpenDialog, event: HookEvent): boolean {
  if (subagent === undefined || subagent === textOf(event.fields, "agent_id")) return false;
  if (event.name === "Stop") return runsSubagents(event);
  return !/^Session(Start|End)$/.test(event.name);
}

/** The latest dialog, and the one before it where that is of another Claude. */
export function withDialog(memory: SessionMemory, dialog: OpenDialog): SessionMemory {
  const { open, beside, ...rest } = memory;
  const others = [open, beside].filter((one) =>
    one !== undefined && isAnothers(one, dialog.claude_session_id ?? "")
  );
  return withDialogs(rest, [dialog, ...others]);
}

function withDialogs(
  memory: SessionMemory,
  [open, beside]: (OpenDialog | undefined)[],
): SessionMemory {
  return {
    ...memory,
    ...(open === undefined ? {} : { open }),
    ...(beside === undefined ? {} : { beside }),
  };
}

function isAnothers({ claude_session_id: id }: OpenDialog, claudeId: string): boolean {
  return !!id && !!claudeId && id !== claudeId;
}

/** A field of `[TRIGGER]`, where the turn is known not to be the agent's. */
export function promptedBy(
  { prompted }: SessionMemory,
  promptId: string,
): { prompted_by?: "human" } {
  const isThis = promptId !== "" && prompted?.prompt_id === promptId;
  return isThis && /^(keyboard|person)$/.test(prompted.by_kind) ? { prompted_by: "human" } : {};
}

/** The memory, updated with what an event says about its session. */
export function withEvent(before: SessionMemory, context: HookContext): SessionMemory {
  const { event, paths, session, agent, now, env } = context;
  const isStart = event.name === "SessionStart";
  if (isStart || before.claude_session_id !== event.sessionId) {
    noteSession(paths, event.sessionId, session, env);
  }
  const { guests = [] } = before;
  const at = now.toISOString();
  // The watch and slow hooks report what was so before the memory's last event. A time that is
  // still to come is no such event: the clock was set back.
  const isPast = !isStart && before.updated_at > at && Date.parse(before.updated_at) <= Date.now();
  const isSign = !isPast && !isOurs(event);
  const updated_at = isSign ? at : before.updated_at || at;
  const seen = { session, agent_id: agent.agent_id, updated_at };
  switch (eventOwner(before, event)) {
    case "other":
      return { ...before, ...seen };
    case "guest": {
      const others = guests.filter((id) => id !== event.sessionId);
      return { ...before, ...seen, guests: [...others, event.sessionId].slice(-MOST_GUESTS) };
    }
    case "own":
      return {
        ...before,
        ...seen,
        claude_session_id: event.sessionId || before.claude_session_id,
        transcript_path: event.transcriptPath || before.transcript_path,
        cwd: event.cwd || before.cwd,
        ended: endedAfter(before, event, isSign),
        ...(event.name === "SessionEnd" ? { ended_at: at } : {}),
        // It may end again at once: that is another end.
        said: isStart ? before.said.filter((said) => said.trigger !== "session_end") : before.said,
        guests: guests.filter((id) => id !== event.sessionId),
      };
  }
}

function endedAfter({ ended }: SessionMemory, event: HookEvent, isSign: boolean): string {
  if (event.name === "SessionEnd") return textOf(event.fields, "reason") || UNKNOWN_END;
  return isSign ? "" : ended;
}

/** What we report ourselves, such as the end of a queue, says nothing of Claude Code. */
function isOurs({ name }: HookEvent): boolean {
  return /^[a-z]/.test(name);
}

function parseMemory(text: string | undefined, session: string): SessionMemory {
  const empty: SessionMemory = {
    session,
    agent_id: "",
    claude_session_id: "",
    transcript_path: "",
    cwd: "",
    updated_at: "",
    ended: "",
    said: [],
  };
  try {
    const value: unknown = JSON.parse(text ?? "");
    if (!isObject(value) || !Array.isArray(value.said)) return empty;
    const ended = value.ended === true ? UNKNOWN_END : textOf(value, "ended");
    const said = value.said.filter(isObject);
    return { ...empty, ...value, ended, said } as unknown as SessionMemory;
  } catch {
    return empty; // Missing or broken: at worst a wake is sent twice.
  }
}
