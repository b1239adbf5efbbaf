/** Hands the agent's reply to the hook that waits for it. */

import type { Reply } from "./delivery.ts";
import { writeAtomic } from "../files.ts";
import { record } from "../journal.ts";
import { type QueuedWake } from "../outbox.ts";
import { replyFile } from "../outbox_files.ts";
import type { Paths } from "../paths.ts";
import { messageOf } from "../process.ts";
import { awaitedIds, isAwaited } from "../reply_wait.ts";
import { runAfter } from "../time.ts";

const LOOK_EVERY_MS = 500;

/** Saves the reply for the hook; ends without one when the hook no longer waits. */
export async function saveReply(
  paths: Paths,
  wake: QueuedWake,
  coming: Promise<Reply>,
): Promise<void> {
  const guarded = coming.catch((error): Reply => ({ status: "failed", reason: messageOf(error) }));
  const about = { session: wake.session, agent_id: wake.agent_id, wake_id: wake.wake_id };
  let reply: Reply | undefined;
  while (reply === undefined) {
    reply = await orNothing(guarded, LOOK_EVERY_MS);
    if (!isAwaited(paths, wake.wake_id)) return;
  }
  try {
    write(paths, wake.wake_id, reply);
    record(paths, { kind: "answered", ...about, status: reply.status, reason: reply.reason });
  } catch (error) {
    const reason = `Cannot keep the agent's reply: ${messageOf(error)}`;
    record(paths, { kind: "problem", ...about, reason });
  }
}

/** The value, or nothing after the time limit. A real timer keeps the process alive. */
async function orNothing<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = runAfter(ms, () => late.resolve(undefined));
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    timer.cancel();
  }
}

/** Ends the waiting of hooks for a reply to these wakes, so that Claude goes on. */
export function endReplyWaits(paths: Paths, wakeIds: string[], why: string): void {
  const ids = new Set(wakeIds);
  try {
    for (const id of awaitedIds(paths).filter((id) => ids.has(id))) {
      write(paths, id, { status: "failed", reason: `the wake was not delivered: ${why}` });
    }
  } catch {
    // The disk is full: the hooks stop waiting at their time limit.
  }
}

function write(paths: Paths, wakeId: string, reply: Reply): void {
  writeAtomic(replyFile(paths, wakeId), JSON.stringify({ wake_id: wakeId, ...reply }));
}
