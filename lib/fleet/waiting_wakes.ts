/** Wakes that wait though they could be delivered: their deliverer is started. */

import type { World } from "../cli/world.ts";
import { pauseAfter } from "../delivery/delivery.ts";
import type { GatewayState } from "../delivery/gateway_up.ts";
import { isHeld } from "../doors/held_lock.ts";
import { endOf, holdsOn, listHolds } from "../doors/holds.ts";
import { outboxDir, type QueuedWake, wakeFile } from "../outbox.ts";
import { agentsIn, readWake, waitingIds } from "../outbox_files.ts";
import { namesIn } from "../files.ts";
import { type Paths, safeName } from "../paths.ts";
import { deliver } from "../sessions/recovery_wake.ts";

/** The process that writes a wake starts its deliverer within this time. */
const YOUNG_MS = 15_000;
/** How often one is started for the same agent. */
const EVERY_MS = 60_000;
/** How long a wake waits after a try whose deliverer has ended. */
const MOST_PAUSE_MS = 30_000;

export class WaitingWakes {
  readonly #started = new Map<string, number>();

  constructor(
    private readonly world: World,
    private readonly gateway: () => Promise<GatewayState>,
  ) {}

  /** The agents for which a deliverer was started. */
  async send(): Promise<string[]> {
    const { paths } = this.world;
    const now = this.world.now().getTime();
    const due = agents(paths).filter((id) =>
      Math.abs(now - (this.#started.get(id) ?? 0)) >= EVERY_MS && isDueIfReadable(paths, id, now) &&
      !isHeld(`${paths.state}/locks/deliver-${safeName(id)}.lock`)
    );
    // Where it is not set up, the deliverer has other ways.
    if (due.length === 0 || await this.gateway() === "down") return [];
    for (const id of due) {
      this.#started.set(id, now);
      deliver(this.world, id, id);
    }
    return due;
  }
}

// The reader of the fleet reports what cannot be listed; a deliverer could not send it either.
function agents(paths: Paths): string[] {
  try {
    return agentsIn(paths, "outbox");
  } catch {
    return [];
  }
}

function isDueIfReadable(paths: Paths, agentId: string, now: number): boolean {
  try {
    return isDue(paths, agentId, now);
  } catch {
    return false;
  }
}

function isDue(paths: Paths, agent_id: string, now: number): boolean {
  const ids = waitingIds(paths, agent_id);
  const read = (wake_id: string) => readWake(wakeFile(paths, { agent_id, wake_id }));
  const holds = listHolds(paths).filter((hold) => (endOf(hold) ?? Infinity) > now);
  // A deliverer could not send wakes that a pause or quiet hours hold.
  const isFree = (wake: QueuedWake | undefined) =>
    wake === undefined || holdsOn(holds, wake).length === 0;
  const id = holds.length === 0 ? ids[0] : ids.find((one) => isFree(read(one)));
  if (id === undefined && ids.length > 0) return false;
  const first = id === undefined ? undefined : read(id);
  if (first === undefined) {
    // A file that is no wake, or one that was half written when its hook was killed.
    return namesIn(outboxDir(paths, agent_id)).length > 0;
  }
  const { attempts, created_at } = first;
  // Where the clock was set back, these times are to come.
  const hasWaited = (since: number, ms: number) => Math.abs(now - since) >= ms;
  if (attempts === undefined) return hasWaited(Date.parse(created_at), YOUNG_MS);
  // Its deliverer has ended, so none notices that the gateway is back: shorten the long pause.
  const pause = pauseAfter(attempts.count);
  return hasWaited(Date.parse(attempts.next_at) - pause, Math.min(pause, MOST_PAUSE_MS));
}
