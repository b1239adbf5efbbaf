/** Waits for a line that Claude Code writes while the hook of its event runs already. */

import { isFile, sleepSync } from "./files.ts";
import { linesFromEnd } from "./lines_from_end.ts";
import type { Line } from "./transcript.ts";

/**
 * A last line was seen up to 107 ms late on an idle machine. On a busy one everything is late, the
 * start of this process as well: so the limit grows with the time since that start.
 */
const LEAST_WAIT_MS = 500;
const MOST_WAIT_MS = 3000;
const WAIT_PER_START = 5;
const LOOK_EVERY_MS = 5;
/** How far back a transcript is read: what is looked for lies at its end. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Time, so that a test can be quick and exact about it. */
export interface BlockingClock {
  /** Milliseconds since the process started. */
  now(): number;
  sleep(ms: number): void;
}

const REAL_CLOCK: BlockingClock = { now: () => performance.now(), sleep: sleepSync };

/** What `read` makes of a transcript's lines, the last first; undefined where there is none. */
export function fromEnd<T>(path: string, read: (lines: Iterable<Line>) => T): T | undefined {
  try {
    return path === "" || !isFile(path) ? undefined : read(linesFromEnd(path, MOST_BYTES));
  } catch {
    return undefined;
  }
}

/**
 * Reads until it is all there, again only when the file has grown, and what was read last when the
 * time is up. `restMs`: the file must not have grown for so long. Without a file nothing is waited
 * for.
 */
export function waitForLine<T>(
  path: string,
  read: (lines: Iterable<Line>) => T,
  isWhole: (value: T) => boolean,
  { restMs = 0, clock = REAL_CLOCK }: { restMs?: number; clock?: BlockingClock | undefined } = {},
): T | undefined {
  const until = clock.now() + patience(clock.now());
  while (true) {
    const size = sizeOf(path);
    const value = fromEnd(path, read);
    if (value === undefined) return undefined;
    const whole = isWhole(value);
    if (whole && restMs === 0) return value;
    do {
      if (clock.now() >= until) return value;
      clock.sleep(whole ? restMs : LOOK_EVERY_MS);
      if (whole && sizeOf(path) === size) return value;
    } while (sizeOf(path) === size);
  }
}

function patience(startMs: number): number {
  return Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, WAIT_PER_START * startMs));
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return -1;
  }
}
