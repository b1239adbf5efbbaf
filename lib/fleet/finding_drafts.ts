/** What the watch says about each finding. */

import { RIGHTS } from "../dialog_kind.ts";
import { describeFailure, type Failure } from "../failures.ts";
import type { Paths } from "../paths.ts";
import { formatQuestions, readQuestions } from "../questions.ts";
import { driverWords } from "../sessions/tmux_servers.ts";
import { shellQuote } from "../text.ts";
import {
  actionsFor,
  commandWords,
  formatPressure,
  type Situation,
  type WakeDraft,
} from "../wake.ts";
import { budgetDraft, unmeasuredDraft } from "./budget_words.ts";
import { unmeasuredLimits } from "./budgets.ts";
import type { FindingKind, FleetFinding } from "./findings.ts";
import { hooksDraft, movedDraft } from "./changed_words.ts";
import type { SessionView } from "./session_view.ts";
import { agoOf } from "./since.ts";
import { hasHooks } from "./told.ts";

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

/** How it is known. Of money and hooks the state of the session says nothing. */
function evidenceOf({ kind, view }: FleetFinding): string {
  const { hooksOff, usage } = view.seen;
  if (kind === "hooks") return hooksOff ?? NO_HOOKS;
  if (kind !== "budget" && kind !== "unmeasured") return view.evidence;
  return usage === undefined ? "neither a mod nor a status line tells it" : `its ${usage.from}`;
}

const NO_HOOKS = "none has run since this Claude Code was started; gsd-code doctor says why";

/** A hook should have told it. */
export function isLate(kind: FindingKind): boolean {
  return ["turn", "failure", "question", "permission", "interrupted"].includes(kind);
}

/** The name under which tmux has it now. */
function tmuxName({ session, seen }: SessionView): string {
  return seen.renamedTo || session;
}

function actionsOf(view: SessionView, { paths }: DraftOptions, situation: Situation): string[] {
  const driver = driverWords(paths, view.seen.socket).map(shellQuote).join(" ");
  return actionsFor(driver, tmuxName(view), situation);
}

function recoverAction(view: SessionView, { paths }: DraftOptions): string {
  const which = view.seen.launch === undefined ? ["--agent", view.agent_id] : [view.session];
  return [...commandWords(paths, "recover"), ...which].map(shellQuote).join(" ");
}

