/** Which of an agent's sessions are to run again: decided from what was seen of each. */

import type { SessionState } from "./session_state.ts";
import { shellQuote } from "../shell.ts";

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
  const isThere = seen.state !== "gone";
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

const DAY_MS = 86_400_000;

/**
 * Whether it is said of a session that it stays out: always where somebody may take it for running
 * or for lost, but of one that was left, and whose tmux session is gone, for a day only.
 */
export function isToldOf({ state, endedAt }: Seen, now: number): boolean {
  return state !== "gone" || endedAt === "" || now - Date.parse(endedAt) < DAY_MS;
}

export interface LeftOut {
  agentId: string;
  session: string;
  dir: string;
  /** Its name is the agent's no more. */
  isRenamed: boolean;
  /** How tmux is called for its server. */
  tmux: string;
  /** The file that keeps its launch. */
  record: string;
}

/** Why a session stays out, and how it comes back all the same. */
export function whyStaysOut({ state, endedAt }: Seen, left: LeftOut): string {
  const why = endedAt === "" ? "its tmux session was closed" : "it was left with /exit or the like";
  const agentId = shellQuote(left.agentId);
  const recover = `deno task recover --agent ${agentId}`;
  if (state !== "gone") return `${why}; ${recover} brings it back`;
  const giveUp = endedAt === "" ? `; to give it up, remove ${left.record}` : "";
  const way = left.isRenamed
    ? `deno task spawn ${agentId} ${shellQuote(left.dir)} starts a new one`
    : `${left.tmux} new-session -d -s ${shellQuote(left.session)}, then ${recover}, brings it back`;
  return `${why}; ${way}${giveUp}`;
}
