/** The report as text: a line for all, a line with a bar for each session, and what waits. */

import { onOneLine, printable } from "../cli/speaker.ts";
import { padded, widthOf } from "../cli/width.ts";
import type { AskedFigure } from "./asked_figures.ts";
import type { ReportFigures, SessionFigures, WaitFigure } from "./figures.ts";
import { isHuman } from "../records.ts";
import type { LaneState } from "./lane_states.ts";
import type { Lane } from "./lanes.ts";
import { fitted } from "./log_lines.ts";
import { clockTime, dayOf, dollars, duration, roughly } from "./since.ts";

export const STATES: Record<LaneState, { sign: string; words: string }> = {
  working: { sign: "▆", words: "works" },
  agent: { sign: "░", words: "waits for its agent" },
  human: { sign: "?", words: "waits for you" },
  api: { sign: "▒", words: "waits for the API" },
  limited: { sign: "▓", words: "limited" },
  failed: { sign: "!", words: "failed" },
  lost: { sign: "x", words: "gone" },
  idle: { sign: "·", words: "idle" },
};

const LEAST_BAR = 18;
const MOST_BAR = 48;

/** `width`: of the terminal; without it a session is one line, however long. */
export function reportText(figures: ReportFigures, width = Infinity): string {
  const { sessions, since, until } = figures;
  const head = `${periodOf(figures)}   ${totalWords(figures)}`;
  if (sessions.length === 0) return `${head}\nNo session did anything`;
  const names = Math.min(24, Math.max(...sessions.map(({ session }) => widthOf(clean(session)))));
  // Where the words do not fit beside the bars, they stand below them.
  const isNarrow = width < NARROW;
  const bar = isNarrow ? Math.max(LEAST_BAR, width - names - 2) : Math.max(
    LEAST_BAR,
    Math.min(MOST_BAR, Math.floor((Number.isFinite(width) ? width : 120) / 4)),
  );
  const lines = sessions.flatMap((one) => {
    const name = padded(fitted(clean(one.session), names), names);
    const head = `${name}  ${barOf(one.lanes, since, until, bar)}`;
    if (isNarrow) return [head, ...filled(sessionWords(one), " · ", width, "  ")];
    const indent = " ".repeat(widthOf(head) + 2);
    const [first = "", ...rest] = filled(sessionWords(one), " · ", width, indent);
    return [`${head}  ${first.trimStart()}`, ...rest];
  });
  const used = new Set(sessions.flatMap(({ lanes }) => lanes.map(({ state }) => state)));
  const legend = Object.entries(STATES).filter(([state]) => used.has(state as LaneState))
    .map(([, { sign, words }]) => `${sign} ${words}`);
  const end = waitWords(figures).split(" · ");
  const last = [...filled(legend, "   ", width), ...filled(end, " · ", width)];
  const open = openLines(figures).map((line) => fitted(line, width));
  return [head, ...lines, ...last, ...open].filter((line) => line !== "").join("\n");
}

const MOST_OPEN = 10;

/** `Now: shop-main: waits for you for 6 min · Which database should we use?` */
export function openLines({ sessions, until }: ReportFigures): string[] {
  const open = sessions.flatMap(({ session, lanes, asked }) => {
    const last = lanes.at(-1);
    if (last === undefined || last.to !== until || QUIET.has(last.state)) return [];
    const isAsking = last.state === "agent" || last.state === "human";
    const question = isAsking ? asked.findLast(({ outcome }) => outcome === undefined) : undefined;
    const state = `${STATES[last.state].words} for ${roughly(until - last.from)}`;
    const parts = [state, clean(question?.text ?? "")].filter((part) => part !== "");
    return [`Now: ${clean(session)}: ${parts.join(" · ")}`];
  });
  const more = open.length - MOST_OPEN;
  return [...open.slice(0, MOST_OPEN), ...(more > 0 ? [`Now: ${more} more`] : [])];
}

const QUIET = new Set<LaneState>(["working", "idle"]);

const NARROW = 100;

/** The parts on as few lines of this width as they need; none is broken. */
function filled(parts: string[], by: string, width: number, indent = ""): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const longer = `${last}${by}${part}`;
    if (last !== undefined && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(indent + part);
  }
  return lines;
}

export function periodOf({ since, until }: ReportFigures): string {
  const [from, to] = [new Date(since), new Date(until)];
  const isDays = until - since > 86_400_000;
  const moment = (date: Date) => `${isDays ? `${dayOf(date)} ` : ""}${clockTime(date, false)}`;
  return `${moment(from)} – ${moment(to)}`;
}

