/** Which of an agent's sessions are started again, and why the others are not. */

import type { SessionState } from "./session_state.ts";
import { shellQuote } from "../text.ts";

export interface SeenSession {
  session: string;
  state: SessionState["kind"];
  /** The tmux server it was started on still runs, and has not been restarted since. */
  isServerThere: boolean;
  /** The reason of its last SessionEnd; "" when Claude Code runs or was killed. */
  ended: string;
  endedAt: string;
  /** A recovery has started it and did not finish. */
  isUnfinished: boolean;
  /** `stop` has ended it, and nobody has started it since. */
  isStopped: boolean;
}

/** `unlisted`: it stays out, and the result does not mention it. */
export type Verdict = "alive" | "comes_back" | "stays_out" | "unlisted";

/** Claude Code gives these when a signal ends it, or when it goes on under another id. */
const NOT_LEFT = ["", "other", "clear", "resume"];

/** A person has ended Claude Code; a reason that is not known here counts as that, too. */
export function wasLeft({ ended }: Pick<SeenSession, "ended">): boolean {
  return !NOT_LEFT.includes(ended);
}

const DAY_MS = 86_400_000;

/**
 * The verdict on each session; the latest comes first. `isNamed`: `--agent` names this agent.
 *   killed, or lost with its tmux server or the machine    comes back
 *   left by a person                                       stays out, unless named and still there
 *   its tmux session closed while the server runs on       stays out
 *   ended by `stop`                                        stays out
 * An agent that has no session alive or coming back gets its latest one, unless that was stopped.
 */
export function verdictsOn(
  sessions: SeenSession[],
  { isNamed, now }: { isNamed: boolean; now: number },
): Verdict[] {
  const alive = sessions.filter(({ state }) => state === "alive");
  const back = sessions.filter((seen) => !alive.includes(seen) && comesBack(seen, isNamed));
  const latest = sessions.slice(0, 1).filter(({ isStopped }) => !isStopped);
  if (alive.length + back.length === 0) back.push(...latest);
  return sessions.map((seen) => {
    if (alive.includes(seen)) return "alive";
    if (back.includes(seen)) return "comes_back";
    return isOldNews(seen, now) ? "unlisted" : "stays_out";
  });
}

export function comesBack(seen: SeenSession, isNamed: boolean): boolean {
  if (seen.isStopped) return false;
  if (seen.isUnfinished) return true;
  if (seen.state === "gone") return !wasLeft(seen) && !seen.isServerThere;
  return isNamed || !wasLeft(seen);
}

/** Left more than a day ago, and no tmux session that could be taken for a running one. */
function isOldNews(seen: SeenSession, now: number): boolean {
  const isOver = wasLeft(seen) || seen.isStopped;
  return seen.state === "gone" && isOver && now - Date.parse(seen.endedAt) >= DAY_MS;
}

/** SessionEnd's reasons in the words of a person. */
const LEFT_BY: Record<string, string> = {
  prompt_input_exit: "it was left with /exit, Ctrl-C or Ctrl-D",
  logout: "it was left with /logout",
  unknown: "it was left with /exit or the like",
};

/** `recover` and `tmux`: how they are called for this agent and its server. */
export function whyStaysOut(
  seen: SeenSession,
  { recover, restart, tmux, record }: {
    recover: string;
    /** How this one session is started again. */
    restart: string;
    tmux: string;
    record: string;
  },
): string {
  const { ended, session } = seen;
  if (seen.isStopped) return `it was stopped; ${restart} brings it back`;
  const isLeft = wasLeft(seen);
  const why = isLeft ? LEFT_BY[ended] ?? `it has ended (${ended})` : "its tmux session was closed";
  if (seen.state !== "gone") return `${why}; ${recover} brings it back`;
  const way = `${tmux} new-session -d -s ${shellQuote(session)}, then ${recover}, brings it back`;
  return isLeft ? `${why}; ${way}` : `${why}; ${way}; to give it up, remove ${record}`;
}
