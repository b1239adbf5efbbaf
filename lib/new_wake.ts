/** A wake as it goes into the outbox: rendered, and with its whole text in a file where it is cut. */

import { writeAtomic } from "./files.ts";
import type { QueuedWake } from "./outbox.ts";
import type { Paths } from "./paths.ts";
import type { Agent, Transport } from "./registry.ts";
import { renderWake, type WakeDraft } from "./wake.ts";

export interface Receiver {
  agent_id: string;
  transport: Transport;
  openclaw_session_key: string;
  openclaw_session_id: string;
  maxChars: number;
}

export function receiverOf(agent: Agent): Receiver {
  return { ...agent, maxChars: agent.settings.max_content_chars };
}

export interface WakeMaking {
  wakeId: string;
  now: Date;
  expectsReply?: boolean;
}

export function newWake(
  paths: Paths,
  to: Receiver,
  session: string,
  draft: WakeDraft,
  { wakeId, now, expectsReply = false }: WakeMaking,
): QueuedWake {
  const wholeTextFile = `${paths.state}/content/${wakeId}.txt`;
  const timestamp = now.toISOString().replace(/\.\d+Z$/, "Z");
  const { message, wholeText } = renderWake(
    { agent_id: to.agent_id, tmux_session_name: session, timestamp, wake_id: wakeId },
    draft,
    { maxChars: to.maxChars, wholeTextFile },
  );
  if (wholeText !== undefined) writeAtomic(wholeTextFile, wholeText);
  return {
    wake_id: wakeId,
    agent_id: to.agent_id,
    session,
    trigger: draft.trigger,
    created_at: now.toISOString(),
    transport: to.transport,
    openclaw_session_key: to.openclaw_session_key,
    openclaw_session_id: to.openclaw_session_id,
    message,
    expects_reply: expectsReply,
  };
}

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A ULID: 48 bits of time, then 80 random bits, in an alphabet nobody misreads. */
export function newWakeId(now: number): string {
  let time = "";
  for (let rest = now, i = 0; i < 10; i++) {
    time = ALPHABET[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  return time + Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => ALPHABET[b % 32])
    .join("");
}