export function totalWords({ since, until, sessions, totals }: ReportFigures): string {
  return [
    duration(until - since),
    counted(sessions.length, "session"),
    counted(totals.turns, "turn"),
    ...(totals.cost_usd === undefined ? [] : [dollars(totals.cost_usd)]),
    counted(totals.commits, "commit"),
  ].join(", ");
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const TIMES: [LaneState, words: string][] = [
  ...[["working", "% at work"], ["agent", "waited % for its agent"]] as [LaneState, string][],
  ...[["human", "waited % for you"], ["api", "waited % for the API"]] as [LaneState, string][],
  ["limited", "% limited"],
];

/** What a session did, in a few words each. */
export function sessionWords(one: SessionFigures): string[] {
  const { asked, time_ms: time, recoveries } = one;
  // The line has said how long it was limited.
  const others = one.failures.filter(({ what }) => what !== "limited" || time.limited === 0);
  const failures = Map.groupBy(others, ({ what }) => what);
  return [
    (one.turns === 0 ? "no turn" : counted(one.turns, "turn")) +
    (one.human_turns > 0 ? ` (${one.human_turns} yours)` : ""),
    ...(["question", "permission"] as const).flatMap((what) => askedWords(asked, what)),
    ...TIMES.flatMap(([state, words]) =>
      time[state] > 0 ? [words.replace("%", roughly(time[state]))] : []
    ),
    ...[...failures].map(([what, list]) => list.length === 1 ? what : `${list.length} × ${what}`),
    ...recoveries.map(({ after_ms }) => `back after ${duration(after_ms)}`),
    ...(one.unsent > 0 ? [`${one.unsent} unsent`] : []),
    ...(one.cost_usd === undefined ? [] : [dollars(one.cost_usd)]),
    ...(one.commits.length > 0 ? [counted(one.commits.length, "commit")] : []),
  ];
}

function askedWords(all: SessionFigures["asked"], what: "question" | "permission"): string[] {
  const asked = all.filter((one) => one.what === what);
  if (asked.length === 0) return [];
  const longest = Math.max(...asked.map(({ after_ms = 0 }) => after_ms));
  const wait = longest > 0 ? `, longest wait ${duration(longest)}` : "";
  return [`${counted(asked.length, what)} (${clean(bySomebody(asked))}${wait})`];
}

/** `2 by warden, 1 by you`. */
function bySomebody(asked: AskedFigure[]): string {
  const counts = new Map<string, number>();
  for (const { by = "", by_kind, outcome } of asked) {
    const name = outcome === undefined
      ? "open"
      : outcome === "left"
      ? "left without an answer"
      : isHuman(by_kind)
      ? "by you"
      : by === ""
      ? "unanswered"
      : `by ${by}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} ${name}`).join(", ");
}

/** Each sign is an equal part of the time: the state that took most of it. */
function barOf(lanes: Lane[], since: number, until: number, width: number): string {
  const step = (until - since) / width;
  return Array.from({ length: width }, (_, index) => {
    const [from, to] = [since + index * step, since + (index + 1) * step];
    const parts = lanes.map((lane) => ({
      lane,
      ms: Math.min(lane.to, to) - Math.max(lane.from, from),
    })).filter(({ ms }) => ms > 0);
    // Short but bad states must stay visible.
    const bad = parts.find(({ lane }) => lane.state === "lost" || lane.state === "failed");
    const most = bad ?? parts.sort((a, b) => b.ms - a.ms)[0];
    return most === undefined ? " " : STATES[most.lane.state].sign;
  }).join("");
}

export function waitWords({ totals }: ReportFigures): string {
  const wait = ({ count, median_ms = 0 }: WaitFigure, who: string) =>
    count === 0 ? [] : [`${duration(median_ms)} for ${who}`];
  const waits = [...wait(totals.agent_wait, "agents"), ...wait(totals.human_wait, "you")];
  return [
    waits.length === 0 ? "No wait has ended" : `Median wait: ${waits.join(", ")}`,
    totals.unsent === 0 ? "nothing unsent" : `${totals.unsent} unsent`,
    totals.unanswered === 0 ? "nothing unanswered" : `${totals.unanswered} unanswered`,
  ].join(" · ");
}

function clean(text: string): string {
  return printable(onOneLine(text));
}
