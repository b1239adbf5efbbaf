/** Delivers one agent's wakes in order, with a pause after each failure. */

import { AgentOutbox } from "./agent_outbox.ts";
import { Carriers, type CarrierWorld, type Tried, type UsedTransport } from "./carriers.ts";
import {
  afterTry,
  type Delivered,
  type Failed,
  isSoon,
  openclawTarget,
  pauseAfter,
  SECOND,
  whyDead,
} from "./delivery.ts";
import type { HeldLock } from "../doors/held_lock.ts";
import { prepareGuards } from "../fence.ts";
import { keepText } from "../doors/kept_texts.ts";
import { noteDelivered, noteSuppressed, noteTrouble } from "./delivery_records.ts";
import { type QueuedWake, wakeFile } from "../outbox.ts";
import { moveToDead, saveAttempts } from "../outbox_files.ts";
import { workOrEnd } from "./held_wait.ts";
import { asOfNow } from "./late_wake.ts";
import { recoverLost } from "./lost_wakes.ts";
import { removeIfThere } from "../files.ts";
import { messageOf } from "../process.ts";
import { endReplyWaits, saveReply } from "./reply_files.ts";
import { pauseForRetry, type PauseWorld } from "./retry_pause.ts";
import { TurnEnds } from "./turn_ends.ts";

export type TargetNow = Pick<
  QueuedWake,
  "openclaw_session_key" | "openclaw_session_id" | "transport"
>;

export interface QueueWorld extends CarrierWorld, PauseWorld {
  /** The agent's session in OpenClaw as the registry names it now, if that can be read. */
  targetNow(
    wake: QueuedWake,
  ): TargetNow | undefined | Promise<TargetNow | undefined>;
  /** Called for each try, for a person who watches. */
  progress?(line: string): void;
  /** Tests replace the real carriers. */
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
  /** Replies that are still awaited. They are lost when the process exits. */
  replies: Promise<void>[];
}

/** After a failure that took this long, hooks stop waiting for a reply at once. */
const LONG_TRY_MS = 2 * SECOND;

export class AgentQueue {
  private readonly outbox: AgentOutbox;
  private readonly turnEnds = new TurnEnds();
  private readonly replies: Promise<void>[] = [];
  private readonly carriers: NonNullable<QueueWorld["carriers"]>;
  private readonly startedAt: number;
  private delivered = 0;
  private dead = 0;
  /** Files in the outbox that are not wakes and cannot be moved. */
  private passedOver = 0;
  private failures = 0;
  private isTriedSoon = false;
  /** This process cannot deliver what waits: the next event or the timer starts another one. */
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
      while (lock.isOurs()) {
        const next = await workOrEnd(this.world, {
          agentId: this.agentId,
          outbox: this.outbox,
          staysUntil: this.options.once ? 0 : this.startedAt + this.options.lifeMs,
          rest: () => this.carriers.close(),
        });
        if (next !== "work") return next;
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
          endReplyWaits(this.world.paths, this.outbox.waiting(), this.lastError);
        }
        if (isLast) return "done";
        this.carriers.close();
        const pause = pauseAfter(this.failures, this.isTriedSoon);
        this.world.progress?.(`next try for ${this.agentId} in ${pause / 1000} s`);
        const end = await pauseForRetry(this.world, this.agentId, this.outbox, pause);
        if (end === "wanted") return "wanted";
        if (end === "gateway is back") this.failures = 0;
      }
      return "done";
    } finally {
      this.carriers.close();
    }
  }

  // A clock that was set back makes a life longer, not endless: it still advances.
  isOver(): boolean {
    return this.world.now() - this.startedAt > this.options.lifeMs;
  }

  private async pass(): Promise<void> {
    // Before the list is made, so that the wake of a killed hook keeps its place in the order.
    await recoverLost(this.world.paths, this.agentId, this.world.now());
    const closed = new Set<string>();
    const ids = this.outbox.waiting();
    this.outbox.see(ids);
    for (const id of ids) {
      const wake = await this.read(id);
      if (wake === undefined || this.isRepeated(wake)) continue;
      this.turnEnds.add(wake);
      if (closed.has(openclawTarget(wake)) || this.outbox.isHeldNow(wake)) continue;
      const sent = asOfNow(wake, this.world.paths, this.world.now());
      const { outcome, transport, why } = await this.tryOne(sent);
      if (outcome.kind === "delivered") this.settle(sent, outcome, { transport, why });
      else if (this.failed(wake, outcome) === "waits") {
        if (outcome.kind !== "later" || outcome.scope === "all") return;
        closed.add(openclawTarget(wake));
      } else this.turnEnds.drop(wake);
    }
  }

  /** An idle reminder whose turn's end waited too adds nothing: it is removed. */
  private isRepeated(wake: QueuedWake): boolean {
    const of = this.turnEnds.endOfSameTurn(wake);
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

  /** A wake to try. After a failure, the registry is asked again for the agent's session. */
  private async read(id: string): Promise<QueuedWake | undefined> {
    const found = await this.outbox.read(id);
    if (found.kind === "set aside") this.dead++;
    if (found.kind === "passed over") this.passedOver++;
    if (found.kind === "set aside" || found.kind === "passed over") this.lastError = found.reason;
    if (found.kind !== "wake") return undefined;
    const { wake } = found;
    const current = wake.attempts === undefined ? undefined : await this.world.targetNow(wake);
    return current === undefined ? wake : { ...wake, ...current };
  }

  private async tryOne(wake: QueuedWake): Promise<Tried> {
    try {
      return await this.carriers.deliver(wake);
    } catch (error) {
      const reason = `Cannot deliver: ${messageOf(error)}`;
      return { outcome: { kind: "later", scope: "all", reason }, why: "" };
    } finally {
      await prepareGuards(); // the record of the try names places of others
    }
  }

  private settle(
    wake: QueuedWake,
    outcome: Delivered,
    about: { transport?: UsedTransport; why: string },
  ) {
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
    keepText(paths, wake.session, wake.wake_id, wake.message);
    this.world.progress?.(
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
    this.isTriedSoon = isSoon(outcome);
    this.isOutOfPlace ||= outcome.kind === "later" && outcome.elsewhere === true;
    let reason = whyDead(tried, now, outcome);
    try {
      if (reason === undefined) saveAttempts(this.world.paths, tried);
      else moveToDead(this.world.paths, tried, reason);
    } catch {
      // A full disk must not stop delivery: the try is not recorded, and the wake keeps waiting.
      reason = undefined;
    }
    this.note(reason === undefined ? "failed" : "dead", tried, reason ?? outcome.reason);
    if (reason === undefined) return "waits";
    this.dead++;
    endReplyWaits(this.world.paths, [wake.wake_id], reason);
    return "dead";
  }

  private note(kind: "failed" | "dead" | "problem", wake: QueuedWake, reason: string): void {
    noteTrouble(this.world.paths, kind, wake, this.world.now(), reason);
    this.world.progress?.(`${kind} ${wake.wake_id} for ${wake.agent_id}: ${reason}`);
  }
}
