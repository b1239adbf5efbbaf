/** Which of an agent's sessions are to run again: decided from what was seen of each. */

import type { SessionState } from "./session_state.ts";

export interface Seen {
  state: SessionState["kind"];
  /** The tmux server it was started on runs still. */
  isServerThere: boolean;
  /** When Claude Code left it in order; "" when it was cut off, or nobody saw it go. */
  endedAt: string;
}

export interface Around {
  /** It is the one of its agent's sessions that was heard of last. */
  isLast: boolean;
  /** Another session of the agent's lives. */
  anotherLives: boolean;
  /** Somebody asks for this very agent. */
  isNamed: boolean;
  /** When the agent's sessions were last heard of at all. */
  lastSign: string;
}

/** Sessions that a shutdown ends, it ends together. */
const TOGETHER_MS = 60_000;

/**
 * An agent with no session left gets its last one back, however that ended. The others come back
 * where they were cut off: not what was closed on a server that runs on, nor what had ended before.
 */
export function comesBack(seen: Seen, around: Around): boolean {
  if (around.isLast && !around.anotherLives) return true;
  const isThere = seen.state === "shell" || seen.state === "dead";
  if (isThere && around.isNamed) return true;
  if (seen.endedAt === "") return isThere || !seen.isServerThere;
  const alone = Date.parse(around.lastSign) - Date.parse(seen.endedAt);
  return !seen.isServerThere && alone < TOGETHER_MS;
}
