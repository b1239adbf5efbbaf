/** What a record of the journal says in plain words: who, what, which words, how long. */

import { textOf } from "../events.ts";
import { isObject } from "../json.ts";
import { askedWords } from "./asked_words.ts";
import { clockTime, dayOf, dollars, duration } from "./since.ts";

export type StoryLine = Record<string, unknown>;

/** How it is coloured; the words say the same. */
export type Tone = "asks" | "good" | "bad" | "plain" | "quiet";

export interface Happening {
  at: Date;
  session: string;
  who: string;
  what: string;
  text: string;
  /** Shown in brackets: how long it took, what it cost. */
  note: string;
  tone: Tone;
  record: StoryLine;
}

/** What a wake says. `""`: another record says the same. */
const WAKES = new Map(Object.entries<{ who?: string; what: string; tone?: Tone }>({
  response_complete: { what: "turn ended", tone: "good" },
  response_failed: { what: "failed", tone: "bad" },
  ask_user_question: { what: "asks", tone: "asks" },
  ask_user_question_answered: { what: "" },
  permission_prompt: { what: "permission", tone: "asks" },
  dialog_open: { what: "dialog", tone: "asks" },
  idle_prompt: { what: "waits", tone: "quiet" },
  pre_compact: { what: "compacts", tone: "quiet" },
  interrupted: { what: "interrupted", tone: "bad" },
  retrying: { what: "retrying", tone: "bad" },
  stalled: { what: "stalled", tone: "bad" },
  limited: { who: "watch", what: "limit over", tone: "good" },
  budget: { who: "watch", what: "budget", tone: "bad" },
  session_changed: { who: "watch", what: "changed" },
  agent_unknown: { who: "watch", what: "agent unknown", tone: "bad" },
  session_end: { what: "ended" },
  session_lost: { who: "–", what: "lost", tone: "bad" },
  session_recovered: { who: "recover", what: "recovered", tone: "good" },
  recovery_failed: { who: "recover", what: "not recovered", tone: "bad" },
  queue_done: { who: "queue", what: "queue done", tone: "good" },
  queue_paused: { who: "queue", what: "queue paused", tone: "bad" },
  doctor_test: { who: "doctor", what: "test" },
  report: { who: "report", what: "report" },
}));

/** A reminder repeats the end of a turn. The turn of a step has no wake of its own. */
export function isEndOfTurn(line: StoryLine): boolean {
  const isStep = line.kind === "suppressed" && line.status === "step";
  return (line.kind === "queued" || isStep) &&
    /^response_(complete|failed)$/.test(textOf(line, "trigger")) &&
    !textOf(line, "text").startsWith("Nothing new since wake ");
}

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
    ...["allowed", "denied", "decided", "started", "resumed", "compacted", "problem", "goes on"],
    ...["limited", "replied", "unanswered", "dead letter"],
    ...STEPS.values().map(({ what }) => what),
    ...WAKES.values().map(({ what }) => what).filter((what) => what !== ""),
  ]),
].sort();

/** Turns by their prompt: when each began. */
export type TurnStarts = Map<string, number>;

export function turnStarts(records: Iterable<StoryLine>): TurnStarts {
  const starts: TurnStarts = new Map();
  for (const line of records) noteStart(starts, line);
  return starts;
}

export function noteStart(starts: TurnStarts, line: StoryLine): void {
  const prompt = textOf(line, "prompt_id");
  if (line.kind !== "prompt" || prompt === "" || starts.has(prompt)) return;
  starts.set(prompt, Date.parse(textOf(line, "at")));
}

