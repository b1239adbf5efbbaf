/** The agent's reply on its way back to the hook that waits for it. */

import type { Reply } from "./delivery.ts";
import { writeAtomic } from "../files.ts";
import { record } from "../journal.ts";
import { type QueuedWake, replyFile } from "../outbox.ts";
import { type Paths } from "../paths.ts";
import { messageOf } from "../process.ts";

export async function saveReply(
  paths: Paths,
  wake: QueuedWake,
  coming: Promise<Reply>,
): Promise<void> {
  let reply: Reply;
  try {
    reply = await coming;
  } catch (error) {
    reply = { status: "failed", reason: messageOf(error) };
  }
  const about = { session: wake.session, agent_id: wake.agent_id, wake_id: wake.wake_id };
  try {
    writeAtomic(
      replyFile(paths, wake.wake_id),
      JSON.stringify({ wake_id: wake.wake_id, ...reply }),
    );
    record(paths, { kind: "answered", ...about, status: reply.status, reason: reply.reason });
  } catch (error) {
    const reason = `Cannot keep the agent's reply: ${messageOf(error)}`;
    record(paths, { kind: "problem", ...about, reason });
  }
}
