/** Reads the journal: the life of one wake, and the status of each session. */

import { textOf } from "../events.ts";
import type { ListedWake } from "./wake_list.ts";

export interface LifeStep {
  at: string;
  kind: string;
  /** Since the wake was made. */
  after_ms: number;
  text: string;
}

type JournalLine = Record<string, unknown>;

/** The records of a wake in order of time, each with the time since the first. */
export function lifeOf(wakeId: string, records: JournalLine[]): LifeStep[] {
  const own = records.filter((line) => line.wake_id === wakeId)
    .sort((a, b) => textOf(a, "at") < textOf(b, "at") ? -1 : 1);
  const first = Date.parse(textOf(own[0] ?? {}, "at"));
  return own.map((line) => ({
    at: textOf(line, "at"),
    kind: textOf(line, "kind"),
    after_ms: Date.parse(textOf(line, "at")) - first,
    text: stepText(line),
  }));
}

/** The journal has a hook's answer as an object, a decision on a stop as a name. */
function decided(decision: unknown): string {
  return typeof decision === "string" ? decision : JSON.stringify(decision);
}

function stepText(line: JournalLine): string {
  const parts = [
    line.trigger && `${line.trigger}`,
    line.transport && `by ${line.transport} (${line.why ?? "no reason noted"})`,
    line.detail && `${line.detail}`,
    line.decision && `decision: ${decided(line.decision)}`,
    line.by && `by ${line.by}`,
    line.status && `reply: ${line.status}`,
    typeof line.tries === "number" && line.tries > 1 && `try ${line.tries}`,
    line.reason && `${line.reason}`,
  ];
  return parts.filter((part) => typeof part === "string" && part !== "").join("; ");
}

export interface SessionStatus {
  session: string;
  agent_id: string;
  waiting: number;
  dead: number;
  delivered: number;
  suppressed: number;
  last_delivered?: { at: string; wake_id: string; duration_ms: number; transport: string };
  last_failure?: { at: string; kind: string; reason: string };
}

export function statusOf(
  session: string,
  records: Iterable<JournalLine>,
  listed: ListedWake[],
): SessionStatus {
  const own = listed.filter((wake) => wake.session === session);
  const status: SessionStatus = {
    session,
    agent_id: own[0]?.agent_id ?? "",
    waiting: own.filter((wake) => wake.state === "waiting").length,
    dead: own.filter((wake) => wake.state === "dead").length,
    delivered: 0,
    suppressed: 0,
  };
  for (const line of records) {
    const at = textOf(line, "at");
    status.agent_id ||= textOf(line, "agent_id");
    if (line.kind === "suppressed") status.suppressed++;
    if (line.kind === "delivered") {
      status.delivered++;
      status.last_delivered = {
        at,
        wake_id: textOf(line, "wake_id"),
        duration_ms: Number(line.duration_ms ?? 0),
        transport: textOf(line, "transport"),
      };
    }
    if (line.kind === "failed" || line.kind === "dead" || line.kind === "problem") {
      status.last_failure = { at, kind: textOf(line, "kind"), reason: textOf(line, "reason") };
    }
  }
  return status;
}
