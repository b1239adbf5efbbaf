/** Which limits of spending are near, and which are reached. Pure: what was spent in, limits out. */

import type { SessionObservation } from "./observation.ts";
import type { SessionView } from "./session_view.ts";

/** Of a conversation, of all sessions of its agent on one day, or of the context. */
export type Measure = "session" | "day" | "context";

/** What is known of the spending of a session, beside its own counter. */
export interface Spending {
  /** What the conversation has cost, and since when that is counted. */
  session?: { usd: number; since: number };
  /** What all sessions of its agent have cost today, in the time of the machine. */
  day: { usd: number; date: string; sessions: number };
  /** By how much the agent, or a person, has raised the limits by a command. */
  more: { session: number; day: number };
}

export interface Budget {
  measure: Measure;
  /** Dollars, or percent. */
  spent: number;
  limit: number;
  level: "near" | "reached";
  /** The conversation or the day. */
  of: string;
  /** Since when that is counted, in milliseconds; 0 where it does not matter. */
  counted: number;
}

/** A limit is reported as near from this fraction on. */
const NEAR = 0.8;

export function budgetsOf({ seen, context_pct }: SessionView): Budget[] {
  const { agent, spending } = seen;
  if (agent === undefined) return [];
  const { max_usd_per_session, max_usd_per_day, max_context_pct } = agent.settings;
  const conversation = conversationOf(seen);
  const { session, day, more } = spending ?? {};
  return [
    budget("session", session?.usd, max_usd_per_session, more?.session, {
      of: conversation,
      counted: session?.since ?? 0,
    }),
    budget("day", day?.usd, max_usd_per_day, more?.day, {
      of: day?.date ?? "",
      counted: midnightOf(day?.date),
    }),
    budget("context", context_pct, max_context_pct, 0, { of: conversation, counted: 0 }),
  ].filter((one) => one !== undefined);
}

/** For keys of a limit: a session keeps its conversation when it is renamed. */
export function limitOwner({ session, agent_id }: SessionView, { of }: Pick<Budget, "of">): string {
  return of === "" ? session : agent_id;
}

/** The limits that cannot be enforced: nothing reports what they limit. */
export function unmeasuredLimits({ seen, context_pct }: SessionView): string[] {
  const settings = seen.agent?.settings;
  const names = ["max_usd_per_session", "max_usd_per_day", "max_context_pct"] as const;
  return names.filter((name) =>
    (settings?.[name] ?? 0) > 0 &&
    (name === "max_context_pct" ? context_pct : seen.usage?.usd) === undefined
  );
}

export function conversationOf({ entry, memory }: SessionObservation): string {
  return entry?.sessionId || memory?.claude_session_id || "";
}

function budget(
  measure: Measure,
  spent: number | undefined,
  max: number,
  more = 0,
  about: Pick<Budget, "of" | "counted">,
): Budget | undefined {
  const limit = max + more;
  if (max === 0 || spent === undefined || spent < NEAR * limit) return undefined;
  return { measure, spent, limit, level: spent < limit ? "near" : "reached", ...about };
}

/** `2026-11-17` in the time of the machine. */
export function dateOf(now: number): string {
  const date = new Date(now);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

function midnightOf(date = ""): number {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return date === "" ? 0 : new Date(year, month - 1, day).getTime();
}

const AT_WORK = ["working", "retrying", "stalled"];

/** A turn runs, and spends. One that waits at a dialog does not. */
export function isAtWork({ state, seen: { entry } }: SessionView): boolean {
  return entry === undefined || entry.status === ""
    ? AT_WORK.includes(state)
    : entry.status === "busy";
}

/**
 * Whether the running turn must be stopped for a limit that was reached at `since`. A turn that ran at
 * that moment is stopped, no matter who began it. A later turn is stopped only if an agent or Claude
 * began it: a person who continues knows the cost. A session that a person has taken is left alone.
 */
export function isToStop(view: SessionView, since: number): boolean {
  const { entry, hold, memory, transcript } = view.seen;
  if (!isAtWork(view) || hold?.kind === "taken") return false;
  const begun = entry?.statusSince ?? view.since;
  if (begun > 0 && begun <= since) return true;
  const { prompt_id, by_kind } = memory?.prompted ?? {};
  const isOfTurn = prompt_id !== undefined && prompt_id === transcript?.promptId;
  return isOfTurn && ["agent", "claude", "program"].includes(by_kind ?? "");
}
