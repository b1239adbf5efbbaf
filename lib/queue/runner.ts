/**
 * Gives a session its steps. One process at a time holds the queue's lock; it leaves where only an
 * event can bring more to do, and the hook of that event starts another one.
 */

import { readStop } from "../doors/spending_stops.ts";
import type { ActionResult } from "../driver/driver_context.ts";
import { readTranscriptEnd, type TranscriptEnd } from "../fleet/transcript_end.ts";
import { failureKind } from "../failures.ts";
import { record } from "../journal.ts";
import { resetIn } from "../limit_reset.ts";
import { newWakeId } from "../new_wake.ts";
import type { Paths } from "../paths.ts";
import { isLimit, stepRecord } from "../queue_turns.ts";
import type { Giver } from "../records.ts";
import { readMemory } from "../session_memory.ts";
import { type Move, whatNext } from "../next_move.ts";
import {
  commandDone,
  ended,
  failed,
  leftUnsure,
  pausedFor,
  reported,
  resumed,
  stopped,
} from "../step_endings.ts";
import { begun, given, notGiven, toGive, unread } from "../step_giving.ts";
import { commandOf, isDoneBy, type Queue, type Step, type StepGiving } from "../steps.ts";
import { readQueue, updateQueue } from "../steps_file.ts";
import { knownCommands } from "../suggested.ts";
import { wasNoted } from "../typed.ts";
import { type StepVerdict, verdictOn } from "./look_up.ts";
import { proofOf, sizeOf } from "../step_proof.ts";
import { isSurelyIdle, type SessionLook } from "./session_look.ts";

export interface RunnerWorld {
  paths: Paths;
  now(): Date;
  sleep(ms: number): Promise<void>;
  look(queue: Queue): Promise<SessionLook>;
  /** By the driver's own roads. */
  give(
    queue: Queue,
    text: string,
    giver: Giver & { instruction_id: string },
  ): Promise<ActionResult>;
  /** Empties the box of a text that the driver left there. */
  clear(queue: Queue): Promise<void>;
  held(queue: Queue): { until?: number } | undefined;
  /** Sends the wake with this id, unless it was sent before. */
  tell(queue: Queue, what: "done" | "paused", wakeId: string): Promise<void>;
  /** Somebody tells us of the end of a turn for which no hook is called. */
  hasCompanion(queue: Queue): boolean;
}

/** After Stop, Claude Code may still run other hooks. */
const FREE_WITHIN_MS = 20_000;
const STARTS_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 300;
/** Hooks come first: what they have not said after this time we find out. */
const HOOKS_FIRST_MS = 10_000;
const WATCH_EVERY_MS = 1000;
/** With a companion, the runner watches a turn only for this long: short turns need no other one. */
const STAYS_MS = 4000;
/** How the transcript ends when no turn runs. */
const OVER = ["answer", "failed", "interrupted"];
/** A turn that goes on with a subagent, or at a time that is set (an hour at most), says nothing. */
const GOES_ON_WITHIN_MS = 7_200_000;
const MOST_REFUSALS = 5;
const MOST_SLEEP_MS = 2000;
/** A change of the queue is seen after this time at the latest. */
const MOST_WAIT_MS = 5000;

export class QueueRunner {
  constructor(private readonly world: RunnerWorld, private readonly session: string) {}

