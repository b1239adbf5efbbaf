/** What a session did over time, from its records: working, waiting and for whom, lost. */

import { textOf } from "../events.ts";
import { isObject } from "../json.ts";
import { isHuman } from "../records.ts";
import { type StoryLine, timeOf } from "./story_line.ts";
import { isEndOfTurn } from "./turns.ts";

/**
 * working; agent, human, api: waits for that; limited: by a limit of the account; idle: it got
 * no further prompt; failed: a turn failed and none followed; lost: Claude Code ended unasked. A
 * session that has ended has no lane.
 */
export type LaneState =
  | ("working" | "agent" | "human" | "api" | "limited")
  | ("idle" | "failed" | "lost");

export interface Lane {
  state: LaneState;
  from: number;
  to: number;
}

/** A wait that has ended. */
export interface EndedWait {
  who: "agent" | "human";
  /** With a question, or for the next instruction. */
  for: "question" | "instruction";
  from: number;
  ms: number;
}

export interface Recovered {
  at: number;
  after_ms: number;
}

export interface SessionLanes {
  lanes: Lane[];
  waits: EndedWait[];
  recoveries: Recovered[];
}

/** A state whose name is only known when it ends. */
type Open =
  | { kind: Exclude<LaneState, "limited"> | "ended" }
  /** `until`: when the limit ends, where that is known. */
  | { kind: "limited"; until?: number }
  /** A turn is over. The wait counts for the one who gives the next prompt. */
  | { kind: "over"; isFailed: boolean }
  /** A step is over: the queue goes on by itself, or tells its end. */
  | { kind: "between steps" }
  | { kind: "asks"; id: string };

const API_FAILURES = /rate|limit|overload|server/i;

/** `records`: of one session, in order of time; those before `since` say how the time began. */
export function lanesOf(records: StoryLine[], since: number, until: number): SessionLanes {
  const found: SessionLanes = { lanes: [], waits: [], recoveries: [] };
  let open: Open = { kind: "ended" };
  let from = since;
  const close = (at: number, state: LaneState | undefined) => {
    const lane = { from: Math.max(from, since), to: Math.min(at, until) };
    if (state !== undefined && lane.to > lane.from) found.lanes.push({ state, ...lane });
  };
  /** After the reset of a limit the session waits for the next prompt. */
  const endLimit = (now: number) => {
    if (open.kind !== "limited" || !(open.until! <= now)) return;
    close(open.until!, "limited");
    from = Math.max(from, open.until!);
    open = { kind: "over", isFailed: false };
  };
  for (const line of records) {
    const at = timeOf(line);
    if (!(at <= until)) continue;
    endLimit(at);
    const next = nextState(line, open);
    if (next === undefined) continue;
    const isIn = at >= since;
    const waited = whoWasWaitedFor(line, open);
    close(at, waited ?? nameOf(open));
    if (isIn && (waited === "agent" || waited === "human")) {
      const what = open.kind === "asks" ? "question" : "instruction";
      found.waits.push({ who: waited, for: what, from, ms: at - from });
    }
    if (isIn && open.kind === "lost" && next.kind !== "lost" && next.kind !== "ended") {
      found.recoveries.push({ at, after_ms: at - from });
    }
    open = next;
    from = at;
  }
  endLimit(until);
  close(until, nameOf(open));
  return { ...found, lanes: merged(found.lanes) };
}

/** The state that a record begins; undefined where it changes nothing. */
function nextState(line: StoryLine, open: Open): Open | undefined {
  switch (line.kind) {
    case "prompt":
      return { kind: "working" };
    case "queued":
      return afterWake(line, open);
    case "answered":
    case "decided":
      return afterAnswer(line, open);
    case "instruction":
      return line.action === "esc" && line.outcome === "done" && isBusy(open)
        ? { kind: "over", isFailed: false }
        : undefined;
    case "session":
      return afterStart(line, open);
    case "step":
    case "suppressed":
      return afterStep(line, open);
    default:
      return undefined;
  }
}