/** Undefined for a record that adds nothing to others. */
export function happeningOf(record: StoryLine, starts: TurnStarts): Happening | undefined {
  const said = sayingOf(record, starts);
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

type Saying = Pick<Happening, "who" | "what"> & Partial<Happening>;

function sayingOf(line: StoryLine, starts: TurnStarts): Saying | undefined {
  const agent = textOf(line, "agent_id");
  const reason = textOf(line, "reason");
  switch (line.kind) {
    case "queued":
      return wakeSaying(line, starts);
    case "delivered": {
      const tries = Number(line.tries ?? 1);
      const after = typeof line.duration_ms === "number" ? `in ${duration(line.duration_ms)}` : "";
      const note = tries > 1 ? `${tries} tries` : "";
      return { who: `→${agent}`, what: "told", text: after, note, tone: "quiet" };
    }
    case "failed":
      return { who: `→${agent}`, what: "not told", text: reason, tone: "bad" };
    case "dead":
      return { who: `→${agent}`, what: "dead letter", text: reason, tone: "bad" };
    case "instruction":
      return instructionSaying(line);
    case "prompt":
      return promptSaying(line);
    case "answered":
      return textOf(line, "status") !== ""
        ? { who: agent, what: "replied", text: reason, tone: "quiet" }
        : answerSaying(line);
    case "decided":
      return typeof line.decision === "string" ? replySaying(line) : answerSaying(line);
    case "session":
      return sessionSaying(line);
    case "step":
      return stepSaying(line);
    case "problem":
      return { who: "–", what: "problem", text: reason, tone: "bad" };
    default:
      return undefined; // suppressed: another wake said it
  }
}

function wakeSaying(line: StoryLine, starts: TurnStarts): Saying {
  const trigger = textOf(line, "trigger");
  const { who = "Claude", what, tone = "plain" } = WAKES.get(trigger) ??
    { what: trigger.replaceAll("_", " ") || "wake" };
  const ms = turnMs(line, starts);
  const limit = limitWords(line);
  const notes = [
    ms === undefined ? "" : duration(ms),
    typeof line.cost_usd === "number" && line.cost_usd > 0 ? dollars(line.cost_usd) : "",
  ];
  const said = askedWords(trigger, textOf(line, "text"));
  const text = limit || joined([failureWords(line), said], ": ");
  return { who, what: limit === "" ? what : "limited", tone, text, note: joined(notes) };
}

/** Claude Code's own word for a kind, in brackets, is for programs. */
function failureWords(line: StoryLine): string {
  return textOf(line, "failure").replace(/ \(\w+\)$/, "");
}

const DAY_MS = 86_400_000;

/** `5-hour limit, resets 02:40`; with its day where that is not the next such time. */
function limitWords({ limit, at }: StoryLine): string {
  if (!isObject(limit)) return "";
  const resets = new Date(textOf(limit, "resets_at"));
  const isFar = resets.getTime() - Date.parse(String(at)) > DAY_MS;
  const when = `resets ${isFar ? `${dayOf(resets)} ` : ""}${clockTime(resets, false)}`;
  const isKnown = !Number.isNaN(resets.getTime());
  return joined([textOf(limit, "kind") || "a limit", isKnown ? when : ""]);
}

/** How long the turn took that a wake ends. */
function turnMs(line: StoryLine, starts: TurnStarts): number | undefined {
  if (!/^response_/.test(textOf(line, "trigger"))) return undefined;
  if (typeof line.turn_ms === "number") return line.turn_ms;
  const began = starts.get(textOf(line, "prompt_id"));
  return began === undefined ? undefined : Math.max(0, Date.parse(textOf(line, "at")) - began);
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

function answerSaying(line: StoryLine): Saying {
  const after = typeof line.after_ms === "number" ? `after ${duration(line.after_ms)}` : "";
  const who = textOf(line, "by") || "–";
  const asked = textOf(line, "asked") || textOf(line, "tool");
  switch (line.outcome) {
    case "left":
      return { who, what: "left", text: joined([asked, "without an answer"]), note: after };
    case "timeout":
      return {
        ...{ who: "–", what: "unanswered", note: after, tone: "bad" },
        text: openWords(asked),
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
function replySaying(line: StoryLine): Saying | undefined {
  if (line.decision === "none") return undefined;
  const what = line.decision === "block" ? "sent on" : "decided";
  const after = typeof line.duration_ms === "number" ? `after ${duration(line.duration_ms)}` : "";
  return { who: textOf(line, "agent_id"), what, text: textOf(line, "text"), note: after };
}

const STARTS = new Map(Object.entries<string>({
  resume: "resumed",
  clear: "cleared",
  compact: "compacted",
}));

function sessionSaying(line: StoryLine): Saying | undefined {
  const reason = textOf(line, "reason");
  if (line.event === "SessionEnd" || textOf(line, "guest") !== "") return undefined;
  if (line.event === "SessionStart") {
    const what = STARTS.get(textOf(line, "source")) ?? "started";
    return { who: "Claude", what, tone: "quiet" };
  }
  const [what = "", ...rest] = reason.split(": ");
  const who = what === "recovered" ? "recover" : what === "spawned" ? "spawn" : "–";
  return { who, what: what === "spawned" ? "started" : what, text: rest.join(": "), tone: "good" };
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

function joined(parts: string[], by = ", "): string {
  return parts.filter((part) => part !== "").join(by);
}