function bare({ kind, view, budget }: FleetFinding, options: DraftOptions): WakeDraft {
  const { seen: { transcript, agent, capture }, dialog } = view;
  const section = "CONTENT" as const;
  const words = transcript?.words ?? "";
  const prompt = actionsOf(view, options, { kind: "prompt" });
  const atWork = [
    ...actionsOf(view, options, { kind: "working" }),
    ...actionsOf(view, options, { kind: "permission", mayDecide: false }).slice(1),
  ];
  const pressure = formatPressure(
    { percent: view.context_pct },
    agent?.settings.context_pressure_threshold ?? 100,
  );
  switch (kind) {
    case "lost":
      return {
        ...{ trigger: "session_lost", section, state: "terminated" },
        body: `Claude Code is gone from ${view.session}, and it said no word. ` +
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
    case "question": {
      const questions = readQuestions(transcript?.toolInput);
      const isWhole = questions.length > 0;
      const shape = isWhole ? questions : [{ multiSelect: false }];
      return {
        trigger: "ask_user_question",
        section: "ASK USER QUESTION",
        before: { title: "Claude said before the question:", text: isWhole ? words : "" },
        body: isWhole ? formatQuestions(questions) : dialog?.text ?? view.now,
        state: "awaiting_user_input",
        actions: actionsOf(view, options, { kind: "question", questions: shape }),
      };
    }
    case "permission": {
      const mayDecide = agent?.settings.answer_permissions ?? false;
      return {
        ...{ trigger: "permission_prompt", section, state: "permission_prompt" },
        body: dialog?.text ?? view.now,
        isDecision: true,
        actions: actionsOf(view, options, { kind: "permission", mayDecide }),
      };
    }
    case "dialog":
      return dialogDraft(view, options);
    case "stalled":
      return {
        ...{ trigger: "stalled", section, state: "working", pressure, actions: atWork },
        before: { title: "It last did:", text: view.now },
        body: lastLines(capture),
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
      if (view.seen.movedTo !== undefined) return movedDraft(view, prompt);
      return {
        ...{ trigger: "session_changed", section, state: "unknown", actions: prompt.slice(-1) },
        body: `Claude Code of ${view.session} is no longer there, and runs on in process ` +
          `${view.seen.entry?.pid}, in no tmux server that we know.`,
        details: {
          change: "moved",
          advice: "You cannot type into it. Ask a person to end it; recover brings it back.",
        },
      };
    case "unanswered":
      return unansweredDraft(view, options);
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

/** The dialogs that no hook speaks of take no free text. */
function dialogDraft(view: SessionView, options: DraftOptions): WakeDraft {
  const { dialog, seen: { agent, capture } } = view;
  const mayAnswer = dialog !== undefined &&
    (RIGHTS[dialog.kind].free || (agent?.settings.answer_permissions ?? false));
  const all = actionsOf(view, options, { kind: "question", questions: [{ multiSelect: false }] });
  return {
    ...{ trigger: "dialog_open", section: "CONTENT", state: "menu", isDecision: true },
    body: dialog?.text ?? lastLines(capture),
    details: {
      dialog: dialog?.kind ?? "unknown",
      advice: mayAnswer
        ? "Claude waits at this dialog. Answer it."
        : "Claude waits at this dialog, and you may not answer it: ask a person.",
    },
    actions: all.filter((line) =>
      mayAnswer ? !/ type <text>$/.test(line) : / (snapshot|esc)$/.test(line)
    ),
  };
}

/** With a record the session stays its agent's, whatever its name: the watch lets that follow. */
function renamedDraft(view: SessionView): WakeDraft {
  const { session, seen: { renamedTo = "", socket, launch } } = view;
  const at = socket === undefined ? [] : ["-S", socket];
  const words = ["tmux", ...at, "rename-session", "-t", `=${renamedTo}`, session];
  const advice = launch === undefined
    ? "Its hooks no longer find you: only the watch tells you what happens. The action gives it " +
      "its name back."
    : "Use the new name from now on. All that is kept of the session follows it, and so do its " +
      "wakes. The action gives it its old name back.";
  return {
    trigger: "session_changed",
    section: "CONTENT",
    body: `The tmux session ${session} is now called ${renamedTo}. Claude Code runs on in it.`,
    details: { change: "renamed", advice },
    state: "unknown",
    actions: [words.map(shellQuote).join(" ")],
  };
}

function unansweredDraft(view: SessionView, options: DraftOptions): WakeDraft {
  const questions = readQuestions(view.seen.transcript?.toolInput);
  const shape = questions.length > 0 ? questions : [{ multiSelect: false }];
  const isQuestion = view.state === "asks";
  const mayDecide = view.seen.agent?.settings.answer_permissions ?? false;
  const situation: Situation = isQuestion
    ? { kind: "question", questions: shape }
    : { kind: "permission", mayDecide };
  const { socket } = view.seen;
  const attach = ["tmux", ...(socket === undefined ? [] : ["-S", socket]), "attach", "-t"];
  return {
    ...{ trigger: "unanswered", section: "CONTENT", isDecision: true },
    body: isQuestion && questions.length > 0
      ? formatQuestions(questions)
      : view.dialog?.text ?? view.now,
    details: {
      agent: view.agent_id,
      waits: `${view.state}, since ${agoOf(options.now - view.since)}`,
      advice: "Its agent was told and has not answered. Answer it, or tell a person.",
    },
    state: isQuestion
      ? "awaiting_user_input"
      : view.state === "dialog"
      ? "menu"
      : "permission_prompt",
    actions: [
      ...actionsOf(view, options, situation),
      [...attach, `=${tmuxName(view)}`].map(shellQuote).join(" "),
    ],
  };
}

const MOST_LINES = 15;

function lastLines(capture = ""): string {
  const lines = capture.split("\n").map((line) => line.trimEnd()).filter((line) => line !== "");
  return lines.slice(-MOST_LINES).join("\n") || "(Its screen is empty.)";
}
