/** Judges a run: was each queued wake delivered once and in order? */

import type { Taken } from "../support/fake_gateway.ts";
import type { PlannedEvent } from "./plan.ts";

/** One event, as its hook ended. */
export interface Played {
  event: PlannedEvent;
  startedAt: number;
  isKilled: boolean;
  code: number;
  /** The wakes that the journal has as queued while this hook ran. */
  queued: string[];
  isSuppressed: boolean;
}

export interface Evidence {
  played: Played[];
  /** In the order in which the gateway started them. */
  taken: Taken[];
  /** Still in the outbox at the end. */
  waiting: string[];
  dead: string[];
  /** Withdrawn, with a journal record, because another wake says the same. */
  superseded: string[];
}

export interface Verdict {
  accepted: number;
  delivered: number;
  lost: Offence[];
  doubledByKey: Offence[];
  doubledByContent: Offence[];
  outOfOrder: Offence[];
  dead: string[];
  slowestMs: number;
}

export interface Offence {
  wakeId: string;
  why: string;
}

export function judgeRun(evidence: Evidence): Verdict {
  const { played, taken, dead } = evidence;
  const arrived = taken.map(({ key }) => wakeOf(key));
  const accepted = played.filter((one) => !one.isKilled && one.code === 0 && one.queued.length > 0);
  return {
    accepted: accepted.length,
    delivered: new Set(arrived).size,
    lost: [...lostWakes(evidence, new Set(arrived)), ...unheard(played)],
    doubledByKey: repeated(arrived).map((wakeId) => ({ wakeId, why: "begun more than once" })),
    doubledByContent: doubledContents(taken),
    outOfOrder: disorder(taken),
    dead,
    slowestMs: slowest(played, taken),
  };
}

export function isClean(verdict: Verdict): boolean {
  const { lost, doubledByKey, doubledByContent, outOfOrder, dead } = verdict;
  return [lost, doubledByKey, doubledByContent, outOfOrder, dead].every((list) =>
    list.length === 0
  );
}

function lostWakes({ played, waiting, dead, superseded }: Evidence, arrived: Set<string>) {
  const due = new Set([...played.flatMap(({ queued }) => queued), ...waiting]);
  // Dead letters are counted apart.
  const excused = new Set([...dead, ...superseded]);
  return [...due].filter((id) => !arrived.has(id) && !excused.has(id)).map((wakeId) => ({
    wakeId,
    why: waiting.includes(wakeId) ? "still in the outbox" : "gone, and not delivered",
  }));
}

/** A hook that was not killed has queued a wake, or journalled why not. */
function unheard(played: Played[]): Offence[] {
  return played.filter((one) => !one.isKilled && one.queued.length === 0 && !one.isSuppressed)
    .map(({ event, code }) => ({
      wakeId: "",
      why: `no wake of ${event.kind} ${event.marker} in ${event.session} (exit code ${code})`,
    }));
}

function doubledContents(taken: Taken[]): Offence[] {
  const wakesOf = new Map<string, Set<string>>();
  for (const { key, message } of taken) {
    const content = contentOf(message);
    if (content === undefined) continue;
    wakesOf.set(content, (wakesOf.get(content) ?? new Set()).add(wakeOf(key)));
  }
  return [...wakesOf].filter(([, wakes]) => wakes.size > 1).map(([content, wakes]) => ({
    wakeId: [...wakes][1]!,
    why: `${content} was delivered by ${[...wakes].join(" and ")}`,
  }));
}

/** Per session, by the time in the wake's id. Within one millisecond any order is right. */
function disorder(taken: Taken[]): Offence[] {
  const latest = new Map<string, string>();
  const offences: Offence[] = [];
  const seen = new Set<string>();
  for (const { key, session, message } of taken) {
    const id = wakeOf(key);
    if (seen.has(id)) continue; // duplicates are counted apart
    seen.add(id);
    const place = `${session} ${/^tmux_session_name: (.*)$/m.exec(message)?.[1] ?? ""}`;
    const last = latest.get(place);
    if (last !== undefined && madeAt(id) < madeAt(last)) {
      offences.push({ wakeId: id, why: `came after ${last}, which was made later` });
    } else latest.set(place, id);
  }
  return offences;
}

function slowest(played: Played[], taken: Taken[]): number {
  const began = new Map(played.map(({ event, startedAt }) => [keyOf(event), startedAt]));
  return Math.max(
    0,
    ...taken.map(({ message, at }) => at - (began.get(contentOf(message) ?? "") ?? at)),
  );
}

function repeated(ids: string[]): string[] {
  const seen = new Set<string>();
  return [...new Set(ids.filter((id) => seen.has(id) || !seen.add(id)))];
}

/** All keys of a wake begin with its id. */
export function wakeOf(key: string): string {
  return key.split("~")[0]!;
}

/** The first ten characters of a wake's id are its time. */
function madeAt(wakeId: string): string {
  return wakeId.slice(0, 10);
}

function keyOf({ trigger, marker }: PlannedEvent): string {
  return `${trigger} ${marker}`;
}

/** The event that a message is about: the kind of wake and the marker in its text. */
export function contentOf(message: string): string | undefined {
  const trigger = /^\[TRIGGER\]\n(?:.*\n)*?type: (\S+)/m.exec(message)?.[1];
  const marker = /soak-event-\d{6}/.exec(message)?.[0];
  return trigger === undefined || marker === undefined ? undefined : `${trigger} ${marker}`;
}
