/** The pause between a failed delivery and the next try, and what ends it early. */

import type { Paths } from "../paths.ts";
import { isAwaited } from "../reply_wait.ts";
import type { AgentOutbox } from "./agent_outbox.ts";
import { SECOND } from "./delivery.ts";
import type { GatewayState } from "./gateway_up.ts";
import { isLockWanted } from "./handover.ts";
import { letHeldGo } from "./held_wait.ts";

export interface PauseWorld {
  paths: Paths;
  sleep(ms: number): Promise<void>;
  /** Whether the gateway listens: one that comes back ends a pause. */
  gateway?(): Promise<GatewayState>;
}

/** How often a pause looks for a new wake, and how soon a new wake may end it. */
const LOOK_EVERY_MS = SECOND;
const LEAST_PAUSE_MS = 5 * SECOND;
/** How often a pause asks whether the gateway listens again. */
const ASK_EVERY_MS = 5 * SECOND;

/**
 * A new wake ends a pause early: the gateway may be back. A wake whose hook waits for a reply
 * ends it at once. So does a gateway that did not listen and does now: what fails then is new.
 */
export async function pauseForRetry(
  world: PauseWorld,
  agentId: string,
  outbox: AgentOutbox,
  ms: number,
): Promise<"over" | "gateway is back" | "wanted"> {
  const { paths } = world;
  const isLong = ms > ASK_EVERY_MS;
  const isDown = async () => isLong && await world.gateway?.() === "down";
  const wasDown = await isDown();
  for (let rested = 0; rested < ms;) {
    const step = Math.min(LOOK_EVERY_MS, ms - rested);
    await world.sleep(step);
    rested += step;
    if (wasDown && rested % ASK_EVERY_MS === 0 && !await isDown()) return "gateway is back";
    if (isLockWanted(paths, agentId)) return "wanted";
    await letHeldGo(paths, outbox);
    const unseen = outbox.unseen();
    const isNudged = unseen.length > 0 &&
      (rested >= LEAST_PAUSE_MS || unseen.some((id) => isAwaited(paths, id)));
    if (isNudged || outbox.isEmpty()) return "over";
  }
  return "over";
}
