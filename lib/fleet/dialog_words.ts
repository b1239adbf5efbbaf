/** What the watch says of a question, a request or another dialog that waits for an answer. */

import { RIGHTS } from "../dialog_kind.ts";
import type { Paths } from "../paths.ts";
import { formatQuestions, readQuestions } from "../questions.ts";
import type { Situation, WakeDraft } from "../wake.ts";
import { attachLine, driverActions } from "./session_commands.ts";
import type { SessionView } from "./session_view.ts";
import { agoOf } from "./ago.ts";

export function questionDraft(view: SessionView, paths: Paths): WakeDraft {
  const text = questionText(view);
  return {
    trigger: "ask_user_question",
    section: "ASK USER QUESTION",
    before: {
      title: "Claude said before the question:",
      text: text === "" ? "" : view.seen.transcript?.words ?? "",
    },
    body: text || dialogText(view),
    state: "awaiting_user_input",
    actions: driverActions(view.seen, paths, questionOf(view)),
  };
}

export function permissionDraft(view: SessionView, paths: Paths): WakeDraft {
  return {
    ...{ trigger: "permission_prompt", section: "CONTENT", state: "permission_prompt" },
    body: dialogText(view),
    isDecision: true,
    actions: driverActions(view.seen, paths, requestOf(view)),
  };
}

/** A dialog without a hook takes no free text. */
export function dialogDraft(view: SessionView, paths: Paths): WakeDraft {
  const { dialog, seen } = view;
  const mayAnswer = dialog !== undefined && (RIGHTS[dialog.kind].free || mayDecide(view));
  const all = driverActions(seen, paths, { kind: "question", questions: ONE_CHOICE });
  return {
    ...{ trigger: "dialog_open", section: "CONTENT", state: "menu", isDecision: true },
    body: dialog?.text ?? screenEnd(seen.capture),
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

/** Its agent has not answered: for the global status session, where there is one. */
export function unansweredDraft(view: SessionView, paths: Paths, now: number): WakeDraft {
  const isQuestion = view.state === "asks";
  const situation = isQuestion ? questionOf(view) : requestOf(view);
  return {
    ...{ trigger: "unanswered", section: "CONTENT", isDecision: true },
    body: (isQuestion ? questionText(view) : "") || dialogText(view),
    details: {
      agent: view.agent_id,
      waits: `${view.state}, for ${agoOf(now - view.since)}`,
      advice: "Its agent got the request and has not answered. Answer it, or tell a person.",
    },
    state: isQuestion
      ? "awaiting_user_input"
      : view.state === "dialog"
      ? "menu"
      : "permission_prompt",
    actions: [...driverActions(view.seen, paths, situation), attachLine(view.seen)],
  };
}

const ONE_CHOICE = [{ multiSelect: false }];

function questionOf({ seen: { transcript } }: SessionView): Situation {
  const questions = readQuestions(transcript?.toolInput);
  return { kind: "question", questions: questions.length > 0 ? questions : ONE_CHOICE };
}

function requestOf(view: SessionView): Situation {
  return { kind: "permission", mayDecide: mayDecide(view) };
}

function mayDecide({ seen: { agent } }: SessionView): boolean {
  return agent?.settings.answer_permissions ?? false;
}

/** As Claude asked; empty where the transcript does not have it. */
function questionText({ seen: { transcript } }: SessionView): string {
  const questions = readQuestions(transcript?.toolInput);
  return questions.length > 0 ? formatQuestions(questions) : "";
}

function dialogText({ dialog, now }: SessionView): string {
  return dialog?.text ?? now;
}

const MOST_LINES = 15;

export function screenEnd(capture = ""): string {
  const lines = capture.split("\n").map((line) => line.trimEnd()).filter((line) => line !== "");
  return lines.slice(-MOST_LINES).join("\n") || "(Its screen is empty.)";
}
