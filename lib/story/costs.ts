/**
 * What each turn has cost, where only a status line reports it: the total of a conversation,
 * and for most turns only after the Stop hooks. So a turn costs what the total has grown by between
 * its prompt and the next reading: the next prompt, the end of Claude Code, or now.
 */

import { textOf } from "../events.ts";
import { isFile, namesIn, readTextIfThere } from "../files.ts";
import type { Paths } from "../paths.ts";
import { readMemory, type SessionMemory } from "../session_memory.ts";
import { lastTotal, USAGE_ENDINGS } from "../usage.ts";
import { type StoryLine, timeOf } from "./story_line.ts";
import { isEndOfTurn } from "./turns.ts";

/** What a conversation has cost in all, as it was last reported. */
export interface Total {
  usd: number;
  /** The turn in which it was reported; empty where Claude Code does not say that. */
  prompt_id: string;
  /** When it was reported, in milliseconds since 1970. */
  at: number;
}

/** `lines`: in order of time. `present`: by session. Turns whose cost is known keep it. */
export function withCosts(lines: StoryLine[], present: ReadonlyMap<string, Total>): StoryLine[] {
  const found = new Map<StoryLine, number>();
  for (const [session, own] of Map.groupBy(lines, (line) => textOf(line, "session"))) {
    let base: number | undefined;
    let turn: StoryLine | undefined;
    const settle = (total: number) => {
      // A total that has not grown is not reported yet: the cost counts with the next turn.
      if (turn !== undefined && base !== undefined && total > base) {
        found.set(turn, Math.round((total - base) * 1e6) / 1e6);
      }
      turn = undefined;
      base = total;
    };
    for (const line of own) {
      if (isFreshStart(line)) [base, turn] = [0, undefined];
      if (typeof line.total_usd === "number") settle(line.total_usd);
      // The cost of the turn before is not known alone, so it is part of this one.
      if (isEndOfTurn(line) && line.cost_usd === undefined) turn = line;
    }
    const now = present.get(session);
    if (now !== undefined && turn !== undefined && isAfter(now, turn)) settle(now.usd);
  }
  return lines.map((line) => {
    const cost_usd = found.get(line);
    return cost_usd === undefined ? line : { ...line, cost_usd };
  });
}

/** 2.1.197 does not say which turn its report belongs to. */
function isAfter({ prompt_id, at }: Total, turn: StoryLine): boolean {
  return prompt_id === "" ? at > timeOf(turn) : prompt_id === turn.prompt_id;
}

/** A conversation that has cost nothing yet. */
function isFreshStart({ kind, event, source, guest }: StoryLine): boolean {
  return kind === "session" && event === "SessionStart" && guest === undefined &&
    (source === "startup" || source === "clear");
}

/** The totals of the conversations that these sessions have now. */
export function presentTotals(paths: Paths, sessions: Iterable<string>): Map<string, Total> {
  const totals = reportedTotals(paths);
  const found = new Map<string, Total>();
  for (const session of totals.size === 0 ? [] : sessions) {
    const total = totalOf(paths, session, totals);
    if (total !== undefined) found.set(session, total);
  }
  return found;
}

/** What status lines have reported, by conversation. */
export function reportedTotals(paths: Paths): Map<string, Total> {
  const totals = new Map<string, Total>();
  for (const file of statusFiles(`${paths.state}/managed`, MOST_DEPTH)) {
    const total = lastTotal(ifReadable(() => readTextIfThere(file)) ?? "");
    const at = ifReadable(() => Deno.statSync(file).mtime?.getTime()) ?? 0;
    if (total !== undefined) totals.set(total.session_id, { ...total, at });
  }
  return totals;
}

/** Undefined where the file of a session cannot be used: the others still count. */
export function memoryIfReadable(paths: Paths, session: string): SessionMemory | undefined {
  return ifReadable(() => readMemory(paths, session));
}

/** The total of the conversation that a session has now. */
export function totalOf(
  paths: Paths,
  session: string,
  reported: ReadonlyMap<string, Total>,
): Total | undefined {
  return reported.get(memoryIfReadable(paths, session)?.claude_session_id ?? "");
}

/** Under `managed` is the path of a tmux socket, then the pane. */
const MOST_DEPTH = 12;

function statusFiles(dir: string, depth: number): string[] {
  if (depth === 0) return [];
  return (ifReadable(() => namesIn(dir)) ?? []).flatMap((name) => {
    const path = `${dir}/${name}`;
    if (name.endsWith(USAGE_ENDINGS.statusLine)) return isFile(path) ? [path] : [];
    return isFile(path) ? [] : statusFiles(path, depth - 1);
  });
}

function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; // unreadable: the total is unknown
  }
}
