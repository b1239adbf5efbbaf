/** What the log says of a wake. */

import { textOf } from "../events.ts";
import { isObject } from "../json.ts";
import { askedWords } from "./asked_words.ts";
import { clockTime, dayOf, dollars, duration } from "./since.ts";
import { joined, type Saying, type StoryLine, timeOf, type Tone } from "./story_line.ts";
import type { Known } from "./known.ts";
import { turnMs } from "./turns.ts";

/** What a wake says. `""`: another record says the same. */
export const WAKES = new Map(Object.entries<{ who?: string; what: string; tone?: Tone }>({
  response_complete: { what: "turn ended", tone: "good" },
  response_failed: { what: "failed", tone: "bad" },
  ask_user_question: { what: "asks", tone: "asks" },
  ask_user_question_answered: { what: "" },
  permission_prompt: { what: "permission", tone: "asks" },
  dialog_open: { what: "dialog", tone: "asks" },
  elicitation_dialog: { what: "form", tone: "asks" },
  elicitation_url_dialog: { what: "form", tone: "asks" },
  idle_prompt: { what: "waits", tone: "quiet" },
  pre_compact: { what: "compacts", tone: "quiet" },
  interrupted: { what: "interrupted", tone: "bad" },
  retrying: { what: "retrying", tone: "bad" },
  stalled: { what: "stalled", tone: "bad" },
  unanswered: { who: "watch", what: "unanswered", tone: "bad" },
  instruction_dropped: { who: "–", what: "dropped", tone: "bad" },
  limited: { who: "watch", what: "limit over", tone: "good" },
  budget: { who: "watch", what: "budget", tone: "bad" },
  session_changed: { who: "watch", what: "changed" },
  agent_unknown: { who: "watch", what: "agent unknown", tone: "bad" },
  session_end: { what: "ended" },
  session_lost: { who: "–", what: "lost", tone: "bad" },
  session_recovered: { what: "" },
  recovery_failed: { who: "recover", what: "not recovered", tone: "bad" },
  queue_done: { who: "queue", what: "queue done", tone: "good" },
  queue_paused: { who: "queue", what: "queue paused", tone: "bad" },
  given_back: { what: "" },
  resumed: { who: "–", what: "resumed" },
  doctor_test: { who: "doctor", what: "test" },
  report: { who: "report", what: "report" },
}));

export function wakeSaying(line: StoryLine, known: Known): Saying {
  const trigger = textOf(line, "trigger");
  const { who = "Claude", what, tone = "plain" } = WAKES.get(trigger) ??
    { what: trigger.replaceAll("_", " ") || "wake" };
  const ms = turnMs(line, known.starts);
  const limit = limitWords(line);
  const notes = [
    ms === undefined ? "" : duration(ms),
    typeof line.cost_usd === "number" && line.cost_usd > 0 ? dollars(line.cost_usd) : "",
  ];
  const said = askedWords(trigger, textOf(line, "text"));
  const text = limit || joined([failureWords(line), said], ": ");
  return {
    who,
    what: known.isRepeated(line) ? "" : limit === "" ? what : "limited",
    tone,
    text,
    note: joined(notes),
  };
}

/** A person has dropped the wake: it is no dead letter. */
export function isDropped(line: StoryLine): boolean {
  return line.kind === "dead" && textOf(line, "reason").startsWith("dropped ");
}

/** Claude Code's own word for a kind, in brackets, is for programs. */
function failureWords(line: StoryLine): string {
  return textOf(line, "failure").replace(/ \(\w+\)$/, "");
}

const DAY_MS = 86_400_000;

/** `5-hour limit, resets 02:40`; with its day where that is not the next such time. */
function limitWords(line: StoryLine): string {
  const { limit } = line;
  if (!isObject(limit)) return "";
  const resets = new Date(textOf(limit, "resets_at"));
  const isFar = resets.getTime() - timeOf(line) > DAY_MS;
  const when = `resets ${isFar ? `${dayOf(resets)} ` : ""}${clockTime(resets, false)}`;
  const isKnown = !Number.isNaN(resets.getTime());
  return joined([textOf(limit, "kind") || "a limit", isKnown ? when : ""]);
}
