/** What delivery writes into the journal. */

import { record } from "../journal.ts";
import type { QueuedWake } from "../outbox.ts";
import type { Paths } from "../paths.ts";

export function noteDelivered(
  paths: Paths,
  wake: QueuedWake,
  now: number,
  more: { transport?: string; why: string; detail: string },
): void {
  record(paths, {
    kind: "delivered",
    ...aboutOf(wake),
    ...more,
    tries: (wake.attempts?.count ?? 0) + 1,
    duration_ms: Math.max(0, now - Date.parse(wake.created_at)),
  }, new Date(now));
}

export function noteTrouble(
  paths: Paths,
  kind: "failed" | "dead" | "problem",
  wake: QueuedWake,
  now: number,
  reason: string,
): void {
  const tries = wake.attempts?.count ?? 0;
  record(paths, { kind, ...aboutOf(wake), tries, reason }, new Date(now));
}

/** Recorded before the guards of foreign text are loaded, so nothing in it may look like a secret. */
export const SENT_INSTEAD = "the end of this turn waited too and is sent instead";

export function noteSuppressed(paths: Paths, wake: QueuedWake, now: number, of: string): void {
  record(paths, { kind: "suppressed", ...aboutOf(wake), reason: SENT_INSTEAD, of }, new Date(now));
}

function aboutOf({ session, agent_id, wake_id, trigger }: QueuedWake) {
  return { session, agent_id, wake_id, trigger };
}
