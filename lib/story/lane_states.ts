/** The state of a session that a record of it begins. */

import { textOf } from "../events.ts";
import { isObject } from "../json.ts";
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

/** A state whose name is only known when it ends. */
export type Open =
  | { kind: Exclude<LaneState, "limited"> | "ended" }
  /** `until`: when the limit ends, where that is known. */
  | { kind: "limited"; until?: number }
  /** A turn is over. The wait counts for the one who gives the next prompt. */
  | { kind: "over"; isFailed: boolean }
  /** A step is over: the queue goes on by itself, or tells its end. */
  | { kind: "between steps" }
  | { kind: "asks"; id: string };

const API_FAILURES = /rate|limit|overload|server/i;

/** The state that a record begins; undefined where it changes nothing. */
export function nextState(line: StoryLine, open: Open): Open | undefined {
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
  if (open.kind === "between steps") {
    if (line.kind === "step" && line.status === "begun") return { kind: "working" };
    return isStepDone(line) ? open : undefined;
  }
  const isEnd = line.kind === "suppressed" ? isEndOfTurn(line) : isStepDone(line) || isCut(line);
  return isBusy(open) && isEnd ? { kind: "between steps" } : undefined;
}

export function isStepDone({ kind, status }: StoryLine): boolean {
  return kind === "step" && status === "done";
}

/** No other record ends its turn. One without a time has not begun, or its failure has a wake. */
function isCut({ status, after_ms }: StoryLine): boolean {
  return (status === "failed" || status === "unsure") && typeof after_ms === "number";
}

/** When a step that began without a prompt, by a Stop hook or as a command, has begun. */
export function stepBegan(line: StoryLine, open: Open): number | undefined {
  if (open.kind !== "between steps" || !isStepDone(line)) return undefined;
  return timeOf(line) - (typeof line.after_ms === "number" ? line.after_ms : 0);
}

function isBusy({ kind }: Open): boolean {
  return kind === "working" || kind === "asks" || kind === "api";
}
