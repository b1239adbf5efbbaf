/** Serves one agent's outbox by one process at a time, and leaves no wake lying that came meanwhile. */

import { AgentQueue, type QueueOptions, type QueueResult, type QueueWorld } from "./agent_queue.ts";
import { holdLock, noteOn } from "../cli/held_lock.ts";
import { MINUTE, SECOND } from "./delivery.ts";
import { safeName } from "../paths.ts";

export const LIFE_MS = 90 * MINUTE;
const LOOK_EVERY_MS = SECOND;
const SHORT_RUN = "once";
const SHORT_RUN_MS = 5 * MINUTE;

export async function serveAgent(
  agentId: string,
  world: QueueWorld,
  options: QueueOptions,
): Promise<QueueResult> {
  const queue = new AgentQueue(agentId, world, options);
  const lockPath = `${world.paths.state}/locks/deliver-${safeName(agentId)}.lock`;
  for (let waitedMs = 0;;) {
    const lock = holdLock(lockPath, options.once ? SHORT_RUN : "");
    if (lock === undefined) {
      // One that tries everything once does not stay for what has come since: we do.
      const isOver = options.once || waitedMs >= SHORT_RUN_MS || noteOn(lockPath) !== SHORT_RUN;
      if (isOver) return { ...queue.result(), kind: "busy" };
      await world.sleep(LOOK_EVERY_MS);
      waitedMs += LOOK_EVERY_MS;
      continue;
    }
    try {
      await queue.work(lock);
    } finally {
      lock.release();
    }
    // Whoever was refused the lock has left by now, trusting us: what it wrote is seen here.
    if (!queue.hasUnseen()) return queue.result();
  }
}
