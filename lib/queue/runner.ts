/**
 * Gives a session its steps. One process at a time holds the queue's lock; it leaves where only an
 * event can bring more to do, and the hook of that event starts another one.
 */

import { newWakeId } from "../new_wake.ts";
import { reported, resumed } from "../step_endings.ts";
import type { Queue } from "../steps.ts";
import { checkGiven } from "./check_given.ts";
import { giveStep } from "./give_step.ts";
import { type AfterMove, type RunnerWorld, RunningQueue } from "./running_queue.ts";
import { watchTurn } from "./watch_turn.ts";

/** A change of the queue is seen after this time at the latest. */
const MOST_WAIT_MS = 5000;

/** Runs until only an event can bring more to do. */
export async function runQueue(world: RunnerWorld, session: string): Promise<void> {
  const run = new RunningQueue(world, session);
  while (await makeMove(run) === "go on") { /* until it has to leave */ }
}

async function makeMove(run: RunningQueue): Promise<AfterMove> {
  const queue = run.read();
  if (queue === undefined) return "leave";
  const move = run.nextMove(queue);
  switch (move.kind) {
    case "report":
      await report(run, queue);
      return "go on";
    case "tell the pause":
      await tellPause(run, queue);
      return "go on";
    case "go on": {
      let isOver = false;
      run.change((now) => {
        // A person may have paused it since it was read.
        isOver = run.isNext(move, now);
        return isOver ? resumed(now) : now;
      });
      if (isOver) run.note(queue, "resumed", undefined, "the limit is over");
      return "go on";
    }
    case "unmet": {
      const { n, if_last_matches } = move.step;
      const reason = `step ${n} is for an answer with "${if_last_matches}"`;
      run.pause(queue, "condition", reason, { move });
      return "go on";
    }
    case "wait":
      await run.world.sleep(Math.min(MOST_WAIT_MS, Math.max(50, move.until - run.now())));
      return "go on";
    case "rest":
      return "leave";
    case "give":
      return await giveStep(run, queue, move.step, move.text);
    case "look up":
      return await checkGiven(run, queue, move.step);
    case "watch":
      return await watchTurn(run, queue, move.step);
  }
}

/** All is done: tells the agent, and forgets the queue. */
async function report(run: RunningQueue, queue: Queue): Promise<void> {
  const fresh = { wake_id: newWakeId(run.now()), prompt_id: queue.last?.prompt_id ?? "" };
  const marked = run.change((now) =>
    now.report !== undefined || run.nextMove(now).kind !== "report"
      ? now
      : { ...now, report: fresh }
  );
  if (marked?.report === undefined) return;
  await run.world.tell(marked, "done", marked.report.wake_id);
  run.change((now) => reported(now));
}

async function tellPause(run: RunningQueue, queue: Queue): Promise<void> {
  const { wake_id } = queue.paused!;
  await run.world.tell(queue, "paused", wake_id);
  run.change((now) =>
    now.paused?.wake_id === wake_id ? { ...now, paused: { ...now.paused, told: true } } : now
  );
}
