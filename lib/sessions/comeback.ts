/** Which of an agent's sessions are started again, and why the others are not. */

import { isEndOfStop } from "../known_sessions.ts";
import type { SessionMemory } from "../session_memory.ts";
import type { Launch } from "./launch.ts";
import type { SessionState } from "./session_state.ts";

/** What decides about a session; the fleet's observations have it. */
export interface ComebackFacts {
  session: string;
  holds: SessionState["kind"];
  /** The tmux server it was started on still runs, and has not been restarted since. */
  isServerThere: boolean;
  launch?: Launch;
  /** What hooks remember since the launch; `ended` is the reason of the last SessionEnd. */
  memory?: SessionMemory;
}

/** `unlisted`: it stays out, and the result does not mention it. */
export type Verdict = "alive" | "comes_back" | "stays_out" | "unlisted";

/** Claude Code gives these when a signal ends it, or when it goes on under another id. */
const NOT_LEFT = ["", "other", "clear", "resume"];

/** A person has ended Claude Code; a reason that is not known here counts as that, too. */
function wasLeft({ memory }: ComebackFacts): boolean {
  return !NOT_LEFT.includes(memory?.ended ?? "");
}

/** Ended by `stop`, and no Claude Code was started there by hand since. */
export function isStopped({ launch, memory }: ComebackFacts): boolean {
  if (launch?.stopped_at === undefined) return false;
  if (memory === undefined || memory.updated_at < launch.stopped_at) return true;
  // Earlier versions remembered no time of the end.
  const { ended, ended_at = launch.stopped_at } = memory;
  return ended !== "" && isEndOfStop(launch.stopped_at, Date.parse(ended_at));
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
  sessions: ComebackFacts[],
  { isNamed, now }: { isNamed: boolean; now: number },
): Verdict[] {
  const alive = sessions.filter(({ holds }) => holds === "alive");
  const back = sessions.filter((seen) => !alive.includes(seen) && comesBack(seen, isNamed));
  const latest = sessions.slice(0, 1).filter((seen) => !isStopped(seen));
  if (alive.length + back.length === 0) back.push(...latest);
  return sessions.map((seen) => {
    if (alive.includes(seen)) return "alive";
    if (back.includes(seen)) return "comes_back";
    return isOldNews(seen, now) ? "unlisted" : "stays_out";
  });
}

export function comesBack(seen: ComebackFacts, isNamed: boolean): boolean {
  if (isStopped(seen)) return false;
  // Not finished, and no Claude Code has ended in it since.
  if (seen.launch?.recovery !== undefined && !seen.memory?.ended) return true;
  if (seen.holds === "gone") return !wasLeft(seen) && !seen.isServerThere;
  return isNamed || !wasLeft(seen);
}

/** Left more than a day ago, and no tmux session that could be taken for a running one. */
function isOldNews(seen: ComebackFacts, now: number): boolean {
  const { holds, memory, launch } = seen;
  const endedAt = memory?.updated_at ?? launch?.stopped_at ?? "";
  const isOver = wasLeft(seen) || isStopped(seen);
  return holds === "gone" && isOver && now - Date.parse(endedAt) >= DAY_MS;
}

/** SessionEnd's reasons in the words of a person. */
const LEFT_BY: Record<string, string> = {
  prompt_input_exit: "it was left with /exit, Ctrl-C or Ctrl-D",
  logout: "it was left with /logout",
  unknown: "it has ended, and the reason was not recorded",
};

/** `recover` and `remove`: how they are called for this session. */
export function whyStaysOut(
  seen: ComebackFacts,
  { recover, remove }: { recover: string; remove: string },
): string {
  const { holds, memory } = seen;
  if (isStopped(seen)) return `it was stopped; ${recover} brings it back`;
  const isLeft = wasLeft(seen);
  const ended = memory?.ended ?? "";
  const why = isLeft ? LEFT_BY[ended] ?? `it has ended (${ended})` : "its tmux session was closed";
  const way = `${why}; ${recover} brings it back`;
  return isLeft || holds !== "gone" ? way : `${way}, ${remove} gives it up`;
}
