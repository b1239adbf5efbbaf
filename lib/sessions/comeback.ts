/** Which of an agent's sessions are to run again: decided from what was seen of each. */

import type { SessionState } from "./session_state.ts";

export interface Seen {
  state: SessionState["kind"];
  /** The tmux server it was started on runs still. */
  isServerThere: boolean;
  /** When Claude Code left it in order; "" when it was cut off, or nobody saw it go. */
  endedAt: string;
  /** A recovery was at it and did not come to its end. */
  isUntold: boolean;
  /** When the others of the agent's sessions were last heard of; "" when there are none. */
  othersSign: string;
}

/** Sessions that a shutdown ends, it ends together. */
const TOGETHER_MS = 60_000;

/**
 * Those come back that were cut off: not what was closed on a server that runs on, nor what had
 * ended before. `isNamed`: somebody asks for this very agent.
 */
export function comesBack(seen: Seen, isNamed: boolean): boolean {
  if (seen.isUntold) return true;
  const isThere = seen.state === "shell" || seen.state === "dead";
  if (isThere && isNamed) return true;
  if (seen.endedAt === "") return isThere || !seen.isServerThere;
  const apart = Math.abs(Date.parse(seen.othersSign) - Date.parse(seen.endedAt));
  return !seen.isServerThere && apart < TOGETHER_MS;
}

/** Of the lost ones, the latest first; an agent with none left gets that back, however it ended. */
export function comingBack<T extends { seen: Seen }>(
  lost: T[],
  { isNamed, anyLives }: { isNamed: boolean; anyLives: boolean },
): T[] {
  const back = lost.filter(({ seen }) => comesBack(seen, isNamed));
  return back.length === 0 && !anyLives ? lost.slice(0, 1) : back;
}
