/** Waits until a condition is true; fails with a sentence when it is not. */

import { type Clock, realClock } from "../time.ts";

export interface UntilOptions {
  timeoutMs?: number;
  everyMs?: number;
  /** What is there instead, for the message of a failed wait. */
  present?: () => unknown;
  clock?: Clock;
}

export async function until<T>(
  what: string,
  look: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  options: UntilOptions = {},
): Promise<T> {
  const { timeoutMs = 120_000, everyMs = 50, clock = realClock } = options;
  const end = clock.now() + timeoutMs;
  let trouble = "";
  while (true) {
    try {
      const found = await look();
      if (found !== undefined && found !== false && found !== null) return found;
      trouble = "";
    } catch (error) {
      trouble = `\nThe last look failed: ${error instanceof Error ? error.message : error}`;
    }
    if (clock.now() >= end) {
      const present = options.present === undefined ? "" : `\nInstead: ${await shown(options)}`;
      throw new Error(`Waited ${timeoutMs / 1000} s for ${what}${trouble}${present}`);
    }
    await clock.sleep(everyMs);
  }
}

async function shown(options: UntilOptions): Promise<string> {
  const present = await options.present?.();
  return typeof present === "string" ? present : JSON.stringify(present, null, 1) ?? "nothing";
}
