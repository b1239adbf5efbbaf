/** What earlier tries have shown of the gateway, also those of other deliverers. */

import { readTextIfThere, writeAtomic } from "../files.ts";
import type { Paths } from "../paths.ts";

export interface Reach {
  /** When the gateway last could not be reached. */
  failedAt: number;
  /** When it last took very long for an answer, or has refused or dropped a wake. */
  unsteadyAt: number;
  /** Lets later deliverers know. */
  share?(unsteadyAt: number): void;
}

export function newReach(): Reach {
  return { failedAt: -Infinity, unsteadyAt: -Infinity };
}

/**
 * A deliverer lives for one burst of wakes: the next one must know that the gateway was unsteady.
 * `own`: what this one has seen so far.
 */
export function sharedReach(paths: Paths, now: number, own = newReach()): Reach {
  const file = `${paths.state}/locks/gateway-unsteady`;
  return {
    failedAt: own.failedAt,
    unsteadyAt: Math.max(own.unsteadyAt, lastShared(file, now)),
    share(unsteadyAt) {
      try {
        writeAtomic(file, String(unsteadyAt));
      } catch {
        // Only this deliverer knows then.
      }
    },
  };
}

function lastShared(file: string, now: number): number {
  try {
    const at = Number(readTextIfThere(file) ?? NaN);
    return at <= now ? at : -Infinity; // a clock that was set back says nothing
  } catch {
    return -Infinity;
  }
}
