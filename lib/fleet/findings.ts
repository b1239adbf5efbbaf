/** Findings: what was not reported yet, or was reported and not acted on. Pure: views in, findings out. */

import { hash } from "../paths.ts";
import { whyUnreachable } from "../registry.ts";
import { isStopped } from "../sessions/comeback.ts";
import { isInterrupted } from "./living_view.ts";
import type { SessionView } from "./session_view.ts";
import { type Budget, isAtWork } from "./budgets.ts";
import { budgets, hooksOff, unmeasured } from "./standing_findings.ts";
import { ourSince, wasOwnEsc, wasReported } from "./reported.ts";

/** How long each must last. Hooks and the mod get this time to report it first. */
export const FINDING_AFTER_MS = {
  lost: 4000,
  turn: 12_000,
  failure: 12_000,
  interrupted: 12_000,
  question: 15_000,
  permission: 20_000,
  dialog: 20_000,
  retrying: 30_000,
  renamed: 5000,
  moved: 30_000,
  limit_over: 0,
  stalled: 0,
  unanswered: 0,
  budget: 0,
  unmeasured: 30_000,
  hooks: 20_000,
} as const;

export type FindingKind = keyof typeof FINDING_AFTER_MS;

export interface FleetFinding {
  kind: FindingKind;
  /** Stays the same while the finding lasts; the next occurrence has another one. */
  key: string;
  since: number;
  view: SessionView;
  /** Of a limit that is near or reached. */
  budget?: Budget;
}

export interface WatchKnowledge {
  /** The watch has reported it. */
  isTold(key: string): boolean;
  /** When the watch first saw it. */
  seenSince(key: string): number;
  /** When the watch first saw a conversation. */
  firstLook(claudeId: string): number | undefined;
  /** There is a global status session. */
  hasGlobal: boolean;
}

export interface Findings {
  /** The findings to report now. */
  ripe: FleetFinding[];
  /** When the next one must be reported, if it lasts. */
  nextAt: number | undefined;
  /** All findings that last, reported by the watch or not. */
  lasting: FleetFinding[];
}

export function findingsOf(views: SessionView[], known: WatchKnowledge, now: number): Findings {
  const all = onceEach(views.filter(isManaged).flatMap((view) => allOf(view, known, now)));
  const unreported = all.filter(({ key }) => !known.isTold(key));
  const ripeAt = ({ kind, key }: FleetFinding) => known.seenSince(key) + FINDING_AFTER_MS[kind];
  const later = unreported.map(ripeAt).filter((time) => time > now);
  return {
    ripe: unreported.filter((finding) => ripeAt(finding) <= now),
    nextAt: later.length === 0 ? undefined : Math.min(...later),
    lasting: all,
  };
}

/** All sessions of an agent share the limit of a day: only the working one is reported. */
function onceEach(findings: FleetFinding[]): FleetFinding[] {
  const first = new Map<string, FleetFinding>();
  for (const one of findings) {
    const known = first.get(one.key);
    if (known === undefined || !isAtWork(known.view) && isAtWork(one.view)) first.set(one.key, one);
  }
  return Array.from(first.values());
}

/** An agent owns it, and can be woken. */
function isManaged({ seen: { agent } }: SessionView): boolean {
  return agent !== undefined && whyUnreachable(agent) === undefined;
}

function allOf(view: SessionView, known: WatchKnowledge, now: number): FleetFinding[] {
  return [
    ...ofState(view, known, now),
    ...renamed(view),
    ...unanswered(view, known, now),
    ...limitOver(view, now),
    ...budgets(view),
    ...unmeasured(view),
    ...hooksOff(view),
  ];
}

function ofState(view: SessionView, known: WatchKnowledge, now: number): FleetFinding[] {
  const { seen, since } = view;
  switch (view.state) {
    case "lost":
      return wasReported(seen, ["session_lost", "session_end"], since) ? [] : [lost(view)];
    case "ended":
      return isUnreportedEnd(view, now) ? [lost(view)] : [];
    case "asks":
      return wasReported(seen, ["ask_user_question", "permission_prompt"], since, 15_000)
        ? []
        : [finding(view, "question", asking(view))];
    case "permission":
      return wasReported(seen, ["permission_prompt", "ask_user_question"], since, 15_000)
        ? []
        : [finding(view, "permission", asking(view))];
    case "dialog":
      return wasReported(seen, OF_DIALOGS, since) || wasReported(seen, AT_A_START, since, 60_000)
        ? []
        : [finding(view, "dialog", asking(view))];
    case "stalled": {
      const { quiet_since: quiet = since } = view;
      // An agent that knows of the failing API gets the same time again to decide.
      const later = Math.max(quiet, now - (seen.agent?.settings.stall_after_s ?? 0) * 1000);
      const isTold = wasReported(seen, ["stalled"], quiet) ||
        wasReported(seen, ["retrying"], later, 0);
      return isTold ? [] : [finding(view, "stalled", [quiet], quiet)];
    }
    case "retrying":
      return wasReported(seen, ["retrying"], since) ? [] : [finding(view, "retrying", [since])];
    case "working":
    case "held":
    case "taken":
      return [];
    default:
      return ofTurn(view, known);
  }
}

