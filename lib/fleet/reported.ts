/** Whether something was reported, by the session's remembered wakes and its journal. */

import { textOf } from "../events.ts";
import type { Said } from "../noise.ts";
import type { SessionObservation } from "./observation.ts";

/** Clocks of events and of what they report differ a little. */
const NEAR_MS = 5000;

/**
 * Whether a wake with one of these triggers was made since then. A wake that is known to belong to
 * another turn does not count, even if the times are close.
 */
export function wasReported(
  { memory, journal, transcript }: SessionObservation,
  triggers: readonly string[],
  since: number,
  nearMs = NEAR_MS,
): boolean {
  const said = memory?.said ?? [];
  const isOther = ({ prompt_id }: Said) =>
    prompt_id !== "" && !!transcript?.promptId && prompt_id !== transcript.promptId;
  const others = new Set(said.filter(isOther).map(({ wake_id }) => wake_id));
  const isNew = (at: number) => at >= since - nearMs;
  return said.some((one) => triggers.includes(one.trigger) && isNew(one.at) && !isOther(one)) ||
    journal.some((line) =>
      (line.kind === "queued" || line.kind === "suppressed") &&
      triggers.includes(textOf(line, "trigger")) && isNew(Date.parse(textOf(line, "at"))) &&
      !others.has(textOf(line, "wake_id") || textOf(line, "of"))
    );
}

/** Our own driver pressed Esc, or said no to a request: the agent knows. */
export function wasOwnEsc({ journal, escapedAt }: SessionObservation, since: number): boolean {
  const isNear = (at: number) => at >= since - 2 * NEAR_MS;
  return isNear(escapedAt ?? -Infinity) ||
    journal.some((line) =>
      (line.kind === "decided" || line.kind === "answered") &&
      isNear(Date.parse(textOf(line, "at")))
    );
}

/** An event of this Claude Code has reached a hook of ours. */
export function hasHooks({ journal, memory, entry }: SessionObservation): boolean {
  const since = entry?.startedAt ?? 0;
  const ofWatch = new Set(watchWakes(journal).map((line) => textOf(line, "wake_id")));
  return (memory?.said.some(({ at, wake_id }) => at >= since && !ofWatch.has(wake_id)) ?? false) ||
    journal.some((line) =>
      line.source !== "watch" && textOf(line, "event") !== "" &&
      Date.parse(textOf(line, "at")) >= since
    );
}

function watchWakes(journal: SessionObservation["journal"]): Record<string, unknown>[] {
  return journal.filter((line) => line.kind === "queued" && line.source === "watch");
}

/** How many turns of this Claude Code the watch had to report. */
export function lateTurns({ journal, entry }: SessionObservation): number {
  return watchWakes(journal).filter((line) =>
    /^response_/.test(textOf(line, "trigger")) &&
    Date.parse(textOf(line, "at")) >= (entry?.startedAt ?? 0)
  ).length;
}

/**
 * The time from which the session's turns are reported: its launch, its first wake, or the watch's
 * first look at the conversation. Turns that ended before it are not reported.
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
