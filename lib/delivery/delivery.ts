/** The decisions of delivery: the outcome of a try, when to try again, when it is a dead letter. */

import type { QueuedWake } from "../outbox.ts";

/** The receiver has acknowledged it. `reply` comes later, if one was asked for. */
export interface Delivered {
  kind: "delivered";
  detail: string;
  reply?: Promise<Reply>;
}

export type Failed =
  /** It may succeed later. `all`: other wakes would fail too; `target`: other targets may work. */
  | {
    kind: "later";
    reason: string;
    scope: "all" | "target";
    newKey?: boolean;
    /** The receiver is there and gets ready: no long pause, however long it was away. */
    soon?: boolean;
    /** This process exits: the next one needs another environment. */
    elsewhere?: boolean;
  }
  /** It can never succeed. */
  | { kind: "never"; reason: string }
  /** This transport cannot carry it; another may. */
  | { kind: "unfit"; reason: string };

export type TryOutcome = Delivered | Failed;

export interface Reply {
  status: "ok" | "failed";
  text?: string;
  reason?: string;
}

/** The longest time that a hook waits for a reply. */
const REPLY_MS = 600_000;

/** How long the hook still waits for the reply to a wake. */
export function replyMs(wake: QueuedWake, now: number): number {
  const until = Date.parse(wake.reply_until ?? "");
  return Number.isNaN(until) ? REPLY_MS : Math.min(Math.max(until - now, 0), REPLY_MS);
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const DAY = 24 * 60 * MINUTE;

/** A gateway needs 10 to 20 s to restart: the first minute has short pauses. */
const PAUSES = [0.25, 1, 2, 5, 5, 5, 10, 10, 10, 30, 60, 120, 300].map((s) => s * SECOND);
/** At least this many tries before age counts: a clock that jumped ahead must not kill a new wake. */
const LEAST_TRIES = 9;
/** A target that is unknown for this long will not appear. */
const UNKNOWN_TARGET_LIMIT = 10 * MINUTE;

const SOON_MS = 5 * SECOND;

export function pauseAfter(failures: number, isSoon = false): number {
  const pause = PAUSES[Math.min(Math.max(failures, 1), PAUSES.length) - 1]!;
  return isSoon ? Math.min(pause, SOON_MS) : pause;
}

export function isSoon(outcome: Failed): boolean {
  return outcome.kind === "later" && outcome.soon === true;
}

/** The wake's age since it was made, or since a person put it back into the outbox. */
export function ageOf(wake: QueuedWake, now: number): number {
  const since = Date.parse(wake.attempts?.requeued_at ?? wake.created_at);
  return Number.isNaN(since) ? 0 : Math.max(0, now - since);
}

/** Why a wake becomes a dead letter after a failed try; undefined while it may wait. */
export function whyDead(wake: QueuedWake, now: number, outcome: Failed): string | undefined {
  if (outcome.kind === "never") return outcome.reason;
  const tries = wake.attempts?.count ?? 0;
  if (tries < LEAST_TRIES) return undefined;
  const age = ageOf(wake, now);
  const isTarget = outcome.kind === "later" && outcome.scope === "target";
  if (age > DAY) return `not delivered within a day; the last try: ${outcome.reason}`;
  if (isTarget && age > UNKNOWN_TARGET_LIMIT) return outcome.reason;
  return undefined;
}

/**
 * Whether the gateway may have a wake whose key it has forgotten: it remembers keys for 5 minutes,
 * and none from before its start. Such a wake is searched in the session's history.
 */
export function isDoubtful(wake: QueuedWake, now: number, gatewayUpMs: number): boolean {
  if ((wake.attempts?.count ?? 0) > 0) return true;
  const age = now - Date.parse(wake.created_at);
  return !(age >= 0 && age < 4 * MINUTE && age < gatewayUpMs);
}

export function keyOf(wake: QueuedWake): string {
  return wake.attempts?.key ?? wake.wake_id;
}

/** The wake after a failed try. */
export function afterTry(wake: QueuedWake, outcome: Failed, now: number): QueuedWake {
  const count = (wake.attempts?.count ?? 0) + 1;
  const attempts: QueuedWake["attempts"] = {
    ...wake.attempts,
    count,
    next_at: new Date(now + pauseAfter(count, isSoon(outcome))).toISOString(),
    last_error: outcome.reason,
  };
  if (outcome.kind === "later" && outcome.newKey) attempts.key = nextKey(wake);
  return { ...wake, attempts };
}

/** All keys of a wake begin with its id: a session's history can be searched for any of them. */
function nextKey(wake: QueuedWake): string {
  const last = /~(\d+)$/.exec(keyOf(wake));
  return `${wake.wake_id}~${last ? Number(last[1]) + 1 : 2}`;
}

export function openclawTarget(wake: QueuedWake): string {
  return wake.openclaw_session_key || wake.openclaw_session_id;
}

/** The agent's words in a finished run, by either transport. */
export function replyFrom(final: unknown): Reply {
  const run = objectOf(final);
  const result = objectOf(run.result ?? final);
  const payloads = Array.isArray(result.payloads) ? result.payloads.map(objectOf) : [];
  const text = payloads.map((payload) => payload.text).filter((text) => typeof text === "string")
    .join("\n\n");
  const status = typeof run.status === "string" ? run.status : "ok";
  if (status !== "ok") return { status: "failed", reason: `the agent's turn ended as "${status}"` };
  if (payloads.some((payload) => payload.isError === true)) {
    return { status: "failed", reason: "the agent's turn ended with an error" };
  }
  const terminal = objectOf(run.terminalReply).text;
  return { status: "ok", text: text || (typeof terminal === "string" ? terminal : "") };
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
