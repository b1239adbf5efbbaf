/** Takes one agent's wakes out of the outbox, in order, with pauses where they do not get through. */

import { AgentOutbox } from "./agent_outbox.ts";
import { Carriers, type CarrierWorld, type Tried, type Way } from "./carriers.ts";
import {
  afterTry,
  type Delivered,
  type Failed,
  pauseAfter,
  SECOND,
  targetOf,
  whyDead,
} from "./delivery.ts";
import type { HeldLock } from "../doors/held_lock.ts";
import { noteDelivered, noteSuppressed, noteTrouble } from "./delivery_records.ts";
import { moveToDead, type QueuedWake, saveAttempts, wakeFile } from "../outbox.ts";
import { isLockWanted } from "./handover.ts";
import { asOfNow } from "./late_wake.ts";
import { recoverLost } from "./lost_wakes.ts";
import { isAwaited } from "../reply_wait.ts";
import { removeIfThere } from "../files.ts";
import { messageOf } from "../process.ts";
import { letHooksGo, saveReply } from "./reply_files.ts";
import { TurnEnds } from "./turn_ends.ts";

export interface QueueWorld extends CarrierWorld {
  sleep(ms: number): Promise<void>;
  /** The agent's place in OpenClaw as the registry has it now, where it can be read. */
  targetNow(
    wake: QueuedWake,
  ): Pick<QueuedWake, "openclaw_session_key" | "openclaw_session_id" | "transport"> | undefined;
  /** Told of each try, for a person who looks on. */
  tell?(line: string): void;
  /** In place of the real ways to an agent, in tests of time. */
  carriers?: { deliver(wake: QueuedWake): Promise<Tried>; close(): void };
}

export interface QueueOptions {
  once: boolean;
  lifeMs: number;
}

export interface QueueResult {
  kind: "served" | "busy";
  delivered: number;
  dead: number;
  left: number;
  lastError: string;
  /** Replies that agents still owe: a process that ends loses them. */
  replies: Promise<void>[];
}

/** How often a pause looks whether a new wake has come, and how soon that one may end it. */
const LOOK_EVERY_MS = SECOND;
const LEAST_PAUSE_MS = 5 * SECOND;
/** After a failure that took so long, hooks that wait for a reply are let go at once. */
const LONG_TRY_MS = 2 * SECOND;

export class AgentQueue {
  private readonly outbox: AgentOutbox;
  private readonly turnEnds = new TurnEnds();
  private readonly replies: Promise<void>[] = [];
  private readonly carriers: NonNullable<QueueWorld["carriers"]>;
  private readonly startedAt: number;
  private delivered = 0;
  private dead = 0;
  /** Files in the outbox that are no wakes and cannot be moved away. */
  private passedOver = 0;
  private failures = 0;
  /** What waits is not for a process like this one: the next event or the timer brings another. */
  private isOutOfPlace = false;
  private lastError = "";

  constructor(
    private readonly agentId: string,
    private readonly world: QueueWorld,
    private readonly options: QueueOptions,
  ) {
    this.outbox = new AgentOutbox(world.paths, agentId);
    this.carriers = world.carriers ?? new Carriers(world);
    this.startedAt = world.now();
  }

  result(): QueueResult {
    const { delivered, dead, lastError, replies } = this;
    const left = this.outbox.waiting().length + this.passedOver;
    return { kind: "served", delivered, dead, left, lastError, replies };
  }

  hasUnseen(): boolean {
    return this.outbox.unseen().length > 0;
  }

  /** "wanted": another process has asked for the lock. */
  async work(lock: HeldLock): Promise<"done" | "wanted"> {
    try {
      while (lock.isOurs() && this.outbox.waiting().length > 0) {
        const before = this.delivered + this.dead;
        const began = this.world.now();
        await this.pass();
        const isMoving = this.delivered + this.dead > before;
        if (isMoving) this.failures = 0;
        if (this.outbox.waiting().length === 0 || (isMoving && this.hasUnseen())) continue;
        this.failures++;
        const isLast = this.options.once || this.isOver() || this.isOutOfPlace;
        const isSlow = this.world.now() - began > LONG_TRY_MS;
        if (isLast || isSlow || this.failures > 1) {
          letHooksGo(this.world.paths, this.outbox.waiting(), this.lastError);
        }
        if (isLast) return "done";
        this.carriers.close();
        if (await this.rest(pauseAfter(this.failures)) === "wanted") return "wanted";
      }
      return "done";
    } finally {
      this.carriers.close();
    }
  }

  // A clock that was set back makes a life longer, never endless: each pause moves it on.
  isOver(): boolean {
    return this.world.now() - this.startedAt > this.options.lifeMs;
  }

