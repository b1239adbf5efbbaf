/** Whether somebody was told, by the wakes that a session remembers and its journal. */

import { textOf } from "../events.ts";
import type { SessionObservation } from "./observation.ts";

/** Clocks of events and of what they report differ a little. */
const NEAR_MS = 5000;

/** A wake of one of these triggers was made for the turn, or since then. */
export function wasTold(
  { memory, journal }: SessionObservation,
  triggers: readonly string[],
  since: number,
  nearMs = NEAR_MS,
): boolean {
  const isNew = (at: number) => at >= since - nearMs;
  return memory?.said.some((said) => triggers.includes(said.trigger) && isNew(said.at)) ||
    journal.some((line) =>
      (line.kind === "queued" || line.kind === "suppressed") &&
      triggers.includes(textOf(line, "trigger")) && isNew(Date.parse(textOf(line, "at")))
    );
}

/** Our own driver pressed Esc: the agent knows. */
export function wasOwnEsc({ journal }: SessionObservation, since: number): boolean {
  return journal.some((line) =>
    line.event === "esc" && Date.parse(textOf(line, "at")) >= since - 2 * NEAR_MS
  );
}

/**
 * From when on the session's turns are ours to tell: its launch, the first wake of it, or the
 * watch's first look at the conversation. What ended before that is nobody's news.
 */
export function ourSince(
  { launch, memory }: SessionObservation,
  firstLook: number | undefined,
): number {
  const times = [
    Date.parse(launch?.started_at ?? ""),
    ...(memory?.said.map(({ at }) => at) ?? []),
    firstLook ?? NaN,
  ].filter((time) => !Number.isNaN(time));
  return times.length === 0 ? Infinity : Math.min(...times);
}
