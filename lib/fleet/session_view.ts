/** What every session is doing, since when, and how we know. Decides from what was read, reads nothing. */

import { type Dialog, readScreen, type Screen } from "../pane.ts";
import { isStopped } from "../sessions/comeback.ts";
import { oneLine } from "../text.ts";
import type { Budget } from "./budgets.ts";
import { atWork, resting, starting, waiting } from "./living_view.ts";
import type { FleetObservation, SessionObservation } from "./observation.ts";

/** What waits for somebody first, then failures, then work, then idle. */
export const FLEET_STATES = [
  ...["asks", "permission", "dialog", "stalled", "failed", "limited", "retrying", "lost"] as const,
  ...["working", "paused", "idle", "held", "taken", "ended"] as const,
] as const;

export type FleetState = typeof FLEET_STATES[number];

export interface SessionView {
  session: string;
  agent_id: string;
  state: FleetState;
  /** In milliseconds since 1970; 0 when it is not known. */
  since: number;
  /** What it asks, said last or does: foreign text, on one line, and not masked. */
  now: string;
  /** How we know. Our own words. */
  evidence: string;
  context_pct?: number;
  /** What the conversation has cost so far. */
  usd?: number;
  /** Of a turn that a limit has stopped: when that ends, or has ended. */
  until?: number;
  /** Limits of spending that are near or reached, and since when; where the watch counts. */
  budgets?: (Budget & { since: number })[];
  /** The dialog on the screen. */
  dialog?: Dialog;
  /** While Claude works: since when transcript and screen are unchanged. */
  quiet_since?: number;
  unsent: number;
  dead: number;
  seen: SessionObservation;
}

/** A session that was lost longer ago is history. */
const LOST_FOR_MS = 24 * 3_600_000;

export function viewsOf({ now, sessions }: FleetObservation): SessionView[] {
  return sessions.map((seen) => viewOf(seen, now)).sort(byNeed);
}

function byNeed(a: SessionView, b: SessionView): number {
  return FLEET_STATES.indexOf(a.state) - FLEET_STATES.indexOf(b.state) ||
    (a.session < b.session ? -1 : 1);
}

/** What a state and its evidence add to what is known of a session. */
export type Judged =
  & Pick<SessionView, "state" | "since" | "now" | "evidence">
  & Partial<SessionView>;

export function viewOf(seen: SessionObservation, now: number): SessionView {
  const screen = seen.capture === undefined ? undefined : readScreen(seen.capture);
  const { agent, memory, launch, unsent, dead } = seen;
  // The screen shows the remaining context only near its end. Then it is the newer value.
  const context = screen?.pressurePct ?? seen.usage?.percent;
  const usd = seen.usage?.usd;
  return {
    session: seen.session,
    agent_id: agent?.agent_id || memory?.agent_id || launch?.agent_id || "",
    ...(context === undefined ? {} : { context_pct: context }),
    ...(usd === undefined ? {} : { usd }),
    ...(isThere(seen) ? living(seen, screen, now) : gone(seen, now)),
    unsent,
    dead,
    seen,
  };
}

function isThere({ holds, renamedTo }: SessionObservation): boolean {
  return holds === "alive" || renamedTo !== undefined;
}

const HOLDS: Record<SessionObservation["holds"], string> = {
  alive: "Claude Code runs",
  shell: "only a shell is left in its tmux session",
  dead: "all that ran in its tmux session has ended",
  occupied: "another program runs in its tmux session",
  gone: "its tmux session is gone",
};

/** SessionEnd's reasons in the words of a person. */
const ENDED_BY: Record<string, string> = {
  prompt_input_exit: "left with /exit, Ctrl-C or Ctrl-D",
  logout: "left with /logout",
  other: "ended by a signal, or with its tmux session",
};

function gone(seen: SessionObservation, now: number): Judged {
  const { memory, entry, holds } = seen;
  const ended = memory?.ended ?? "";
  const since = lastSignOf(seen);
  if (ended !== "" && ended !== "clear" && ended !== "resume") {
    const how = isStopped(seen)
      ? "stopped with gsd-code stop"
      : ENDED_BY[ended] ?? `ended (${oneLine(ended)})`;
    const evidence = `SessionEnd said "${oneLine(ended)}"; ${HOLDS[holds]}`;
    return {
      state: "ended",
      since: Date.parse(memory?.updated_at ?? "") || since,
      now: how,
      evidence,
    };
  }
  if (seen.isUnseen) {
    const why = "tmux does not answer: it is not known whether it is there";
    return { state: "ended", since, now: why, evidence: why };
  }
  // A launch alone does not count: its program may never have become a Claude Code.
  const wasThere = (memory?.claude_session_id ?? "") !== "" || entry !== undefined ||
    seen.transcript !== undefined;
  if (!wasThere || seen.agent === undefined || now - since > LOST_FOR_MS) {
    return { state: "ended", since, now: HOLDS[holds], evidence: HOLDS[holds] };
  }
  const process = entry === undefined ? "" : ` process ${entry.pid} has ended;`;
  return {
    state: "lost",
    since,
    now: `Claude Code is gone: ${HOLDS[holds]}`,
    evidence: `no SessionEnd came;${process} ${HOLDS[holds]}`,
  };
}

/** The time of the last sign of a session that is gone. */
function lastSignOf({ memory, launch, entry, transcript }: SessionObservation): number {
  const times = [
    Date.parse(memory?.updated_at ?? ""),
    Date.parse(launch?.started_at ?? ""),
    entry?.statusSince,
    transcript?.writtenAt,
  ];
  return Math.max(0, ...times.map((time) => time || 0));
}

function living(seen: SessionObservation, screen: Screen | undefined, now: number): Judged {
  const judged = waiting(seen, screen) ?? starting(seen, screen, now) ??
    atWork(seen, screen, now) ?? resting(seen, screen, now);
  const { hold, stopped } = seen;
  if (stopped !== undefined && judged.state === "idle" && hold === undefined) {
    return { ...judged, now: `limit reached: ${stopped}` };
  }
  if (hold === undefined || judged.state === "asks" || judged.state === "permission") return judged;
  const evidence = hold.kind === "taken" ? "a person has taken it" : "its wakes are held";
  return { ...judged, state: hold.kind, since: hold.since, evidence };
}
