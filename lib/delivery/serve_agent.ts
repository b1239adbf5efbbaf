/** Lets one process at a time serve an agent's outbox, and misses no wake that comes meanwhile. */

import { AgentQueue, type QueueOptions, type QueueResult, type QueueWorld } from "./agent_queue.ts";
import { type HeldLock, isHeld, noteOn } from "../doors/held_lock.ts";
import { holdUsableLock } from "../doors/usable_lock.ts";
import { MINUTE, SECOND } from "./delivery.ts";
import { askForLock, endAsking, isLockWanted } from "./handover.ts";
import { safeName } from "../paths.ts";

export const LIFE_MS = 90 * MINUTE;
const LOOK_EVERY_MS = SECOND / 4;
const SHORT_RUN = "once";
const SHORT_RUN_MS = 5 * MINUTE;
/** The longest time until a deliverer that is trying sleeps again and hands over. */
const HANDOVER_MS = 45 * SECOND;
const COMES_WITHIN_MS = 5 * SECOND;

export interface ServeOptions extends QueueOptions {
  /** Takes over from a deliverer that sleeps between tries, instead of exiting. */
  takesOver?: boolean;
}

export async function serveAgent(
  agentId: string,
  world: QueueWorld,
  options: ServeOptions,
): Promise<QueueResult> {
  const queue = new AgentQueue(agentId, world, options);
  const lockPath = `${world.paths.state}/locks/deliver-${safeName(agentId)}.lock`;
  const lockFor = (path: string, note: string) =>
    holdUsableLock(world.paths, path, { session: agentId, agent_id: agentId }, note);
  // After handing over, stand by: a person may end the other process at any time. One is enough.
  let hasHandedOver = false;
  let standby: HeldLock | undefined;
  for (let waitedMs = 0;;) {
    const lock = await lockFor(lockPath, options.once ? SHORT_RUN : "");
    if (lock === undefined) {
      if (options.takesOver && !hasHandedOver && waitedMs < HANDOVER_MS) {
        if (waitedMs === 0) {
          world.progress?.(`another process delivers to ${agentId}: waiting for it`);
        }
        askForLock(world.paths, agentId);
      } else if (standby === undefined || queue.isOver()) {
        // The other process tries each wake once and exits. This one waits for new wakes.
        const isOver = options.once || waitedMs >= SHORT_RUN_MS || noteOn(lockPath) !== SHORT_RUN;
        if (options.takesOver) endAsking(world.paths, agentId);
        if (isOver) {
          standby?.release();
          return { ...queue.result(), kind: "busy" };
        }
      }
      await world.sleep(LOOK_EVERY_MS);
      waitedMs += LOOK_EVERY_MS;
      continue;
    }
    endAsking(world.paths, agentId);
    standby?.release();
    standby = undefined;
    let ending: "done" | "wanted";
    try {
      ending = await queue.work(lock);
    } finally {
      lock.release();
    }
    if (ending === "wanted") {
      hasHandedOver = true;
      standby = await lockFor(`${lockPath}.standby`, "");
      await waitForTaker(agentId, world);
      if (standby === undefined && isHeld(lockPath)) return { ...queue.result(), kind: "busy" };
      continue;
    }
    // Check again: a process that was refused the lock has exited.
    if (!queue.hasUnseen()) return queue.result();
  }
}

/** Waits until the process that asked for the lock has taken it, but not for ever. */
async function waitForTaker(agentId: string, { paths, sleep }: QueueWorld): Promise<void> {
  for (let ms = 0; ms < COMES_WITHIN_MS && isLockWanted(paths, agentId); ms += LOOK_EVERY_MS) {
    await sleep(LOOK_EVERY_MS);
  }
  endAsking(paths, agentId);
}
