/** Waits until a condition is true; fails with a sentence when it is not. */

import { type Clock, realClock } from "../time.ts";

export interface UntilOptions {
  timeoutMs?: number;
  everyMs?: number;
  /** What is there instead, for the message of a failed wait. */
  present?: () => unknown;
  clock?: Clock;
  /** How many times longer the limit is, as it is now: a busy machine is slow. */
  slowness?: () => number;
}

export async function until<T>(
  what: string,
  look: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  options: UntilOptions = {},
): Promise<T> {
  const { timeoutMs = 120_000, everyMs = 50, clock = realClock, slowness = () => 1 } = options;
  const start = clock.now();
  let limitMs = timeoutMs;
  let trouble = "";
  while (true) {
    try {
      const found = await look();
      if (found !== undefined && found !== false && found !== null) return found;
      trouble = "";
    } catch (error) {
      trouble = `\nThe last look failed: ${error instanceof Error ? error.message : error}`;
    }
    if (clock.now() - start >= limitMs) limitMs = Math.max(limitMs, timeoutMs * slowness());
    if (clock.now() - start >= limitMs) {
      const present = options.present === undefined ? "" : `\nInstead: ${await shown(options)}`;
      throw new Error(`Waited ${Math.round(limitMs / 1000)} s for ${what}${trouble}${present}`);
    }
    await clock.sleep(everyMs);
  }
}

async function shown(options: UntilOptions): Promise<string> {
  const present = await options.present?.();
  return typeof present === "string" ? present : JSON.stringify(present, null, 1) ?? "nothing";
}
