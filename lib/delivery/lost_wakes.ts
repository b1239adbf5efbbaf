/**
 * Finds complete wakes that still have a temporary name: the writer was killed before the rename, or
 * a power cut has undone it.
 */

import { prepareGuards } from "../fence.ts";
import { isThere, namesIn, openRegular, removeIfThere } from "../files.ts";
import { record } from "../journal.ts";
import { readJournal } from "../journal_read.ts";
import { deadFile, outboxDir, type QueuedWake, wakeFile } from "../outbox.ts";
import { readWake } from "../outbox_files.ts";
import { later, type Paths, safeName } from "../paths.ts";

const FOUND_AGAIN =
  "found in the outbox as a temporary file: its hook was stopped, or the power failed";

/** The temporary name that `enqueue` gives a wake. */
const FIRST_NAME = /^([0-9A-HJKMNP-TV-Z]{26})\.json\.\d+-\d+\.tmp$/;

/** Renames them, so that they are delivered. Incomplete files are left to housekeeping. */
export async function recoverLost(paths: Paths, agentId: string, now: number): Promise<void> {
  const dir = outboxDir(paths, agentId);
  for (const name of namesIn(dir)) {
    const id = FIRST_NAME.exec(name)?.[1];
    if (id === undefined) continue;
    try {
      await recoverOne(paths, { agent_id: agentId, wake_id: id }, `${dir}/${name}`, now);
    } catch {
      // Already gone, or no permission: try the next one.
    }
  }
}

async function recoverOne(
  paths: Paths,
  about: Pick<QueuedWake, "agent_id" | "wake_id">,
  path: string,
  now: number,
): Promise<void> {
  const wake = readWake(path);
  if (wake?.wake_id !== about.wake_id) return;
  if (safeName(wake.agent_id) !== safeName(about.agent_id)) return;
  if (isBeingWritten(path)) return;
  if (isKnown(paths, wake)) return removeIfThere(path);
  Deno.renameSync(path, wakeFile(paths, about));
  await prepareGuards(); // the record has its text
  const { queuedRecord } = await loadWakes();
  record(paths, queuedRecord(wake, { reason: FOUND_AGAIN }), new Date(now));
}

function loadWakes(): Promise<typeof import("../new_wake.ts")> {
  return import(later("../new_wake.ts"));
}

/** The writer holds a lock on the file until it has renamed it. */
function isBeingWritten(path: string): boolean {
  const file = openRegular(path, { read: true });
  try {
    return !file.tryLockSync(true);
  } finally {
    file.close();
  }
}

/** The wake waits, is a dead letter, or was delivered under its final name. */
function isKnown(paths: Paths, wake: QueuedWake): boolean {
  if (isThere(wakeFile(paths, wake)) || isThere(deadFile(paths, wake))) return true;
  return readJournal(paths, wake.session)
    .some((line) => line.kind === "delivered" && line.wake_id === wake.wake_id);
}
