/** Two drivers on one session take turns. */

import type { HeldLock } from "../doors/held_lock.ts";
import { holdUsableLock } from "../doors/usable_lock.ts";
import { safeName } from "../paths.ts";
import { type ActionResult, refused } from "./driver_context.ts";
import type { DriverWorld } from "./driver_world.ts";
import type { MenuOptions } from "./menu_order.ts";

/** Undefined while another driver works on the session. */
export function driverLock(
  { paths }: Pick<DriverWorld, "paths">,
  session: string,
): Promise<HeldLock | undefined> {
  return holdUsableLock(paths, `${paths.state}/locks/keys-${safeName(session)}`, { session });
}

/** Runs `work` once no other driver works on the session. */
export async function inTurn(
  world: DriverWorld,
  session: string,
  options: MenuOptions,
  work: () => Promise<ActionResult>,
): Promise<ActionResult> {
  const { clock } = world;
  const until = clock.now() + Math.max(options.waitMs, 1000);
  let lock: HeldLock | undefined;
  while ((lock = await driverLock(world, session)) === undefined) {
    if (clock.now() > until) return refused("another menu driver is at work on it");
    await clock.sleep(50);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
