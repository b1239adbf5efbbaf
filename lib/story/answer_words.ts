/** What the log and the report say of an answer to a question, a request or a wake. */

import { textOf } from "../events.ts";
import { isObject } from "../json.ts";
import { screenWords } from "./asked_words.ts";
import type { Known } from "./known.ts";
import { duration } from "./since.ts";
import { joined, type Saying, type StoryLine } from "./story_line.ts";

export function answerSaying(line: StoryLine, { requests }: Known): Saying {
  const after = typeof line.after_ms === "number" ? `after ${duration(line.after_ms)}` : "";
  const who = textOf(line, "by") || "–";
  const shown = textOf(line, "asked");
  const asked = requests.get(textOf(line, "question_id")) ||
    (line.kind === "answered" ? shown : screenWords(shown)) || textOf(line, "tool");
  switch (line.outcome) {
    case "left":
      return { who, what: "left", text: joined([asked, "without an answer"]), note: after };
    case "timeout":
      return {
        ...{ who: "–", what: "unanswered", note: after, tone: "bad" },
        text: openWords(textOf(line, "tool")),
      };
    case "claude gone":
      return { who: "–", what: "unanswered", text: "Claude Code has ended", tone: "bad" };
    case "unknown":
      return { who, what: "decided", text: joined([asked, "how is not known"]), note: after };
  }
  const { what, text } = decisionWords(line.decision, line.kind === "answered");
  return { who, what, text: text || asked, note: after, tone: "good" };
}

/** `tool`: as a request names it. Empty where it names none. */
function openWords(tool: string): string {
  if (tool === "") return "";
  const what = tool === "AskUserQuestion"
    ? "the question"
    : tool === "ExitPlanMode"
    ? "the plan"
    : tool.startsWith("form of ")
    ? `the ${tool}`
    : `the dialog of ${tool}`;
  return `${what} stays open`;
}

/** `SQLite`, `allowed`, `denied`: the answer in words. */
export function decisionWords(
  decision: unknown,
  isAnswer: boolean,
): { what: string; text: string } {
  if (!isObject(decision)) return { what: isAnswer ? "answered" : "decided", text: "" };
  if (decision.kind === "allow") return { what: "allowed", text: "" };
  if (decision.kind === "deny") return { what: "denied", text: textOf(decision, "message") };
  const answers = isObject(decision.answers) ? Object.values(decision.answers) : [];
  return { what: isAnswer ? "answered" : "decided", text: answers.map(String).join(" · ") };
}

/** What became of the agent's reply to a wake that waited for it. */
export function replySaying(line: StoryLine): Saying | undefined {
  if (line.decision === "none") return undefined;
  const what = line.decision === "block" ? "sent on" : "decided";
  const after = typeof line.duration_ms === "number" ? `after ${duration(line.duration_ms)}` : "";
  return { who: textOf(line, "agent_id"), what, text: textOf(line, "text"), note: after };
}
