/** Lets one process at a time serve an agent's outbox, and misses no wake that comes meanwhile. */

import { AgentQueue, type QueueOptions, type QueueResult, type QueueWorld } from "./agent_queue.ts";
import { type HeldLock, holdLock, isHeld, noteOn } from "../doors/held_lock.ts";
import { prepareGuards } from "../fence.ts";
import { record } from "../journal.ts";
import { messageOf } from "../process.ts";
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
  // After handing over, stand by: a person may end the other process at any time. One is enough.
  let hasHandedOver = false;
  let standby: HeldLock | undefined;
  for (let waitedMs = 0;;) {
    const lock = await lockFor(agentId, lockPath, options.once ? SHORT_RUN : "", world);
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
      standby = await lockFor(agentId, `${lockPath}.standby`, "", world);
      await waitForTaker(agentId, world);
      if (standby === undefined && isHeld(lockPath)) return { ...queue.result(), kind: "busy" };
      continue;
    }
    // Check again: a process that was refused the lock has exited.
    if (!queue.hasUnseen()) return queue.result();
  }
}

/** A lock of another user, such as root, or that is no file is set aside: it would block for ever. */
async function lockFor(
  agentId: string,
  path: string,
  note: string,
  { paths }: QueueWorld,
): Promise<HeldLock | undefined> {
  try {
    return holdLock(path, note);
  } catch (error) {
    const isForeign = error instanceof Deno.errors.PermissionDenied;
    if (!isForeign && Deno.lstatSync(path).isFile) throw error;
    await prepareGuards();
    Deno.renameSync(path, `${path}.unreadable`);
    const what = isForeign
      ? "A lock of another user was set aside"
      : "A lock that is no file was set aside";
    const reason = `${what}: ${messageOf(error)}`;
    record(paths, { kind: "problem", session: agentId, agent_id: agentId, reason });
    return holdLock(path, note);
  }
}

/** Waits until the process that asked for the lock has taken it, but not for ever. */
async function waitForTaker(agentId: string, { paths, sleep }: QueueWorld): Promise<void> {
  for (let ms = 0; ms < COMES_WITHIN_MS && isLockWanted(paths, agentId); ms += LOOK_EVERY_MS) {
    await sleep(LOOK_EVERY_MS);
  }
  endAsking(paths, agentId);
}
