/** What is known of a tmux session between two events: its Claude session and what was told. */

import { readTextIfThere, withLock, writeAtomic } from "./files.ts";
import type { HookContext } from "./hook_context.ts";
import { isObject } from "./json.ts";
import { memoryFile, noteSession } from "./known_sessions.ts";
import type { Memory } from "./noise.ts";
import { type Paths, safeName } from "./paths.ts";

export { memoryFile } from "./known_sessions.ts";

export interface SessionMemory extends Memory {
  session: string;
  agent_id: string;
  /** Claude Code's own id, which /clear and resume replace while the session goes on. */
  claude_session_id: string;
  transcript_path: string;
  cwd: string;
  updated_at: string;
}

const LOCK_WAIT_MS = 2000;

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
      // A full disk costs the memory, not what was done: at worst a wake is told twice.
    }
    return value;
  });
}

/** Notes under which id Claude Code runs in the session now. */
export function rememberSession(context: HookContext, { closeDialog }: { closeDialog: boolean }) {
  changeMemory(context.paths, context.session, (before) => {
    const memory = withEvent(before, context);
    if (closeDialog) delete memory.open;
    return { memory, value: undefined };
  });
}

/** What an event tells about its session, laid over what was known. */
export function withEvent(before: SessionMemory, context: HookContext): SessionMemory {
  const { event, paths, session, agent, now } = context;
  if (before.claude_session_id !== event.sessionId) noteSession(paths, event.sessionId, session);
  return {
    ...before,
    session,
    agent_id: agent.agent_id,
    claude_session_id: event.sessionId || before.claude_session_id,
    transcript_path: event.transcriptPath || before.transcript_path,
    cwd: event.cwd || before.cwd,
    updated_at: now.toISOString(),
  };
}

function parseMemory(text: string | undefined, session: string): SessionMemory {
  const empty: SessionMemory = {
    session,
    agent_id: "",
    claude_session_id: "",
    transcript_path: "",
    cwd: "",
    updated_at: "",
    said: [],
  };
  try {
    const value: unknown = JSON.parse(text ?? "");
    if (!isObject(value) || !Array.isArray(value.said)) return empty;
    return { ...empty, ...value, said: value.said.filter(isObject) } as unknown as SessionMemory;
  } catch {
    return empty; // Missing or spoiled: it only costs a wake that was told before.
  }
}