function afterWake(line: StoryLine, open: Open): Open | undefined {
  switch (line.trigger) {
    case "response_complete":
    case "interrupted":
      return { kind: "over", isFailed: false };
    case "response_failed":
      if (isObject(line.limit)) return limitedBy(line.limit);
      return API_FAILURES.test(textOf(line, "failure"))
        ? { kind: "api" }
        : { kind: "over", isFailed: true };
    case "ask_user_question":
    case "permission_prompt":
    case "dialog_open":
      return { kind: "asks", id: textOf(line, "question_id") };
    case "ask_user_question_answered":
      return open.kind === "asks" ? { kind: "working" } : undefined;
    case "retrying":
    case "stalled":
      return { kind: "api" };
    case "limited": // it has ended, the watch says
      return open.kind === "limited" || open.kind === "api"
        ? { kind: "over", isFailed: false }
        : undefined;
    // A prompt may have come before it.
    case "queue_done":
    case "queue_paused":
      return open.kind === "between steps" ? { kind: "over", isFailed: false } : undefined;
    case "idle_prompt":
      return isBusy(open) ? { kind: "over", isFailed: false } : undefined;
    case "session_lost":
      return { kind: "lost" };
    case "session_end":
      return { kind: "ended" };
    case "session_recovered":
      return open.kind === "lost" || open.kind === "ended"
        ? { kind: "over", isFailed: false }
        : undefined;
    default:
      return undefined;
  }
}

function limitedBy(limit: Record<string, unknown>): Open {
  const until = Date.parse(textOf(limit, "resets_at"));
  return { kind: "limited", ...(Number.isNaN(until) ? {} : { until }) };
}

function afterAnswer(line: StoryLine, open: Open): Open | undefined {
  const isThis = open.kind === "asks" && (open.id === "" || open.id === line.question_id);
  if (!isThis || line.outcome === "timeout") return undefined;
  if (line.outcome === "claude gone") return { kind: "lost" };
  return line.outcome === "left" ? { kind: "over", isFailed: false } : { kind: "working" };
}

/** A start in a session that runs already is a /clear or a compaction. */
function afterStart(line: StoryLine, open: Open): Open | undefined {
  const reason = textOf(line, "reason");
  if (reason === "stopped" || reason === "removed") return { kind: "ended" };
  const isStart = line.event === "SessionStart" && textOf(line, "guest") === "";
  // Other records, such as the watch's before it starts a session again, are no starts.
  if (!isStart && !/^(recovered|adopted)\b/.test(reason)) return undefined;
  const isGone = open.kind === "lost" || open.kind === "ended";
  return isGone || line.source === "startup" || line.source === "resume"
    ? { kind: "over", isFailed: false }
    : undefined;
}

/** The turn of a step has two records; a command such as /clear has one. */
function afterStep(line: StoryLine, open: Open): Open | undefined {
  const isDone = isStepDone(line);
  const isNext = isDone && open.kind === "between steps";
  const isEnd = isBusy(open) && (isDone || line.kind === "suppressed" && isEndOfTurn(line));
  return isEnd || isNext ? { kind: "between steps" } : undefined;
}

function isStepDone({ kind, status }: StoryLine): boolean {
  return kind === "step" && status === "done";
}

function isBusy({ kind }: Open): boolean {
  return kind === "working" || kind === "asks" || kind === "api";
}

/** For whom the open state was a wait, by the record that ends it. */
function whoWasWaitedFor(line: StoryLine, open: Open): LaneState | undefined {
  const who = isHuman(line.by_kind) ? "human" : "agent";
  if (open.kind === "asks") {
    return line.kind === "answered" || line.kind === "decided" ? who : undefined;
  }
  if (open.kind !== "over" && open.kind !== "between steps") return undefined;
  // A Stop hook gave the step, or it was a command: it began without a prompt.
  if (open.kind === "between steps" && isStepDone(line)) return "working";
  if (line.kind !== "prompt") return undefined;
  // Claude Code went on by itself: work in the background was not done.
  if (line.by_kind === "claude") return "working";
  if (open.kind === "between steps") return undefined;
  return line.by_kind === "unknown" || line.by_kind === "program" ? undefined : who;
}

/** Of a state that has not ended. */
function nameOf(open: Open): LaneState | undefined {
  switch (open.kind) {
    case "ended":
      return undefined;
    case "over":
      return open.isFailed ? "failed" : "idle";
    case "between steps":
      return "idle";
    case "asks":
      // Without an id the agent was notified, but may not decide.
      return open.id === "" ? "human" : "agent";
    default:
      return open.kind;
  }
}

function merged(lanes: Lane[]): Lane[] {
  const found: Lane[] = [];
  for (const lane of lanes) {
    const last = found.at(-1);
    if (last?.state === lane.state && last.to === lane.from) last.to = lane.to;
    else found.push({ ...lane });
  }
  return found;
}