/** Claude Code's notifications of dialogs are among them. */
const OF_DIALOGS = [
  ...["dialog_open", "permission_prompt", "worker_permission_prompt", "agent_needs_input"],
  ...["elicitation_dialog", "elicitation_url_dialog"],
];

/** These wakes show a dialog of the start themselves. */
const AT_A_START = ["session_recovered"];

/** A turn has ended: was its end reported? */
function ofTurn(view: SessionView, known: WatchKnowledge): FleetFinding[] {
  const { seen } = view;
  const { transcript, entry } = seen;
  // Where Claude Code does not say that it is idle, its hooks may still run.
  if (view.state === "ended" || transcript === undefined || entry?.status !== "idle") return [];
  const from = ourSince(seen, known.firstLook(entry.sessionId));
  if (transcript.at < from || transcript.at < entry.startedAt) return [];
  const id = [transcript.promptId, transcript.at];
  if (transcript.kind === "answer") {
    const triggers = ["response_complete", "idle_prompt"];
    if (wasReported(seen, triggers, transcript.at)) return [];
    return [finding(view, "turn", id, transcript.at)];
  }
  if (transcript.kind === "failed") {
    const triggers = ["response_failed", "idle_prompt"];
    if (wasReported(seen, triggers, transcript.at)) return [];
    return [finding(view, "failure", id, transcript.at)];
  }
  if (!isInterrupted(seen) || wasOwnEsc(seen, entry.statusSince)) return [];
  if (wasReported(seen, ["interrupted", "response_complete"], entry.statusSince)) return [];
  return [finding(view, "interrupted", [...id, entry.statusSince], entry.statusSince)];
}

/** Long after an end its wake may have left memory and journal. */
const END_WITHIN_MS = 3_600_000;

/** The hook of its end noted the end, and was killed with the pane before it made the wake. */
function isUnreportedEnd({ since, seen }: SessionView, now: number): boolean {
  const isFromOutside = seen.memory?.ended === "other" && !isStopped(seen);
  return isFromOutside && now - since < END_WITHIN_MS &&
    !wasReported(seen, ["session_lost", "session_end"], since, 15_000);
}

/** Its own record changes when it is started again, not while it is gone. */
function lost(view: SessionView): FleetFinding {
  const { launch, memory } = view.seen;
  return finding(view, "lost", [launch?.started_at ?? "", memory?.updated_at ?? ""]);
}

/** Identifies a dialog: by Claude Code's own start time, else by its text. */
function asking({ dialog, since, seen: { entry } }: SessionView): unknown[] {
  return entry?.status === "waiting"
    ? [entry.statusSince]
    : [dialog?.kind ?? "", since || hash(dialog?.text ?? "")];
}

function renamed(view: SessionView): FleetFinding[] {
  const { renamedTo, movedTo } = view.seen;
  if (movedTo !== undefined) return [finding(view, "moved", [movedTo])];
  if (renamedTo === undefined) return [];
  return [finding(view, renamedTo === "" ? "moved" : "renamed", [renamedTo])];
}

/** Spreads the sessions, so that not all continue at the same moment. */
const MOST_JITTER_MS = 30_000;

/** The limit that stopped the turn has ended, and the session waits. */
function limitOver(view: SessionView, now: number): FleetFinding[] {
  const { state, until, seen, session } = view;
  if (state !== "failed" || until === undefined) return [];
  const jitter = Number.parseInt(hash(session).slice(0, 6), 16) % MOST_JITTER_MS;
  if (now < until + jitter || wasReported(seen, ["limited"], until, 0)) return [];
  return [finding(view, "limit_over", [until], until)];
}

/** The question was reported, and has had no answer for a long time. */
function unanswered(view: SessionView, known: WatchKnowledge, now: number): FleetFinding[] {
  if (!["asks", "permission", "dialog"].includes(view.state) || view.since === 0) return [];
  const after = view.seen.agent!.settings.escalate_after_s * 1000;
  if (!known.hasGlobal || now - view.since < after) return [];
  if (wasReported(view.seen, ["unanswered"], view.since)) return [];
  return [finding(view, "unanswered", asking(view))];
}

function finding(
  view: SessionView,
  kind: FindingKind,
  what: unknown[],
  since = view.since,
): FleetFinding {
  const { entry, memory } = view.seen;
  const claude = entry?.sessionId || memory?.claude_session_id || "";
  return { kind, key: JSON.stringify([kind, view.session, claude, ...what]), since, view };
}
