/** A wake for the outbox: its text, its id and its receiver. */

import { writeAtomic } from "./files.ts";
import { messageOf } from "./json.ts";
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
  /** How long a hook waits for the reply, in seconds. */
  waitS?: number;
  promptId?: string;
  /** For tests: the id of the fence is random by default. */
  fenceId?: () => string;
}

export function newWake(
  paths: Paths,
  to: Receiver,
  session: string,
  draft: WakeDraft,
  { wakeId, now, waitS = 0, promptId = "", fenceId }: WakeMaking,
): QueuedWake {
  const wholeTextFile = `${paths.state}/content/${wakeId}.txt`;
  const timestamp = now.toISOString().replace(/\.\d+Z$/, "Z");
  const identity = {
    agent_id: to.agent_id,
    tmux_session_name: session,
    timestamp,
    wake_id: wakeId,
  };
  const { maxChars } = to;
  const first = renderWake(identity, draft, { maxChars, wholeTextFile, fenceId });
  let { message } = first;
  try {
    if (first.wholeText !== undefined) {
      writeAtomic(wholeTextFile, first.wholeText, { durable: true });
    }
  } catch (error) {
    // The shortened text goes out all the same.
    const details = { ...draft.details, whole_text: `could not be kept (${messageOf(error)})` };
    message = renderWake(identity, { ...draft, details }, { maxChars, fenceId }).message;
  }
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
    expects_reply: waitS > 0,
    ...(waitS > 0 ? { reply_until: new Date(now.getTime() + waitS * 1000).toISOString() } : {}),
    ...(promptId === "" ? {} : { prompt_id: promptId }),
  };
}

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A ULID: 48 bits of time, then 80 random bits, without letters that look like digits. */
export function newWakeId(now: number): string {
  let time = "";
  for (let rest = now, i = 0; i < 10; i++) {
    time = ALPHABET[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  return time + randomLetters(16);
}

/** Five random bits each. */
export function randomLetters(count: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(count));
  return Array.from(bytes, (byte) => ALPHABET[byte % 32]).join("");
}
