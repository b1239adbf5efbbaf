/** The queue that a runner works off: what it sees of the session, and the changes that it writes. */

import type { ActionResult } from "../driver/driver_context.ts";
import { readTranscriptEnd, readTurnEnd, type TranscriptEnd } from "../fleet/transcript_end.ts";
import { record } from "../journal.ts";
import { newWakeId } from "../new_wake.ts";
import { type Move, whatNext } from "../next_move.ts";
import type { Paths } from "../paths.ts";
import { stepRecord } from "../queue_turns.ts";
import type { Giver } from "../records.ts";
import { readMemory } from "../session_memory.ts";
import { pausedFor } from "../step_endings.ts";
import type { Queue, Step, StepState } from "../steps.ts";
import { readQueue, updateQueue } from "../steps_file.ts";
import type { SessionLook } from "./session_look.ts";

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
  /** A companion reports the end of a turn for which Claude Code calls no hook. */
  hasCompanion(queue: Queue): boolean;
}

/** What a runner does after a move. "leave": only an event can bring more to do. */
export type AfterMove = "go on" | "leave";

export const QUICK_LOOK_MS = 300;
export const SLOW_LOOK_MS = 1000;
/** Hooks come first: what they have not said after this time we find out. */
export const HOOKS_FIRST_MS = 10_000;

export class RunningQueue {
  constructor(readonly world: RunnerWorld, readonly session: string) {}

  now(): number {
    return this.world.now().getTime();
  }

  read(): Queue | undefined {
    return readQueue(this.world.paths, this.session);
  }

  hasChanged(since: Queue): boolean {
    return JSON.stringify(this.read()) !== JSON.stringify(since);
  }

  /** How its transcript, or the turn of a step in it, ends; undefined where none is written yet. */
  transcriptEnd(
    { prompt_id: promptId = "", giving }: Partial<Step> = {},
  ): TranscriptEnd | undefined {
    const { transcript_path: path } = readMemory(this.world.paths, this.session);
    const since = Date.parse(giving?.at ?? "");
    try {
      if (path === "") return undefined;
      return promptId === "" ? readTranscriptEnd(path) : readTurnEnd(path, { promptId, since });
    } catch {
      return undefined;
    }
  }

  nextMove(queue: Queue): Move {
    const held = this.world.held(queue);
    const isFirst = queue.last === undefined &&
      queue.steps.some(({ if_last_matches }) => if_last_matches !== undefined);
    return whatNext(queue, {
      now: this.now(),
      ...(held === undefined ? {} : { held }),
      ...(isFirst ? { last: this.transcriptEnd()?.words ?? "" } : {}),
    });
  }

  change(change: (queue: Queue) => Queue | undefined): Queue | undefined {
    return updateQueue(this.world.paths, this.session, change);
  }

  /** Changes a step that is still in the state `from`, and records its new status. */
  changeStep(
    n: number,
    from: StepState,
    status: string,
    change: (queue: Queue, step: Step, now: Date, wakeId: string) => Queue,
    reason?: string,
  ): void {
    const now = this.world.now();
    let isChanged = false;
    const after = this.change((queue) => {
      const step = queue.steps.find((one) => one.n === n);
      if (step?.state !== from) return queue;
      const next = change(queue, step, now, newWakeId(now.getTime()));
      isChanged = next !== queue;
      return next;
    });
    const step = after?.steps.find((one) => one.n === n);
    if (isChanged && after !== undefined) this.note(after, status, step, reason);
  }

  /** False where somebody has changed the queue since: then look again. */
  isNext(move: Move, queue: Queue): boolean {
    return JSON.stringify(this.nextMove(queue)) === JSON.stringify(move);
  }

  /** `move`: only if that is still the next one. */
  pause(
    queue: Queue,
    why: "condition" | "road",
    reason: string,
    { said, move }: { said?: string; move?: Move } = {},
  ): void {
    const now = this.world.now();
    const more = said === undefined ? {} : { said };
    let isPaused = false;
    this.change((before) => {
      if (move !== undefined && !this.isNext(move, before)) return before;
      const wakeId = newWakeId(now.getTime());
      const after = pausedFor(before, why, reason, now.toISOString(), wakeId, more);
      isPaused = after !== before;
      return after;
    });
    if (isPaused) this.note(queue, "paused", undefined, reason);
  }

  note(queue: Queue, status: string, step?: Step, reason?: string): void {
    const more = reason === undefined ? {} : { reason };
    record(this.world.paths, stepRecord(queue, status, step, more), this.world.now());
  }
}