  /** Runs until only an event can bring more to do. */
  async run(): Promise<void> {
    while (await this.#step()) { /* until it has to leave */ }
  }

  /** False: leave. */
  async #step(): Promise<boolean> {
    const queue = readQueue(this.world.paths, this.session);
    if (queue === undefined) return false;
    const move = this.#next(queue);
    switch (move.kind) {
      case "report":
        await this.#report(queue);
        return true;
      case "tell the pause":
        await this.world.tell(queue, "paused", queue.paused!.wake_id);
        this.#change((now) =>
          now.paused?.wake_id === queue.paused!.wake_id
            ? { ...now, paused: { ...now.paused, told: true } }
            : now
        );
        return true;
      case "go on":
        this.#change((now) => resumed(now));
        this.#note(queue, "resumed", undefined, { reason: "the limit is over" });
        return true;
      case "unmet":
        this.#pause(
          queue,
          "condition",
          `step ${move.step.n} is for an answer with "${move.step.if_last_matches}"`,
        );
        return true;
      case "wait":
        await this.#sleepUntil(move.until);
        return true;
      case "rest":
        return false;
      case "give":
        return await this.#give(queue, move);
      case "look up":
        return await this.#lookUp(queue, move.step);
      case "watch":
        return await this.#watch(queue, move.step);
    }
  }

  #next(queue: Queue): Move {
    const held = this.world.held(queue);
    const isFirst = queue.last === undefined &&
      queue.steps.some(({ if_last_matches }) => if_last_matches !== undefined);
    return whatNext(queue, {
      now: this.#now(),
      ...(held === undefined ? {} : { held }),
      ...(isFirst ? { last: this.#end()?.words ?? "" } : {}),
    });
  }

  async #give(queue: Queue, { step, text }: Extract<Move, { kind: "give" }>): Promise<boolean> {
    const ready = await this.#whenFree(queue);
    if (ready !== "free") return ready === "changed";
    const { world, session } = this;
    const memory = readMemory(world.paths, session);
    // The resumed conversation may lack it: Claude Code writes a prompt down a little later.
    const isRead = step.cut !== "ended" || step.giving === undefined ||
      proofOf(step.giving, memory.transcript_path || step.giving.transcript_path).kind !== "none";
    if (!isRead) {
      this.#change((now) => unread(now, step.n));
      return true;
    }
    const at = world.now();
    const giving: StepGiving = {
      instruction_id: newWakeId(at.getTime()),
      at: at.toISOString(),
      text,
      claude_session_id: memory.claude_session_id,
      transcript_path: memory.transcript_path,
      position: sizeOf(memory.transcript_path),
    };
    let isStill = false;
    this.#change((now) => {
      const move = this.#next(now);
      isStill = move.kind === "give" && move.step.n === step.n;
      return isStill ? toGive(now, step.n, giving) : now;
    });
    if (!isStill) return true;
    const { by, by_kind } = step;
    const giver = { by, by_kind, instruction_id: giving.instruction_id };
    const result = await world.give(queue, text, giver);
    if (result.kind === "done") {
      this.#change((now) => given(now, step.n, world.now()));
      return true;
    }
    if (result.isUnsure) return true;
    return await this.#refused(step, result.reason);
  }

  /** Nothing was given. */
  async #refused(step: Step, reason: string): Promise<boolean> {
    const now = this.world.now();
    const isSpent = readStop(this.world.paths, this.session) !== undefined;
    let count = 0;
    const after = this.#change((queue) => {
      const waiting = notGiven(queue, step.n);
      if (waiting === queue) return queue; // it has begun all the same
      count = (queue.refusals ?? 0) + 1;
      const next = { ...waiting, refusals: count };
      if (count < MOST_REFUSALS && !isSpent) return next;
      const { refusals: _, ...rest } = next;
      const why = `step ${step.n} could not be given`;
      const wakeId = newWakeId(now.getTime());
      const cause = isSpent ? "budget" : "road";
      return pausedFor(rest, cause, why, now.toISOString(), wakeId, { said: reason });
    });
    const isPaused = after?.paused?.why === "road" || after?.paused?.why === "budget";
    if (after !== undefined && isPaused) this.#note(after, "paused", undefined, { reason });
    else if (count > 0) await this.world.sleep(MOST_SLEEP_MS * count);
    return true;
  }

  /** "changed": somebody has changed the queue meanwhile. */
  async #whenFree(queue: Queue): Promise<"free" | "changed" | "leave"> {
    const began = this.#now();
    for (;;) {
      const { state, reason } = await this.world.look(queue);
      if (state === "free") return "free";
      if (state === "gone") return "leave";
      if (state === "several") {
        const why = "several panes of the session run Claude Code: close all but one";
        this.#pause(queue, "road", why, reason);
        return "changed";
      }
      const patience = state === "starting" ? STARTS_WITHIN_MS : FREE_WITHIN_MS;
      if (this.#now() - began > patience) return "leave";
      await this.world.sleep(LOOK_EVERY_MS);
      const now = readQueue(this.world.paths, this.session);
      if (JSON.stringify(now) !== JSON.stringify(queue)) return "changed";
    }
  }

  /** A step that was to be given: was it? */
  async #lookUp(queue: Queue, { n, giving }: Step): Promise<boolean> {
    const { world } = this;
    if (giving === undefined) {
      this.#change((now) => notGiven(now, n));
      return true;
    }
    const { transcript_path: path, claude_session_id: id } = readMemory(world.paths, this.session);
    const proof = proofOf(giving, path || giving.transcript_path);
    const since = Date.parse(giving.given_at ?? giving.at);
    if (proof.kind !== "prompt" && this.#now() - since < HOOKS_FIRST_MS) {
      await world.sleep(LOOK_EVERY_MS);
      return true;
    }
    const look = proof.kind === "prompt" ? { state: "busy" as const } : await world.look(queue);
    const verdict = verdictOn({
      ...{ giving, proof, look, now: this.#now() },
      claudeId: id,
      wasNoted: wasNoted(world.paths, this.session, giving.instruction_id),
      leavesTrace: this.#leavesTrace(giving.text),
      hasCompanion: world.hasCompanion(queue),
    });
    return await this.#concluded(queue, n, giving, look, verdict);
  }

  /** Commands that open no dialog do: those of people and skills, and a few of Claude Code. */
  #leavesTrace(text: string): boolean {
    return isDoneBy(text, "clear") ||
      knownCommands(this.world.paths, this.session).includes(commandOf(text));
  }

  async #concluded(
    queue: Queue,
    n: number,
    { text }: StepGiving,
    { state }: SessionLook,
    verdict: StepVerdict,
  ): Promise<boolean> {
    switch (verdict.kind) {
      case "begun":
        this.#begun(n, verdict.promptId);
        return true;
      case "run":
        this.#commandDone(n);
        if (verdict.hasDialog) {
          this.#pause(queue, "road", `/${commandOf(text)} has opened a dialog`);
        }
        break;
      case "not given":
        // It may be in the box, where the driver left it.
        if (state !== "gone") await this.world.clear(queue);
        this.#change((now) => notGiven(now, n));
        break;
      case "unsure":
        this.#unsure(n, whyUnsure(text));
        return true;
      case "no sign":
        this.#fail(n, "it was given, and Claude Code shows no sign of it");
        return true;
      case "later":
        await this.world.sleep(WATCH_EVERY_MS);
        return true;
      case "leave":
        return false;
    }
    return state !== "gone";
  }

  /** The turn of a step runs. Its end is told by a hook; else it is found here. */
  async #watch(queue: Queue, step: Step): Promise<boolean> {
    const { world } = this;
    const began = this.#now();
    const before = JSON.stringify(queue);
    for (;;) {
      await world.sleep(this.#now() - began < STAYS_MS ? LOOK_EVERY_MS : WATCH_EVERY_MS);
      const now = readQueue(world.paths, this.session);
      if (JSON.stringify(now) !== before) return true;
      const end = this.#end();
      const isQuiet = end !== undefined && this.#now() - end.writtenAt > HOOKS_FIRST_MS &&
        this.#now() - Date.parse(step.began_at ?? "") > HOOKS_FIRST_MS;
      const goesOn = step.goes_on === true && end?.kind === "answer" &&
        this.#now() - end.writtenAt < GOES_ON_WITHIN_MS;
      if (isQuiet && !goesOn) {
        const look = await world.look(queue);
        if (look.state === "gone") return false;
        if (look.state === "free" && await this.#isOver(queue, step, end, look)) {
          this.#overWithoutHook(step, end);
          return true;
        }
      }
      const isOver = end !== undefined && OVER.includes(end.kind) && !goesOn;
      if (!isOver && world.hasCompanion(queue) && this.#now() - began > STAYS_MS) return false;
      if (isQuiet) await world.sleep(HOOKS_FIRST_MS / 2);
    }
  }

  /** The transcript says that no turn runs, or the screen does, twice. */
  async #isOver(
    queue: Queue,
    { text, giving }: Step,
    end: TranscriptEnd,
    look: SessionLook,
  ): Promise<boolean> {
    if (OVER.includes(end.kind)) return true;
    const prompt = giving?.text ?? text;
    if (!isSurelyIdle(look, prompt)) return false;
    await this.world.sleep(WATCH_EVERY_MS);
    const isSame = this.#end()?.writtenAt === end.writtenAt;
    return isSame && isSurelyIdle(await this.world.look(queue), prompt);
  }

  /** No hook has told how its turn ended. */
  #overWithoutHook({ n }: Step, end: TranscriptEnd): void {
    const now = this.world.now();
    const wakeId = newWakeId(now.getTime());
    let status = "";
    const after = this.#change((queue) => {
      const step = queue.steps.find((one) => one.n === n);
      if (step?.state !== "begun" || step.cut !== undefined) return queue;
      if (end.kind === "answer") {
        status = "done";
        const over = ended(queue, step, { promptId: end.promptId, text: end.words, now }, wakeId);
        // As at a Stop: the agent knows of the pause, and not of this end.
        const { paused } = over;
        return paused === undefined ? over : {
          ...over,
          paused: { ...paused, told: false, wake_id: wakeId },
        };
      }
      status = "failed";
      if (end.kind !== "failed") {
        // A person's Esc is told by its own wake, and is noted before.
        const limit = readStop(this.world.paths, this.session)?.why;
        return stopped(queue, step, now.toISOString(), wakeId, false, limit);
      }
      const kind = failureKind(end.error, end.message).name;
      const resets = resetIn(end.message, end.at);
      return failed(queue, step, {
        kind,
        isLimit: isLimit(kind),
        ...(resets === undefined ? {} : { resetsAt: new Date(resets).toISOString() }),
        now,
        told: false,
      }, wakeId);
    });
    const over = after?.steps.find((one) => one.n === n);
    if (after !== undefined && over !== undefined && status !== "") {
      this.#note(after, status, over, { reason: "no hook has reported its end" });
    }
  }

  async #report(queue: Queue): Promise<void> {
    const { world } = this;
    const fresh = { wake_id: newWakeId(this.#now()), prompt_id: queue.last?.prompt_id ?? "" };
    const marked = this.#change((now) =>
      now.report !== undefined || this.#next(now).kind !== "report"
        ? now
        : { ...now, report: fresh }
    );
    if (marked?.report === undefined) return;
    await world.tell(marked, "done", marked.report.wake_id);
    this.#change((now) => reported(now));
  }

  #begun(n: number, promptId: string): void {
    let isNew = false;
    const after = this.#change((queue) => {
      const next = begun(queue, n, promptId, this.world.now());
      isNew = next !== queue;
      return next;
    });
    const step = after?.steps.find((one) => one.n === n);
    if (isNew && after !== undefined) this.#note(after, "begun", step);
  }

  #commandDone(n: number): void {
    const at = this.world.now().toISOString();
    const after = this.#change((queue) => {
      const step = queue.steps.find((one) => one.n === n);
      return step?.state === "giving" ? commandDone(queue, step, at) : queue;
    });
    const step = after?.steps.find((one) => one.n === n);
    if (after !== undefined && step?.ended_at === at) this.#note(after, "done", step);
  }

  #fail(n: number, why: string): void {
    const now = this.world.now();
    const failure = { kind: why, isLimit: false, now, told: false };
    this.#over(n, why, (queue, step, wakeId) => failed(queue, step, failure, wakeId));
  }

  #unsure(n: number, why: string): void {
    const at = this.world.now().toISOString();
    this.#over(n, why, (queue, step, wakeId) => leftUnsure(queue, step, why, at, wakeId));
  }

  /** Ends a step that was to be given, and has not begun. */
  #over(
    n: number,
    reason: string,
    end: (queue: Queue, step: Step, wakeId: string) => Queue,
  ): void {
    const now = this.world.now();
    const after = this.#change((queue) => {
      const step = queue.steps.find((one) => one.n === n);
      return step?.state === "giving" ? end(queue, step, newWakeId(now.getTime())) : queue;
    });
    const step = after?.steps.find((one) => one.n === n);
    if (after !== undefined && step?.ended_at === now.toISOString()) {
      this.#note(after, step.state, step, { reason });
    }
  }

  #pause(queue: Queue, why: "condition" | "road", reason: string, said?: string): void {
    const now = this.world.now();
    const more = said === undefined ? {} : { said };
    this.#change((before) =>
      pausedFor(before, why, reason, now.toISOString(), newWakeId(now.getTime()), more)
    );
    this.#note(queue, "paused", undefined, { reason });
  }

  #end(): TranscriptEnd | undefined {
    const { transcript_path: path } = readMemory(this.world.paths, this.session);
    try {
      return path === "" ? undefined : readTranscriptEnd(path);
    } catch {
      return undefined; // it is not written yet
    }
  }

  async #sleepUntil(until: number): Promise<void> {
    await this.world.sleep(Math.min(MOST_WAIT_MS, Math.max(50, until - this.#now())));
  }

  #change(change: (queue: Queue) => Queue | undefined): Queue | undefined {
    return updateQueue(this.world.paths, this.session, change);
  }

  #note(
    queue: Queue,
    status: string,
    step: Step | undefined,
    more: { reason?: string } = {},
  ): void {
    record(this.world.paths, stepRecord(queue, status, step, more), this.world.now());
  }

  #now(): number {
    return this.world.now().getTime();
  }
}

function whyUnsure(text: string): string {
  const command = commandOf(text);
  return command === ""
    ? "whether Claude has read it is not known"
    : `whether /${command} was run is not known`;
}
