/** The figures of questions and requests: who settled each, when, and how. */

import { textOf } from "../events.ts";
import { decisionWords } from "./answer_words.ts";
import { askedWords } from "./asked_words.ts";
import { type StoryLine, timeOf } from "./story_line.ts";

export interface AskedFigure {
  at: number;
  what: "question" | "permission";
  text: string;
  /** Who settled it; absent where it is open. */
  by?: string;
  by_kind?: string;
  after_ms?: number;
  answer?: string;
  outcome?: string;
}

const ASKS = new Map(Object.entries<AskedFigure["what"]>({
  ask_user_question: "question",
  permission_prompt: "permission",
}));

const DECIDED_SOMEHOW = { by: "keyboard", by_kind: "keyboard", outcome: "unknown" };

export function askedFigures(records: StoryLine[]): AskedFigure[] {
  const found: AskedFigure[] = [];
  for (const line of records) {
    const what = ASKS.get(textOf(line, "trigger"));
    const id = textOf(line, "question_id");
    if (line.kind !== "queued" || what === undefined) continue;
    const end = id === ""
      ? undefined
      : records.findLast((one) =>
        (one.kind === "answered" || one.kind === "decided") && one.question_id === id &&
        one.outcome !== "timeout"
      );
    // A request without an id is for a person. Events show that it is over, but not its outcome.
    const isForHuman = id === "" && what === "permission";
    const settled = isForHuman ? howClosed(records, line) : endOf(end);
    const text = askedWords(textOf(line, "trigger"), textOf(line, "text"));
    found.push({ at: timeOf(line), what, text, ...settled });
  }
  return found;
}

/** By the driver's esc, else by a person, if something came that a dialog must be closed for. */
function howClosed(records: StoryLine[], request: StoryLine): Partial<AskedFigure> {
  for (const line of records.slice(records.indexOf(request) + 1)) {
    // Through the mod it stops a turn: then the dialog was closed before.
    const isEscape = line.action === "esc" && line.outcome === "done" && line.via === "keys";
    if (line.kind === "instruction" && isEscape) {
      return { by: textOf(line, "by"), by_kind: textOf(line, "by_kind"), outcome: "left" };
    }
    if (isGoingOn(line)) return DECIDED_SOMEHOW;
  }
  return {};
}

function isGoingOn(line: StoryLine): boolean {
  return line.kind === "prompt" || line.kind === "queued" &&
      /^(response|session)_|^ask_|^interrupted/.test(textOf(line, "trigger"));
}

function endOf(end: StoryLine | undefined): Partial<AskedFigure> {
  if (end === undefined) return {};
  const answer = decisionWords(end.decision, end.kind === "answered");
  return {
    by: textOf(end, "by"),
    by_kind: textOf(end, "by_kind"),
    outcome: textOf(end, "outcome") || "given",
    ...(typeof end.after_ms === "number" ? { after_ms: end.after_ms } : {}),
    ...(end.outcome === "left" ? {} : { answer: answer.text || answer.what }),
  };
}
