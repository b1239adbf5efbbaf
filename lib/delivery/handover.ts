/** Lets a person or a timer take over from a deliverer that sleeps between tries. */

import { createNew, isThere, removeIfThere } from "../files.ts";
import { type Paths, safeName } from "../paths.ts";

function mark(paths: Paths, agentId: string): string {
  return `${paths.state}/locks/wanted-${safeName(agentId)}`;
}

/** Asks for the agent's lock. */
export function askForLock(paths: Paths, agentId: string): void {
  createNew(mark(paths, agentId), "");
}

export function isLockWanted(paths: Paths, agentId: string): boolean {
  return isThere(mark(paths, agentId));
}

/** Called by the process that got the lock, or when no process came for it. */
export function endAsking(paths: Paths, agentId: string): void {
  try {
    removeIfThere(mark(paths, agentId));
  } catch {
    // Harmless: the next deliverer waits once without need.
  }
}
