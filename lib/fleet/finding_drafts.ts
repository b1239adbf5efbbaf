/** What the watch says about each finding. */

import { describeFailure, type Failure } from "../failures.ts";
import type { Paths } from "../paths.ts";
import { shellQuote } from "../text.ts";
import { commandWords, formatPressure, type WakeDraft } from "../wake.ts";
import { budgetDraft, unmeasuredDraft } from "./budget_words.ts";
import { unmeasuredLimits } from "./budgets.ts";
import { hooksDraft, movedDraft, outOfReachDraft, renamedDraft } from "./changed_words.ts";
import {
  dialogDraft,
  permissionDraft,
  questionDraft,
  screenEnd,
  unansweredDraft,
} from "./dialog_words.ts";
import type { FindingKind, FleetFinding } from "./findings.ts";
import { driverActions } from "./session_commands.ts";
import type { SessionView } from "./session_view.ts";
import { agoOf } from "./ago.ts";
import { hasHooks } from "./reported.ts";

export interface DraftOptions {
  paths: Paths;
  now: number;
  /** The session is being started again by itself. */
  isRecovered: boolean;
  /** What became of turns that a limit ends, by session: "stopped", or why not. */
  stops?: ReadonlyMap<string, string>;
}

export function draftOf(finding: FleetFinding, options: DraftOptions): WakeDraft {
  const { view, since, kind } = finding;
  const ago = agoOf(options.now - since);
  const lasts: Record<string, string> = since === 0 ? {} : { lasts: ago };
  const about = { ...(isLate(kind) ? { late: ago } : lasts), evidence: evidenceOf(finding) };
  const draft = bare(finding, options);
  const isBare = isLate(kind) && !hasHooks(view.seen);
  const hooks: Record<string, string> = isBare ? { hooks: NO_HOOKS } : {};
  return { ...draft, details: { ...draft.details, ...about, ...hooks } };
}

/** How it is known. The state of a session does not cover money and hooks. */
function evidenceOf({ kind, view }: FleetFinding): string {
  const { hooksOff, usage } = view.seen;
  if (kind === "hooks") return hooksOff ?? NO_HOOKS;
  if (kind !== "budget" && kind !== "unmeasured") return view.evidence;
  return usage === undefined ? "neither a mod nor a status line tells it" : `its ${usage.from}`;
}

const NO_HOOKS = "none has run since this Claude Code was started; gsd-code doctor says why";

/** A hook should have reported it. */
export function isLate(kind: FindingKind): boolean {
  return ["turn", "failure", "question", "permission", "interrupted"].includes(kind);
}

function recoverAction(view: SessionView, { paths }: DraftOptions): string {
  const which = view.seen.launch === undefined ? ["--agent", view.agent_id] : [view.session];
  return [...commandWords(paths, "recover"), ...which].map(shellQuote).join(" ");
}

function bare({ kind, view, budget }: FleetFinding, options: DraftOptions): WakeDraft {
  const { transcript, agent, capture } = view.seen;
  const section = "CONTENT" as const;
  const words = transcript?.words ?? "";
  const prompt = driverActions(view.seen, options.paths, { kind: "prompt" });
  const atWork = [
    ...driverActions(view.seen, options.paths, { kind: "working" }),
    ...driverActions(view.seen, options.paths, { kind: "permission", mayDecide: false }).slice(1),
  ];
  const pressure = formatPressure(
    { percent: view.context_pct },
    agent?.settings.context_pressure_threshold ?? 100,
  );
  switch (kind) {
    case "lost":
      return {
        ...{ trigger: "session_lost", section, state: "terminated" },
        body: `Claude Code is gone from ${view.session}, without a SessionEnd event. ` +
          `Its conversation is kept: ${view.seen.memory?.claude_session_id ?? "unknown"}` +
          (words === "" ? "" : `\nIts last words:\n${words}`),
        details: {
          advice: options.isRecovered
            ? "It is being started again. Wait for session_recovered or recovery_failed."
            : "If that was not intended, run the action.",
        },
        actions: [recoverAction(view, options)],
      };
    case "turn":
      return {
        ...{ trigger: "response_complete", section, pressure },
        state: view.state === "paused" ? "paused" : "idle",
        body: words || "(The turn ended without a word from Claude.)",
        actions: prompt,
      };
    case "failure": {
      const { text, kind, advice } = failureOf(view);
      const details = { kind, advice };
      const trigger = "response_failed";
      return { trigger, section, state: "error", pressure, body: text, details, actions: prompt };
    }
    case "interrupted":
      return {
        ...{ trigger: "interrupted", section, state: "idle", pressure, actions: prompt },
        body: words || `(Nothing was said yet.)\nThe prompt was: ${transcript?.prompt ?? ""}`,
        details: { advice: "Somebody pressed Esc. Ask before you send Claude on." },
      };
    case "question":
      return questionDraft(view, options.paths);
    case "permission":
      return permissionDraft(view, options.paths);
    case "dialog":
      return dialogDraft(view, options.paths);
    case "stalled":
      return {
        ...{ trigger: "stalled", section, state: "working", pressure, actions: atWork },
        before: { title: "It last did:", text: view.now },
        body: screenEnd(capture),
        details: { advice: "Look (snapshot). esc stops the turn, then type what to do." },
      };
    case "retrying":
      return {
        ...{ trigger: "retrying", section, state: "working", actions: atWork },
        body: view.now,
        details: { advice: "Claude Code tries again by itself. Wait, or esc." },
      };
    case "limit_over":
      return {
        ...{ trigger: "limited", section, state: "idle", pressure, actions: prompt },
        body: transcript?.message ?? "",
        details: {
          advice: "The limit has ended, and Claude waits. Type what it is to go on with.",
        },
      };
    case "renamed":
      return renamedDraft(view);
    case "moved":
      return view.seen.movedTo === undefined
        ? outOfReachDraft(view, prompt.slice(-1))
        : movedDraft(view, prompt);
    case "unanswered":
      return unansweredDraft(view, options.paths, options.now);
    case "budget":
      return budgetDraft(view, budget!, { paths: options.paths, stops: options.stops ?? NO_STOPS });
    case "unmeasured":
      return unmeasuredDraft(view, unmeasuredLimits(view).join(", "));
    case "hooks":
      return hooksDraft(view, options.paths);
  }
}

const NO_STOPS: ReadonlyMap<string, string> = new Map();

export function failureOf({ seen: { transcript } }: SessionView): Failure {
  return describeFailure(transcript?.error ?? "", transcript?.message ?? "", "");
}
