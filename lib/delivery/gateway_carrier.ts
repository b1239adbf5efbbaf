/** Carries wakes over one gateway connection, kept open for all wakes of an agent. */

import {
  isDoubtful,
  keyOf,
  pauseAfter,
  type Reply,
  replyFrom,
  replyMs,
  type TryOutcome,
} from "./delivery.ts";
import { prepareGuards } from "../fence.ts";
import { connect, type Gateway, type GatewayAnswer, isTaken } from "./gateway.ts";
import {
  type Called,
  isUnknownSession,
  judged,
  letGo,
  notSearched,
  withoutHistory,
  withoutMessages,
} from "./refusals.ts";
import { placeOfWake } from "./session_history.ts";
import { newReach, type Reach } from "./reach.ts";
import { Sessions } from "./sessions.ts";
import type { GatewayTarget } from "./openclaw_config.ts";
import type { QueuedWake } from "../outbox.ts";
import { pause, TIME_IS_UP, within } from "../time.ts";
import { UNAVAILABLE, type Watched, watched } from "./watched_run.ts";

const CONNECT_MS = 10_000;
const ANSWER_MS = 30_000;

export class GatewayCarrier {
  private gateway: Gateway | undefined;
  private readonly sessions = new Sessions();
  private readonly repliesAwaited = new Set<Promise<Reply>>();

  constructor(
    private readonly target: GatewayTarget,
    private readonly now: () => number,
    private readonly watchMs = REVOKED_WITHIN_MS,
    /** What this carrier or an earlier one has seen of the gateway. */
    private readonly reach: Reach = newReach(),
  ) {}

  async deliver(wake: QueuedWake): Promise<TryOutcome> {
    const opened = await this.open();
    if (opened.kind !== "open") return opened;
    const { gateway } = opened;

    const session = await this.sessions.of(wake, (params) => resolve(gateway, params));
    if (session.kind !== "session") return session;
    const { sessionKey } = session;
    if (isDoubtful(wake, this.now(), gateway.upMs())) {
      const history = await this.inHistory(gateway, sessionKey, wake.wake_id);
      if (history.kind === "unread") return history.outcome;
      if (history.place === "pending" && this.mayDrop(gateway)) return this.notBegun(sessionKey);
      if (history.place !== undefined) {
        return this.taken(wake, "it was in the session already", undefined);
      }
    }
    const starting = gateway.start(
      { message: wake.message, sessionKey, idempotencyKey: keyOf(wake) },
      ANSWER_MS,
    );
    const asked = this.now();
    prepareGuards(); // they are loaded while the gateway works
    const run = await starting;
    if (this.now() - asked > SLOW_MS) this.wasUnsteady();
    const { first } = run;
    if (first.kind === "ok") {
      const hasEnded = !isTaken(first); // the cached result of its key
      const end: Watched = hasEnded || this.mayDrop(gateway)
        ? await watched(run.final, this.watchMs)
        : { kind: "settled" };
      if (end.kind === "lost") {
        this.wasUnsteady();
        return judged(end, `The gateway took the wake for ${sessionKey} and broke off`);
      }
      if (end.kind === "open" || end.kind === "failed") {
        const history = await this.inHistory(gateway, sessionKey, wake.wake_id);
        const isRead = history.kind === "read" && history.place === "read";
        if (!isRead && end.kind === "failed") {
          this.wasUnsteady();
          return history.kind === "unread"
            ? withNewKey(history.outcome)
            : letGo(sessionKey, end.why);
        }
        if (history.kind === "unread") return history.outcome;
        if (!isRead) return this.notBegun(sessionKey);
      }
      if (hasEnded) return this.taken(wake, "finished before", run.final);
      // Only the connection that began a run gets its end.
      const final = first.payload.status === "accepted" ? run.final : undefined;
      return this.taken(wake, String(first.payload.status), final);
    }
    if (first.kind === "error" && first.code === UNAVAILABLE) this.wasUnsteady();
    return judged(first, `The gateway did not take the wake for session ${sessionKey}`);
  }

  /** Awaited replies keep the connection open; the last one closes it. */
  close(): void {
    const { gateway } = this;
    this.gateway = undefined;
    if (gateway === undefined) return;
    Promise.allSettled(this.repliesAwaited).then(() => gateway.close());
  }

  private wasUnsteady(): void {
    this.reach.unsteadyAt = this.now();
    this.reach.share?.(this.reach.unsteadyAt);
  }

  /**
   * It may say "accepted" and drop the wake: for a while after its start, after a slow answer, and
   * after it has refused or dropped one.
   */
  private mayDrop(gateway: Gateway): boolean {
    // A slow machine may need minutes for a start, so count from when it could be reached.
    const since = this.now() - Math.max(this.reach.failedAt, this.reach.unsteadyAt);
    return Math.min(gateway.upMs(), since) <= YOUNG_MS;
  }

