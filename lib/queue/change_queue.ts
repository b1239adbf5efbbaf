/** Changes a queue on request: checks the caller, changes the file, records the change. */

import type { DriverWorld } from "../driver/driver_world.ts";
import { whyTaken } from "../doors/holds.ts";
import { isFile } from "../files.ts";
import { record } from "../journal.ts";
import { newWakeId } from "../new_wake.ts";
import type { Paths } from "../paths.ts";
import { startRunner } from "../queue_runner.ts";
import { stepRecord } from "../queue_turns.ts";
import { type Giver, isHuman } from "../records.ts";
import { pausedFor, resumed } from "../step_endings.ts";
import { isOpen, isRepeatable, type Queue, type Step } from "../steps.ts";
import { changeQueue, readQueue } from "../steps_file.ts";
import type { QueueAction, QueueCallOptions } from "./queue_args.ts";
import { reportOf, STATUS } from "./queue_lines.ts";
import { giverFor, type QueueTarget, targetOf } from "./queue_target.ts";
import { added, cleared, dropped, moved, whyNotAdded } from "./step_list.ts";

/** Why no queue can be worked off here; undefined where one can. */
export function whyNoRunner({ data }: { data: string }): string | undefined {
  const isOld = isFile(`${data}/bin/hook`) && !isFile(`${data}/bin/queue-run`);
  return isOld
    ? "the hooks were registered by an earlier version: run gsd-code register first"
    : undefined;
}

/** Why an agent may not do this now. It may always list the steps and pause the queue. */
export function whyTakenByPerson(
  paths: Paths,
  session: string,
  { kind }: QueueAction,
  { by_kind }: Giver,
): string | undefined {
  return isHuman(by_kind) || kind === "list" || kind === "pause"
    ? undefined
    : whyTaken(paths, session);
}

export interface Changed {
  queue: Queue | undefined;
  /** The steps that were added, moved or dropped. */
  steps: Step[];
}

/** Throws where it cannot be done, and changes nothing then. */
export function carryOutAction(
  world: Pick<DriverWorld, "paths" | "now">,
  { session, agent, socket }: QueueTarget,
  action: Exclude<QueueAction, { kind: "list" }>,
  giver: Giver,
  dryRun: boolean,
): Changed {
  const now = world.now();
  const at = {
    session,
    agent_id: agent.agent_id,
    ...(socket === undefined ? {} : { socket }),
  };
  const decide = (before: Queue | undefined): Changed => {
    if (action.kind === "add") {
      const problem = whyNotAdded(before, action.steps.map(({ text }) => text));
      if (problem !== undefined) throw new Error(problem);
      const result = added(before, at, action.steps, giver, now);
      return { queue: result.queue, steps: result.added };
    }
    if (before === undefined) throw new Error("it is empty");
    return changed(before, action, giver, now);
  };
  if (dryRun) return decide(readQueue(world.paths, session));
  const result = changeQueue(world.paths, session, (before) => {
    const value = decide(before);
    return { queue: value.queue, value };
  });
  noteAction({ session, agent_id: agent.agent_id }, action, result, giver);
  return result;

  function noteAction(
    about: { session: string; agent_id: string },
    { kind }: QueueAction,
    { steps, queue }: Changed,
    { by, by_kind }: Giver,
  ): void {
    const status = STATUS[kind];
    const who = { by, by_kind };
    if (status.isOfStep) {
      for (const step of steps) {
        record(world.paths, stepRecord(about, status.name, step, who), now);
      }
      return;
    }
    const reason = kind === "pause" ? { reason: queue?.paused?.reason ?? "" } : {};
    record(world.paths, stepRecord(about, status.name, undefined, { ...who, ...reason }), now);
  }
}

function changed(
  before: Queue,
  action: Exclude<QueueAction, { kind: "list" | "add" }>,
  giver: Giver,
  now: Date,
): Changed {
  const of = (numbers: number[]) => before.steps.filter(({ n }) => numbers.includes(n));
  switch (action.kind) {
    case "drop":
      return { queue: must(dropped(before, action.numbers)), steps: of(action.numbers) };
    case "move":
      return { queue: must(moved(before, action.n, action.to)), steps: of([action.n]) };
    case "clear":
      return { queue: cleared(before), steps: before.steps.filter(isOpen) };
    case "pause": {
      const { paused } = before;
      // A pause that ends by itself is replaced.
      if (paused !== undefined && paused.until === undefined) {
        throw new Error(`it is paused: ${paused.reason}`);
      }
      const reason = action.reason || `${giver.by} has paused it`;
      const wakeId = newWakeId(now.getTime());
      const told = { told: true };
      const queue = pausedFor(before, "asked", reason, now.toISOString(), wakeId, told);
      return { queue, steps: [] };
    }
    case "resume": {
      const hasFailed = before.steps.some(isRepeatable);
      if (before.paused === undefined) throw new Error("it is not paused");
      if (action.isAgain && !hasFailed) throw new Error("no step has failed");
      const queue = resumed(before, { isAgain: action.isAgain });
      return { queue: isHuman(giver.by_kind) ? { ...queue, by_person: true } : queue, steps: [] };
    }
  }
}

function must(result: Queue | undefined | string): Queue | undefined {
  if (typeof result === "string") throw new Error(result);
  return result;
}

/** For `--after-turn`: one step more. Returns the line that says so. */
export async function addStep(
  world: DriverWorld,
  name: string,
  text: string,
  options: QueueCallOptions,
): Promise<string> {
  const target = await targetOf(world, name, options);
  const old = whyNoRunner(world.paths);
  if (old !== undefined) throw new Error(old);
  const action: QueueAction = { kind: "add", steps: [{ text }] };
  const giver = await giverFor(world, target, options);
  const result = carryOutAction(world, target, action, giver, options.dryRun);
  if (!options.dryRun) startRunner(world.paths, world.env, target.session);
  return reportOf(world.paths, target, action, result, options);
}
