/** A step that was given, though no hook has reported its beginning: finds out what became of it. */

import { readMemory } from "../session_memory.ts";
import { commandDone, failed, leftUnsure } from "../step_endings.ts";
import { begun, notGiven } from "../step_giving.ts";
import { proofOf } from "../step_proof.ts";
import {
  commandOf,
  isDoneBy,
  type Queue,
  type Step,
  type StepGiving,
  type StepState,
} from "../steps.ts";
import { knownCommands } from "../suggested.ts";
import { wasNoted } from "../typed.ts";
import { type StepVerdict, verdictOn } from "./look_up.ts";
import {
  type AfterMove,
  HOOKS_FIRST_MS,
  QUICK_LOOK_MS,
  type RunningQueue,
  SLOW_LOOK_MS,
} from "./running_queue.ts";
import type { SessionLook } from "./session_look.ts";

export async function checkGiven(
  run: RunningQueue,
  queue: Queue,
  { n, giving }: Step,
): Promise<AfterMove> {
  const { world, session } = run;
  if (giving === undefined) {
    run.change((before) => notGiven(before, n));
    return "go on";
  }
  const { transcript_path: path, claude_session_id: id } = readMemory(world.paths, session);
  const proof = proofOf(giving, path || giving.transcript_path);
  const since = Date.parse(giving.given_at ?? giving.at);
  if (proof.kind !== "prompt" && run.now() - since < HOOKS_FIRST_MS) {
    await world.sleep(QUICK_LOOK_MS);
    return "go on";
  }
  const look = proof.kind === "prompt" ? { state: "busy" as const } : await world.look(queue);
  const verdict = verdictOn({
    ...{ giving, proof, look, now: run.now() },
    claudeId: id,
    wasNoted: wasNoted(world.paths, session, giving.instruction_id),
    leavesTrace: leavesTrace(run, giving.text),
    hasCompanion: world.hasCompanion(queue),
  });
  return await conclude(run, queue, n, giving, look, verdict);
}

/** Commands that open no dialog do: those of people and skills, and a few of Claude Code. */
function leavesTrace({ world, session }: RunningQueue, text: string): boolean {
  return isDoneBy(text, "clear") || knownCommands(world.paths, session).includes(commandOf(text));
}

async function conclude(
  run: RunningQueue,
  queue: Queue,
  n: number,
  { text }: StepGiving,
  { state }: SessionLook,
  verdict: StepVerdict,
): Promise<AfterMove> {
  switch (verdict.kind) {
    case "begun": {
      const { promptId } = verdict;
      run.changeStep(n, "giving", "begun", (before, _, now) => begun(before, n, promptId, now));
      return "go on";
    }
    case "run":
      run.changeStep(
        n,
        "giving",
        "done",
        (before, step, now) => commandDone(before, step, now.toISOString()),
      );
      if (verdict.hasDialog) {
        run.pause(queue, "road", `/${commandOf(text)} has opened a dialog`);
      }
      break;
    case "not given":
      // It may be in the box, where the driver left it.
      if (state !== "gone") await run.world.clear(queue);
      run.change((before) => notGiven(before, n));
      break;
    case "unsure":
      leaveUnsure(run, n, "giving", text);
      return "go on";
    case "no sign": {
      const why = "it was given, and Claude Code shows no sign of it";
      run.changeStep(
        n,
        "giving",
        "failed",
        (before, step, now, wakeId) =>
          failed(before, step, { kind: why, isLimit: false, now, told: false }, wakeId),
        why,
      );
      return "go on";
    }
    case "later":
      await run.world.sleep(SLOW_LOOK_MS);
      return "go on";
    case "leave":
      return "leave";
  }
  return state === "gone" ? "leave" : "go on";
}

/** It is not given again unasked, and the queue pauses. */
export function leaveUnsure(run: RunningQueue, n: number, from: StepState, text: string): void {
  const why = whyUnsure(text);
  run.changeStep(
    n,
    from,
    "unsure",
    (before, step, now, wakeId) => leftUnsure(before, step, why, now.toISOString(), wakeId),
    why,
  );
}

function whyUnsure(text: string): string {
  const command = commandOf(text);
  return command === ""
    ? "whether Claude has read it is not known"
    : `whether /${command} was run is not known`;
}