  /** A gateway that may drop what it has only queued: the wake is checked again. */
  private notBegun(sessionKey: string): TryOutcome {
    const { failedAt, unsteadyAt } = this.reach;
    const isUnsteady = unsteadyAt > failedAt && this.now() - unsteadyAt <= YOUNG_MS;
    const why = isUnsteady
      ? "The gateway is slow or has dropped a wake, and the agent has not begun to read"
      : "The gateway has just started and the agent has not begun to read";
    const reason = `${why} the wake for ${sessionKey} yet`;
    return { kind: "later", scope: "all", reason, soon: true };
  }

  /** OpenClaw keeps the idempotency key beside each message. */
  private async inHistory(
    gateway: Gateway,
    sessionKey: string,
    wakeId: string,
  ): Promise<
    { kind: "read"; place: "read" | "pending" | undefined } | {
      kind: "unread";
      outcome: TryOutcome;
    }
  > {
    const params = { sessionKey, limit: 1000, maxChars: 1 };
    const history = await gateway.request("chat.history", params, ANSWER_MS);
    if (history.kind !== "ok") {
      return { kind: "unread", outcome: withoutHistory(judged(history, notSearched(sessionKey))) };
    }
    const { payload } = history;
    return Array.isArray(payload.messages)
      ? { kind: "read", place: placeOfWake(payload, wakeId) }
      : { kind: "unread", outcome: withoutMessages(sessionKey) };
  }

  private async open(): Promise<{ kind: "open"; gateway: Gateway } | TryOutcome> {
    if (this.gateway?.isOpen) return { kind: "open", gateway: this.gateway };
    const opened = await connect(this.target, CONNECT_MS);
    switch (opened.kind) {
      case "connected":
        this.gateway = opened.gateway;
        return { kind: "open", gateway: opened.gateway };
      case "refused":
        return { kind: "unfit", reason: opened.reason };
      case "unreachable":
        this.reach.failedAt = this.now();
        return { kind: "later", scope: "all", reason: opened.reason, soon: opened.isStarting };
      case "held":
        return { kind: "later", scope: "all", reason: opened.reason };
    }
  }

  private taken(
    wake: QueuedWake,
    detail: string,
    final: Promise<GatewayAnswer> | undefined,
  ): TryOutcome {
    if (!wake.expects_reply) return { kind: "delivered", detail };
    const reply = this.replyTo(wake, final);
    this.repliesAwaited.add(reply);
    return { kind: "delivered", detail, reply };
  }

  private async replyTo(
    wake: QueuedWake,
    final: Promise<GatewayAnswer> | undefined,
  ): Promise<Reply> {
    const runId = keyOf(wake);
    const limit = replyMs(wake, this.now());
    const until = this.now() + limit;
    const ended = final ? await within(final, limit) : undefined;
    if (ended === TIME_IS_UP) return { status: "failed", reason: "no reply in time" };
    let answer: GatewayAnswer = ended ?? { kind: "lost", reason: "the run began before" };
    // The connection broke, or another one began the run: any connection may ask for its end.
    for (let tries = 0; answer.kind === "lost" && tries < 5; tries++) {
      const left = until - this.now();
      if (left <= 0) break;
      const opened = await connect(this.target, CONNECT_MS);
      if (opened.kind !== "connected") {
        await pause(pauseAfter(tries + 4)); // a restart of the gateway takes time
        continue;
      }
      const wait = { runId, timeoutMs: left };
      answer = await opened.gateway.request("agent.wait", wait, left + ANSWER_MS);
      opened.gateway.close();
    }
    if (answer.kind === "ok") return replyFrom(answer.payload);
    return {
      status: "failed",
      reason: answer.kind === "lost" ? answer.reason : answer.message,
    };
  }
}

/** How long after its start a gateway still restores its sessions. */
const YOUNG_MS = 120_000;
const REVOKED_WITHIN_MS = 5_000;
/** An idle gateway takes a wake in 40 ms. One that was this slow let a wake go two minutes later. */
const SLOW_MS = 3_000;

/** The next try looks into the history for all keys of the wake before it sends one. */
function withNewKey(outcome: TryOutcome): TryOutcome {
  return outcome.kind === "later" ? { ...outcome, newKey: true } : outcome;
}

/** Whether a second try soon has a good chance. */
export function isNotBegun(reason: string): boolean {
  return /^The gateway (has just started and|is slow or has dropped a wake,) /.test(reason);
}

async function resolve(gateway: Gateway, params: Record<string, string>): Promise<Called> {
  const answer = await gateway.request("sessions.resolve", params, ANSWER_MS);
  if (answer.kind === "ok") return { kind: "ok", value: answer.payload };
  const name = params.key ?? params.sessionId;
  return {
    kind: "failed",
    isUnknown: answer.kind === "error" && isUnknownSession(answer.message),
    outcome: judged(answer, `The gateway did not find session ${name}`),
  };
}
