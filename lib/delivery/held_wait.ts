/** What a deliverer does when nothing may be sent: it ends, or waits for the end of a pause. */

import type { AgentOutbox } from "./agent_outbox.ts";
import type { QueueWorld } from "./agent_queue.ts";
import { isLockWanted } from "./handover.ts";
import { prepareGuards } from "../fence.ts";
import { dueHolds, nextDue, readHold } from "../doors/holds.ts";
import { readTextIfThere } from "../files.ts";
import { later, type Paths } from "../paths.ts";
import { endReplyWaits } from "./reply_files.ts";

const LOOK_EVERY_MS = 1000;

export interface HeldWait {
  agentId: string;
  outbox: AgentOutbox;
  /** Wait only for pauses that end before this time; 0: do not wait. */
  staysUntil: number;
  /** Called before it sleeps. */
  rest(): void;
}

/** Ends the holds whose time is over, then says whether there is something to send. */
export async function workOrEnd(
  { paths, now, sleep }: Pick<QueueWorld, "paths" | "now" | "sleep">,
  { agentId, outbox, staysUntil, rest }: HeldWait,
): Promise<"work" | "done" | "wanted"> {
  for (;;) {
    if (!outbox.isEmpty() && mayBeQuiet(paths, agentId)) {
      await prepareGuards();
      (await loadQuiet()).keepQuiet(paths, agentId, now());
    }
    if (dueHolds(paths, agentId, now()).length > 0) {
      await prepareGuards(); // the summary holds foreign text
      (await loadReleasing()).releaseDue(paths, agentId, now());
    }
    const held = await letHeldGo(paths, outbox);
    if (outbox.waiting().length > 0) return "work";
    if (held === 0) return "done";
    const due = nextDue(paths, agentId);
    if (due === undefined || due > staysUntil || now() > staysUntil) return "done";
    rest();
    await sleep(Math.max(1, Math.min(LOOK_EVERY_MS, due - now())));
    if (isLockWanted(paths, agentId)) return "wanted";
  }
}

/** Claude does not wait for the reply to a wake that is held. How many are held. */
export async function letHeldGo(paths: Paths, outbox: AgentOutbox): Promise<number> {
  const held = outbox.held();
  if (held.length > 0) {
    await prepareGuards();
    endReplyWaits(paths, held, "it is held by a pause, quiet hours or a person");
  }
  return held.length;
}

// Usually nothing is held: do not load what only a summary needs.
function loadReleasing(): Promise<typeof import("./release_holds.ts")> {
  return import(later("./release_holds.ts"));
}

/** Most registries have no quiet hours: their text alone shows it. */
function mayBeQuiet(paths: Paths, agentId: string): boolean {
  try {
    if (readHold(paths, "quiet", agentId) !== undefined) return true;
    return (readTextIfThere(paths.registry) ?? "").includes("quiet_hours");
  } catch {
    // Hold or registry cannot be read now: no quiet hours begin, and waiting wakes are sent.
    return false;
  }
}

function loadQuiet(): Promise<typeof import("./quiet_hours.ts")> {
  return import(later("./quiet_hours.ts"));
}
