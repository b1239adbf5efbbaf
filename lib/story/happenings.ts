/** What a record of the journal says in plain words: who, what, which words, how long. */

import { textOf } from "../events.ts";
import { answerSaying, replySaying } from "./answer_words.ts";
import type { Known } from "./known.ts";
import { SESSION_WORDS, sessionSaying } from "./session_words.ts";
import { duration } from "./since.ts";
import { type Happening, joined, type Saying, type StoryLine, type Tone } from "./story_line.ts";
import { isDropped, WAKES, wakeSaying } from "./wake_words.ts";

const STEPS = new Map(Object.entries<{ what: string; tone?: Tone }>({
  added: { what: "step added", tone: "quiet" },
  begun: { what: "step begun" },
  done: { what: "step done", tone: "good" },
  failed: { what: "step failed", tone: "bad" },
  unsure: { what: "step unsure", tone: "bad" },
  dropped: { what: "step dropped" },
  moved: { what: "step moved", tone: "quiet" },
  paused: { what: "queue held", tone: "bad" },
  resumed: { what: "queue goes on", tone: "good" },
  cleared: { what: "queue cleared" },
}));

/** What `--kind` takes beside the kinds of records. */
export const WORDS = [
  ...new Set([
    ...["typed", "cleared", "pressed", "refused", "told", "not told", "answered", "left"],
    ...["allowed", "denied", "decided", "problem", "goes on"],
    ...["limited", "replied", "unanswered", "dead letter"],
    ...SESSION_WORDS,
    ...STEPS.values().map(({ what }) => what),
    ...WAKES.values().map(({ what }) => what).filter((what) => what !== ""),
  ]),
].sort();

/** Undefined for a record that adds nothing to others. To be called in order of time. */
export function happeningOf(record: StoryLine, known: Known): Happening | undefined {
  known.note(record);
  const said = sayingOf(record, known);
  if (said === undefined || said.what === "") return undefined;
  return {
    at: new Date(textOf(record, "at")),
    session: textOf(record, "session"),
    tone: "plain",
    text: "",
    note: "",
    ...said,
    record,
  };
}

function sayingOf(line: StoryLine, known: Known): Saying | undefined {
  const agent = textOf(line, "agent_id");
  const reason = textOf(line, "reason");
  switch (line.kind) {
    case "queued":
      return wakeSaying(line, known);
    case "delivered": {
      const tries = Number(line.tries ?? 1);
      const after = typeof line.duration_ms === "number" ? `in ${duration(line.duration_ms)}` : "";
      const note = tries > 1 ? `${tries} tries` : "";
      return { who: `→${agent}`, what: "told", text: after, note, tone: "quiet" };
    }
    case "failed":
      return { who: `→${agent}`, what: "not told", text: reason, tone: "bad" };
    case "dead":
      return isDropped(line)
        ? { who: `→${agent}`, what: "dropped", text: reason.slice("dropped ".length) }
        : { who: `→${agent}`, what: "dead letter", text: reason, tone: "bad" };
    case "instruction":
      return instructionSaying(line);
    case "prompt":
      return promptSaying(line);
    case "answered":
      return textOf(line, "status") !== ""
        ? { who: agent, what: "replied", text: reason, tone: "quiet" }
        : answerSaying(line, known);
    case "decided":
      return typeof line.decision === "string" ? replySaying(line) : answerSaying(line, known);
    case "session":
      return sessionSaying(line, known);
    case "step":
      return stepSaying(line);
    case "problem":
      return { who: "–", what: "problem", text: reason, tone: "bad" };
    default:
      return undefined; // suppressed: another wake said it
  }
}

const ACTIONS = new Map(Object.entries<Pick<Saying, "what" | "text">>({
  type: { what: "typed" },
  start: { what: "typed" },
  clear_then: { what: "cleared" },
  esc: { what: "pressed", text: "Esc" },
  enter: { what: "pressed", text: "Enter" },
  submit: { what: "pressed", text: "submit" },
}));

function instructionSaying(line: StoryLine): Saying {
  const who = textOf(line, "by");
  const action = textOf(line, "action");
  if (line.outcome === "refused") {
    const tried = joined([action, textOf(line, "text")], " ");
    return { who, what: "refused", text: `${tried}: ${textOf(line, "reason")}`, tone: "bad" };
  }
  const { what, text } = ACTIONS.get(action) ?? { what: action, text: undefined };
  const note = action === "clear_then" ? "a new conversation" : "";
  return { who, what, text: text ?? textOf(line, "text"), note };
}

function promptSaying(line: StoryLine): Saying | undefined {
  if (textOf(line, "instruction_id") !== "") return undefined; // the instruction's record says it
  const text = textOf(line, "text");
  if (line.by_kind === "claude") return { who: "Claude", what: "goes on", text, tone: "quiet" };
  return { who: line.by_kind === "unknown" ? "somebody" : textOf(line, "by"), what: "typed", text };
}

/** A step of a queue, or the queue itself. */
function stepSaying(line: StoryLine): Saying {
  const status = textOf(line, "status");
  const { what, tone = "plain" } = STEPS.get(status) ?? { what: `step ${status}` };
  const number = typeof line.step === "number" ? `${line.step}.` : "";
  const text = joined([joined([number, textOf(line, "text")], " "), textOf(line, "reason")], ": ");
  const note = typeof line.after_ms === "number" ? duration(line.after_ms) : "";
  return { who: textOf(line, "by") || "queue", what, text, note, tone };
}