  private async pass(): Promise<void> {
    // Before the list is made: what a killed hook has left comes in its order.
    recoverLost(this.world.paths, this.agentId, this.world.now());
    const closed = new Set<string>();
    const ids = this.outbox.waiting();
    this.outbox.see(ids);
    for (const id of ids) {
      const wake = this.read(id);
      if (wake === undefined || this.isTold(wake)) continue;
      this.turnEnds.add(wake);
      if (closed.has(targetOf(wake))) continue;
      const sent = asOfNow(wake, this.world.paths, this.world.now());
      const { outcome, way, why } = await this.tryOne(sent);
      if (outcome.kind === "delivered") this.settle(sent, outcome, { transport: way, why });
      else if (this.failed(wake, outcome) === "waits") {
        if (outcome.kind !== "later" || outcome.scope === "all") return;
        closed.add(targetOf(wake));
      } else this.turnEnds.drop(wake);
    }
  }

  /** A reminder that Claude idles, where the end of that turn waited too: it tells nothing new. */
  private isTold(wake: QueuedWake): boolean {
    const of = this.turnEnds.toldInsteadOf(wake);
    if (of === undefined) return false;
    const { paths } = this.world;
    try {
      removeIfThere(wakeFile(paths, wake));
    } catch {
      return false;
    }
    noteSuppressed(paths, wake, this.world.now(), of);
    return true;
  }

  /** A wake to try: for one that failed before, its place in OpenClaw is asked anew. */
  private read(id: string): QueuedWake | undefined {
    const found = this.outbox.read(id);
    if (found.kind === "set aside") this.dead++;
    if (found.kind === "passed over") this.passedOver++;
    if (found.kind === "set aside" || found.kind === "passed over") this.lastError = found.reason;
    if (found.kind !== "wake") return undefined;
    const { wake } = found;
    const current = wake.attempts === undefined ? undefined : this.world.targetNow(wake);
    return current === undefined ? wake : { ...wake, ...current };
  }

  private async tryOne(wake: QueuedWake): Promise<Tried> {
    try {
      return await this.carriers.deliver(wake);
    } catch (error) {
      const reason = `Cannot deliver: ${messageOf(error)}`;
      return { outcome: { kind: "later", scope: "all", reason }, why: "" };
    }
  }

  private settle(wake: QueuedWake, outcome: Delivered, about: { transport?: Way; why: string }) {
    const { paths } = this.world;
    const now = this.world.now();
    try {
      removeIfThere(wakeFile(paths, wake));
    } catch (error) {
      this.outbox.passOver(wake.wake_id);
      this.note("problem", wake, `Delivered, but still in the outbox: ${messageOf(error)}`);
    }
    this.delivered++;
    const { detail } = outcome;
    noteDelivered(paths, wake, now, { ...about, detail });
    this.world.tell?.(
      `delivered ${wake.wake_id} to ${wake.agent_id} by ${about.transport} (${detail})`,
    );
    if (wake.expects_reply && outcome.reply) {
      this.replies.push(saveReply(paths, wake, outcome.reply));
    }
  }

  private failed(wake: QueuedWake, outcome: Failed): "dead" | "waits" {
    const now = this.world.now();
    const tried = afterTry(wake, outcome, now);
    this.lastError = outcome.reason;
    this.isOutOfPlace ||= outcome.kind === "later" && outcome.elsewhere === true;
    let reason = whyDead(tried, now, outcome);
    try {
      if (reason === undefined) saveAttempts(this.world.paths, tried);
      else moveToDead(this.world.paths, tried, reason);
    } catch {
      // A full disk must not stop delivery: the try is only not remembered, the wake goes on waiting.
      reason = undefined;
    }
    this.note(reason === undefined ? "failed" : "dead", tried, reason ?? outcome.reason);
    if (reason === undefined) return "waits";
    this.dead++;
    letHooksGo(this.world.paths, [wake.wake_id], reason);
    return "dead";
  }

  private note(kind: "failed" | "dead" | "problem", wake: QueuedWake, reason: string): void {
    noteTrouble(this.world.paths, kind, wake, this.world.now(), reason);
    this.world.tell?.(`${kind} ${wake.wake_id} for ${wake.agent_id}: ${reason}`);
  }

  /**
   * A new wake ends a pause early: where there is an event, there may be a gateway again. One
   * whose hook waits for a reply ends it at once.
   */
  private async rest(ms: number): Promise<"rested" | "wanted"> {
    this.world.tell?.(`next try for ${this.agentId} in ${ms / 1000} s`);
    for (let rested = 0; rested < ms;) {
      const step = Math.min(LOOK_EVERY_MS, ms - rested);
      await this.world.sleep(step);
      rested += step;
      if (isLockWanted(this.world.paths, this.agentId)) return "wanted";
      const unseen = this.outbox.unseen();
      const isNudged = unseen.length > 0 &&
        (rested >= LEAST_PAUSE_MS || unseen.some((id) => isAwaited(this.world.paths, id)));
      if (isNudged || this.outbox.waiting().length === 0) break;
    }
    return "rested";
  }
}
