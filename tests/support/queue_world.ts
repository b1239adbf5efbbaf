/** The world of a deliverer with a simulated clock and a scripted OpenClaw. */

import type { QueueWorld } from "../../lib/delivery/agent_queue.ts";
import type { Tried } from "../../lib/delivery/carriers.ts";
import type { QueuedWake } from "../../lib/outbox.ts";
// A deliverer loads these late. Here they are loaded already, so that no test waits for the disk.
import "../../lib/delivery/quiet_hours.ts";
import "../../lib/delivery/release_holds.ts";
import "../../lib/guards.ts";
import "../../lib/new_wake.ts";
import type { DeliveryHome } from "./delivery_home.ts";
import type { SimClock } from "./sim_clock.ts";

export const OK: Tried = {
  outcome: { kind: "delivered", detail: "accepted" },
  transport: "gateway",
  why: "",
};
export const DOWN: Tried = {
  outcome: { kind: "later", scope: "all", reason: "gateway down" },
  why: "",
};

export function queueWorld(
  home: DeliveryHome,
  clock: SimClock,
  carry: (wake: QueuedWake) => Tried,
): QueueWorld {
  return {
    paths: home.paths,
    env: () => undefined,
    allEnv: () => ({}),
    now: () => clock.now,
    sleep: clock.sleep,
    targetNow: () => undefined,
    carriers: { deliver: (wake) => Promise.resolve(carry(wake)), close() {} },
  };
}
