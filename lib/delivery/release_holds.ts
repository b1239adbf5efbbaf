/**
 * Ends the holds whose time is over: the wakes that waited become one. Only the deliverer of the agent
 * does it, under the agent's lock. A kill at any moment neither loses nor doubles a wake: the plan is
 * written first, then the summary, then the wakes are removed, and the hold goes last.
 */

import { dueHolds, type Hold, holdsOn, isOfAgent, removeHold, writeHold } from "../doors/holds.ts";
import { isThere, readTextIfThere, removeIfThere } from "../files.ts";
import { record } from "../journal.ts";
import { readJournal } from "../journal_read.ts";
import { messageOf } from "../json.ts";
import { newWakeId, queuedRecord, type Receiver, receiverOf } from "../new_wake.ts";
import { enqueue, type QueuedWake, wakeFile } from "../outbox.ts";
import { readWake, waitingIds } from "../outbox_files.ts";
import type { Paths } from "../paths.ts";
import { DEFAULT_SETTINGS, findAgent, readRegistry } from "../registry.ts";
import { summaryOf } from "./held_summary.ts";

export function releaseDue(paths: Paths, agentId: string, now: number): void {
  for (const hold of dueHolds(paths, agentId, now)) {
    try {
      release(paths, hold, now);
    } catch (error) {
      // The disk is full: held wakes wait for the next try, and the others are delivered.
      const session = isOfAgent(hold.kind) ? agentId : hold.name;
      const reason = `Cannot send what was held: ${messageOf(error)}`;
      record(paths, { kind: "problem", session, agent_id: agentId, reason });
    }
  }
}

function release(paths: Paths, hold: Hold, now: number): void {
  const planned = hold.release === undefined
    ? { ...hold, release: planOf(paths, hold, now) }
    : hold;
  if (planned !== hold) writeHold(paths, planned);
  const { agent_id } = hold;
  const summaries = Object.entries(planned.release!.summaries);
  for (const [session, { wake_id, of }] of summaries) {
    const held = of.flatMap((id) => readWake(wakeFile(paths, { agent_id, wake_id: id })) ?? []);
    if (!isThere(wakeFile(paths, { agent_id, wake_id }))) {
      const to = receiverFor(paths, hold, session, held.at(-1));
      if (to === undefined) continue; // the wakes go out as they are
      const records = readJournal(paths, session);
      const about = { hold, session, wakes: held, records, wakeId: wake_id, now: new Date(now) };
      const wake = summaryOf(paths, to, about);
      enqueue(paths, wake);
      record(paths, queuedRecord(wake));
    }
    for (const { wake_id: id, trigger } of held) {
      removeIfThere(wakeFile(paths, { agent_id, wake_id: id }));
      const reason = "it was held, and is part of a summary";
      const about = { session, agent_id, wake_id: id, trigger };
      record(paths, { kind: "suppressed", ...about, reason, of: wake_id });
    }
  }
  removeHold(paths, hold);
  const session = isOfAgent(hold.kind) ? agent_id : hold.name;
  const ends = { taken: "given back", quiet: "quiet hours have ended" };
  const reason = hold.kind in ends ? ends[hold.kind as keyof typeof ends] : "resumed";
  const said = hold.said ? { text: hold.said } : {};
  record(paths, { kind: "session", session, agent_id, reason, ...said });
}

/** One summary for each session; for one that was taken also where nothing happened. */
function planOf(paths: Paths, hold: Hold, now: number): NonNullable<Hold["release"]> {
  const { agent_id, kind, name } = hold;
  const bySession = new Map<string, string[]>(kind === "taken" ? [[name, []]] : []);
  for (const wake_id of waitingIds(paths, agent_id)) {
    const wake = readWake(wakeFile(paths, { agent_id, wake_id }));
    if (wake === undefined || holdsOn([hold], wake).length === 0) continue;
    bySession.set(wake.session, [...bySession.get(wake.session) ?? [], wake_id]);
  }
  const summaries = Array.from(
    bySession,
    ([session, of]) => [session, { wake_id: newWakeId(now), of }] as const,
  );
  return { at: new Date(now).toISOString(), summaries: Object.fromEntries(summaries) };
}

/** The receiver in today's registry, else that of the last wake. */
function receiverFor(
  paths: Paths,
  { agent_id }: Hold,
  session: string,
  last: QueuedWake | undefined,
): Receiver | undefined {
  const { max_content_chars: maxChars } = DEFAULT_SETTINGS;
  try {
    const reading = readRegistry(readTextIfThere(paths.registry) ?? "");
    const match = reading.kind === "registry"
      ? findAgent(reading.registry, session, agent_id)
      : undefined;
    if (match?.kind === "agent" && match.agent.agent_id === agent_id) {
      return receiverOf(match.agent);
    }
  } catch {
    // The registry cannot be read.
  }
  return last === undefined ? undefined : { ...last, maxChars };
}
