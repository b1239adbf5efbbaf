/** What the mod's events say about a session: facts to keep, and findings to report. */

import { isObject } from "../json.ts";
import {
  attemptBegun,
  attemptEnded,
  type Attempts,
  NONE,
  resetOf,
  type Retrying,
  trouble,
  troubleReported,
} from "./api_attempts.ts";
import type { Usage } from "../usage.ts";
import type { ModEvent } from "./mod_messages.ts";

export interface SessionFacts {
  /** The number of the last event. */
  n: number;
  /** The turn that runs, and since when. */
  turn?: { id: string; since: number };
  /** When a person stopped the turn; absent once something was typed. */
  stoppedAt?: number;
  /** Why Claude Code ends; an end without it is a crash. */
  ending?: string;
  usage?: Usage;
  attempts: Attempts;
  /** When the API can be reached again, by the last failure of this turn; milliseconds since 1970. */
  resetsAt?: number;
  /** When the last event came. */
  heardAt: number;
}

export type ModFinding =
  /** `isLeft`: at a dialog. Claude Code says that the turn has ended with an answer. */
  | { kind: "interrupted"; said: string; turnId: string; promptId: string; isLeft: boolean }
  /** `id`: the same trouble again, as from a companion that was started anew, has the same one. */
  | { kind: "retrying"; retrying: Retrying; id: string }
  | { kind: "dropped"; dropped: DroppedText[] };

/** A text that was queued, and that Claude Code has not taken. */
export interface DroppedText {
  text: string;
  reason: string;
}

/** After these, the same Claude Code goes on with another conversation. */
const GOES_ON = ["clear", "resume"];

export function noFacts(now: number): SessionFacts {
  return { n: 0, attempts: NONE, heardAt: now };
}

/** `isOwnAbort`: an agent has stopped the turn, so there is nothing to report. */
export function factsAfter(
  before: SessionFacts,
  { n, kind, data }: ModEvent,
  { now, isOwnAbort }: { now: number; isOwnAbort: boolean },
): { facts: SessionFacts; findings: ModFinding[] } {
  const facts: SessionFacts = { ...before, n, heardAt: now };
  const findings: ModFinding[] = [];
  switch (kind) {
    case "hello": {
      // This companion may be a later one: the turn began before it.
      const id = textIn(data, "turnId");
      if (id === "") delete facts.turn;
      else facts.turn ??= { id, since: now };
      break;
    }
    case "turn.start":
      facts.turn = { id: textIn(data, "turnId"), since: now };
      facts.attempts = NONE;
      delete facts.resetsAt;
      break;
    case "turn.complete": {
      delete facts.turn;
      facts.attempts = NONE;
      // A mod of an earlier version decided it: it stays as long as its session.
      const isLeft = data.reason === "answer" && (data.isLeft === true || wasLeft(data.happened));
      if ((data.reason !== "aborted" && !isLeft) || isOwnAbort) break;
      // After a dialog that was left it takes a text from the mod.
      if (!isLeft) facts.stoppedAt = now;
      const [turnId, promptId] = [textIn(data, "turnId"), textIn(data, "promptId")];
      findings.push({
        kind: "interrupted",
        said: textIn(data, "answer"),
        turnId,
        promptId,
        isLeft,
      });
      break;
    }
    case "prompt.submit":
      if (data.from === "composer") delete facts.stoppedAt;
      break;
    case "session.end":
      if (GOES_ON.includes(textIn(data, "reason"))) delete facts.usage;
      else facts.ending = textIn(data, "reason") || "unknown";
      break;
    case "session.measure":
      facts.usage = usageIn(data);
      break;
    case "api.begin":
      facts.attempts = attemptBegun(before.attempts, String(data.id), now);
      break;
    case "api.end": {
      const attempt = attemptIn(data);
      facts.attempts = attemptEnded(before.attempts, String(data.id), attempt, now);
      const resetsAt = facts.attempts.failures === 0 ? undefined : resetOf(attempt, now);
      if (resetsAt === undefined) delete facts.resetsAt;
      else facts.resetsAt = resetsAt.getTime();
      break;
    }
  }
  return look(facts, now, findings);
}

/**
 * Has a person left a dialog? That ends the turn without a Stop. A request after the Stop means that
 * a hook has sent the turn on. A subagent's does not: it may ask while the hooks of the end run.
 */
function wasLeft(happened: unknown): boolean {
  if (!Array.isArray(happened)) return false;
  const own = happened.filter((what) => what !== "a subagent asked");
  return happened.some((what) => what !== "stopped") && own.at(-1) !== "stopped";
}

/** The same without an event: a retry loop is found only after some time. */
export function look(
  facts: SessionFacts,
  now: number,
  findings: ModFinding[] = [],
): { facts: SessionFacts; findings: ModFinding[] } {
  const { turn, attempts } = facts;
  const retrying = turn === undefined ? undefined : trouble(attempts, now);
  if (retrying === undefined) return { facts, findings };
  return {
    facts: { ...facts, attempts: troubleReported(attempts) },
    findings: [...findings, { kind: "retrying", retrying, id: `${turn!.id}.${attempts.reported}` }],
  };
}

export function usageIn(data: Record<string, unknown>): Usage {
  const context = isObject(data.context) ? data.context : {};
  const cost = isObject(data.cost) ? data.cost : {};
  const limits = Array.isArray(data.rateLimits) ? data.rateLimits.filter(isObject) : [];
  return {
    ...numberIn(context, "percent"),
    ...numberIn(context, "tokens"),
    ...numberIn(context, "window"),
    ...numberIn(cost, "usd"),
    limits: limits.filter((limit) => typeof limit.percentUsed === "number").map((limit) => ({
      kind: textIn(limit, "kind"),
      percentUsed: limit.percentUsed as number,
      ...(typeof limit.resetsAt === "string" ? { resetsAt: limit.resetsAt } : {}),
    })),
  };
}

function attemptIn(data: Record<string, unknown>) {
  const headers = isObject(data.headers) ? data.headers as Record<string, string> : {};
  return {
    ...numberIn(data, "status"),
    headers,
    ...(typeof data.error === "string" ? { error: data.error } : {}),
  };
}

function numberIn<N extends string>(
  from: Record<string, unknown>,
  name: N,
): { [K in N]?: number } {
  const value = from[name];
  return typeof value === "number" ? { [name]: value } as { [K in N]?: number } : {};
}

function textIn(from: Record<string, unknown>, name: string): string {
  const value = from[name];
  return typeof value === "string" ? value : "";
}
