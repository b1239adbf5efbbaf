/** Which of an agent's sessions are started again, and why the others are not. */

import type { AgentSession } from "./agent_sessions.ts";
import type { Holder } from "./conversations.ts";
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
 * An agent that has no session alive or coming back gets its latest one, however that ended.
 */
export function verdictsOn(
  sessions: SeenSession[],
  { isNamed, now }: { isNamed: boolean; now: number },
): Verdict[] {
  const alive = sessions.filter(({ state }) => state === "alive");
  const back = sessions.filter((seen) => !alive.includes(seen) && comesBack(seen, isNamed));
  if (alive.length + back.length === 0) back.push(...sessions.slice(0, 1));
  return sessions.map((seen) => {
    if (alive.includes(seen)) return "alive";
    if (back.includes(seen)) return "comes_back";
    // One of the same name runs on another tmux server.
    if (alive.some(({ session }) => session === seen.session)) return "unlisted";
    return isOldNews(seen, now) ? "unlisted" : "stays_out";
  });
}

export function comesBack(seen: SeenSession, isNamed: boolean): boolean {
  if (seen.isUnfinished) return true;
  if (seen.state === "gone") return !wasLeft(seen) && !seen.isServerThere;
  return isNamed || !wasLeft(seen);
}

/** Left more than a day ago, and no tmux session that could be taken for a running one. */
function isOldNews(seen: SeenSession, now: number): boolean {
  return seen.state === "gone" && wasLeft(seen) && now - Date.parse(seen.endedAt) >= DAY_MS;
}

type Server = AgentSession["server"];

export interface SessionWords {
  agentId: string;
  /** The name that it was started under. */
  launched: string;
  dir: string;
  /** The file of its launch. */
  record: string;
  server: Pick<Server, "socket">;
  /** How a person calls tmux for a server. */
  tmuxFor: (server: Pick<Server, "socket">) => string;
  /** One of our commands as a line to paste. */
  command: (...words: string[]) => string;
}

/** SessionEnd's reasons in the words of a person. */
const LEFT_BY: Record<string, string> = {
  prompt_input_exit: "it was left with /exit, Ctrl-C or Ctrl-D",
  logout: "it was left with /logout",
  unknown: "it was left with /exit or the like",
};

export function whyStaysOut(seen: SeenSession, about: SessionWords): string {
  const { ended } = seen;
  const recover = about.command("recover", "--agent", about.agentId);
  const isLeft = wasLeft(seen);
  const why = isLeft ? LEFT_BY[ended] ?? `it has ended (${ended})` : "its tmux session was closed";
  if (seen.state !== "gone") return `${why}; ${recover} brings it back`;
  const tmux = about.tmuxFor(about.server);
  const way = about.launched === seen.session
    ? `${tmux} new-session -d -s ${shellQuote(seen.session)}, then ${recover}, brings it back`
    : `${about.command("spawn", about.agentId, about.dir)} starts a new one`;
  return isLeft ? `${why}; ${way}` : `${why}; ${way}; to give it up, remove ${about.record}`;
}

export interface ConversationUse {
  /** The conversation that would be opened. */
  opens: string;
  /** The process that has it open. */
  held: Holder | undefined;
  /** The agent's sessions that run. */
  living: Pick<AgentSession, "session" | "server">[];
  /** The session for which this run has opened it. */
  first: { agentId: string; session: string } | undefined;
}

/** A conversation is never opened twice. That it goes on in another session is no failure. */
export function clashOf(
  { session, state }: Pick<SeenSession, "session" | "state">,
  about: SessionWords,
  { opens, held, living, first }: ConversationUse,
): { outcome: "failed" | "left out"; reason: string } | undefined {
  const around = held?.around;
  const isOurs = living.some((one) =>
    one.session === around?.session && one.server === around.server
  );
  const sibling = held === undefined && first?.agentId === about.agentId ? first : undefined;
  const goesOnIn = isOurs ? around?.session : sibling?.session;
  if (goesOnIn !== undefined) {
    const forget = state === "gone" ? `; to give this one up, remove ${about.record}` : "";
    const reason = `its conversation ${opens} goes on in ${goesOnIn}${forget}`;
    return { outcome: "left out", reason };
  }
  const failed = (reason: string) => ({ outcome: "failed" as const, reason });
  if (held === undefined) {
    return first && failed(
      `its conversation ${opens} is opened for ${first.session} of ${first.agentId} already: ` +
        "two agents cannot have the same one",
    );
  }
  const open = `its conversation ${opens} is open already in process ${held.pid}`;
  if (around === undefined) return failed(`${open}: end that one first`);
  const tmux = about.tmuxFor(around.server);
  const target = shellQuote(`=${around.session}`);
  const way = about.launched === around.session && about.launched !== session
    ? `give that the name "${session}": ${tmux} rename-session -t ${target} ${shellQuote(session)}`
    : `go on there: ${tmux} attach -t ${target}`;
  return failed(`${open}: it is open in tmux session "${around.session}"; ${way}`);
}
