/** What a session did over time, from its records: working, waiting and for whom, lost. */

import { isHuman } from "../records.ts";
import { isStepDone, type LaneState, nextState, type Open, stepBegan } from "./lane_states.ts";
import { type StoryLine, timeOf } from "./story_line.ts";

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
    const began = stepBegan(line, open) ?? from;
    if (began > from) {
      close(began, nameOf(open));
      from = began;
    }
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

/** For whom the open state was a wait, by the record that ends it. */
function whoWasWaitedFor(line: StoryLine, open: Open): LaneState | undefined {
  const who = isHuman(line.by_kind) ? "human" : "agent";
  if (open.kind === "asks") {
    return line.kind === "answered" || line.kind === "decided" ? who : undefined;
  }
  if (open.kind !== "over" && open.kind !== "between steps") return undefined;
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
