/** The figures of `gsd-code report`: a pure function of the records. */

import { textOf } from "../events.ts";
import { type AskedFigure, askedFigures } from "./asked_figures.ts";
import type { LaneState } from "./lane_states.ts";
import { type EndedWait, type Lane, lanesOf, type Recovered } from "./lanes.ts";
import { type StoryLine, timeOf } from "./story_line.ts";
import { isEndOfTurn } from "./turns.ts";
import { isDropped } from "./wake_words.ts";

export interface FailureFigure {
  at: number;
  what: string;
  text: string;
}

export interface Commit {
  hash: string;
  at: number;
  subject: string;
}

export interface SessionFigures {
  session: string;
  agent_id: string;
  turns: number;
  failed_turns: number;
  /** Of those turns, how many a person began. */
  human_turns: number;
  asked: AskedFigure[];
  time_ms: Record<LaneState, number>;
  waits: EndedWait[];
  failures: FailureFigure[];
  /** Deliveries that had to be tried again. */
  retries: number;
  recoveries: Recovered[];
  /** Absent where nothing reported it. */
  cost_usd?: number;
  unsent: number;
  lanes: Lane[];
  commits: Commit[];
}

export interface ReportFigures {
  since: number;
  until: number;
  sessions: SessionFigures[];
  totals: {
    turns: number;
    commits: number;
    cost_usd?: number;
    unsent: number;
    unanswered: number;
    agent_wait: WaitFigure;
    human_wait: WaitFigure;
  };
}

export interface WaitFigure {
  count: number;
  median_ms?: number;
  longest_ms?: number;
}

/** `records`: in order of time; those before `since` only say how each session began. */
export function figuresOf(
  records: StoryLine[],
  since: number,
  until: number,
  commits: ReadonlyMap<string, Commit[]> = new Map(),
): ReportFigures {
  const own = Map.groupBy(records, (line) => textOf(line, "session"));
  const sessions = [...own].map(([session, lines]) =>
    sessionFigures(session, lines, since, until, commits.get(session) ?? [])
  ).filter((one) => one.lanes.length > 0 || hasNews(one))
    .sort((a, b) => rankOf(a, until) - rankOf(b, until) || (a.session < b.session ? -1 : 1));
  return { since, until, sessions, totals: totalsOf(sessions) };
}

const RANKS: Record<LaneState, number> = {
  ...{ human: 0, agent: 0, failed: 1, lost: 1, api: 1, limited: 1, working: 2, idle: 3 },
};

/** What waits for an answer at the end comes first, then failures, work, idle, and what has ended. */
function rankOf({ lanes }: SessionFigures, until: number): number {
  const last = lanes.at(-1);
  return last?.to === until ? RANKS[last.state] : 4;
}

function hasNews(one: SessionFigures): boolean {
  return one.turns + one.asked.length + one.failures.length + one.unsent > 0;
}

function sessionFigures(
  session: string,
  all: StoryLine[],
  since: number,
  until: number,
  commits: Commit[],
): SessionFigures {
  const { lanes, waits, recoveries } = lanesOf(all, since, until);
  const records = all.filter((line) => timeOf(line) >= since && timeOf(line) <= until);
  const ends = records.filter(isEndOfTurn);
  const costs = records.map((line) => line.cost_usd).filter((cost) =>
    typeof cost === "number" && cost > 0
  ) as number[];
  return {
    session,
    agent_id: all.map((line) => textOf(line, "agent_id")).findLast((id) => id !== "") ?? "",
    turns: ends.length,
    failed_turns: ends.filter((line) => line.trigger === "response_failed").length,
    human_turns: ends.filter((line) => line.prompted_by === "human").length,
    asked: askedFigures(records),
    time_ms: timesOf(lanes),
    waits,
    failures: failuresIn(records),
    retries: records.filter((line) => line.kind === "failed").length,
    recoveries,
    ...(costs.length === 0 ? {} : { cost_usd: sumOf(costs) }),
    unsent: unsentIn(records),
    lanes,
    commits: commits.filter(({ at }) => at >= since && at <= until),
  };
}

const FAILURES = new Map(Object.entries<string>({
  response_failed: "turn failed",
  session_lost: "lost",
  recovery_failed: "not recovered",
  stalled: "stalled",
}));

function failuresIn(records: StoryLine[]): FailureFigure[] {
  return records.flatMap((line) => {
    const trigger = line.kind !== "queued"
      ? undefined
      : line.limit !== undefined
      ? "limited"
      : FAILURES.get(textOf(line, "trigger"));
    const dead = isDropped(line) ? "wake dropped" : "dead letter";
    const what = trigger ??
      (line.kind === "dead" ? dead : line.kind === "problem" ? "problem" : undefined);
    if (what === undefined) return [];
    return [{ at: timeOf(line), what, text: textOf(line, "text") || textOf(line, "reason") }];
  });
}

/** Wakes that have neither arrived nor become dead letters nor been left out. */
function unsentIn(records: StoryLine[]): number {
  const waiting = new Set<unknown>();
  for (const { kind, wake_id } of records) {
    if (kind === "queued") waiting.add(wake_id);
    if (kind === "delivered" || kind === "dead" || kind === "suppressed") waiting.delete(wake_id);
  }
  return waiting.size;
}

function timesOf(lanes: Lane[]): Record<LaneState, number> {
  const times = {
    ...{ working: 0, agent: 0, human: 0, api: 0, limited: 0, idle: 0, failed: 0, lost: 0 },
  };
  for (const { state, from, to } of lanes) times[state] += to - from;
  return times;
}

function totalsOf(sessions: SessionFigures[]): ReportFigures["totals"] {
  const costs = sessions.map((one) => one.cost_usd).filter((cost) => cost !== undefined);
  const waits = sessions.flatMap((one) => one.waits);
  const asked = sessions.flatMap((one) => one.asked);
  // Sessions may share a folder.
  const commits = new Set(sessions.flatMap((one) => one.commits.map(({ hash }) => hash)));
  return {
    turns: sumOf(sessions.map((one) => one.turns)),
    commits: commits.size,
    ...(costs.length === 0 ? {} : { cost_usd: sumOf(costs) }),
    unsent: sumOf(sessions.map((one) => one.unsent)),
    unanswered: asked.filter((one) => one.outcome === undefined).length,
    agent_wait: waitFigure(waits.filter(({ who }) => who === "agent")),
    human_wait: waitFigure(waits.filter(({ who }) => who === "human")),
  };
}

function waitFigure(waits: EndedWait[]): WaitFigure {
  const times = waits.map(({ ms }) => ms).sort((a, b) => a - b);
  if (times.length === 0) return { count: 0 };
  const middle = Math.floor(times.length / 2);
  const median = times.length % 2 === 1
    ? times[middle]!
    : (times[middle - 1]! + times[middle]!) / 2;
  return { count: times.length, median_ms: median, longest_ms: times.at(-1)! };
}

/** In cents of cents, so that the sum of prices has no 0.30000000000000004. */
function sumOf(values: number[]): number {
  return values.reduce((sum, value) => Math.round((sum + value) * 1e6) / 1e6, 0);
}
