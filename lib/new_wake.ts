/** A wake for the outbox: its text, its id and its receiver; and the journal's record of it. */

import { writeAtomic } from "./files.ts";
import { type JournalRecord, MOST_TEXT } from "./journal.ts";
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
    // The shortened text is still sent.
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

/** When a wake was made, by its id. */
export function timeOfWake(id = ""): string | undefined {
  if (!/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id)) return undefined;
  const ms = Array.from(id.slice(0, 10)).reduce((sum, at) => sum * 32 + ALPHABET.indexOf(at), 0);
  return new Date(ms).toISOString();
}

/** Five random bits each. */
export function randomLetters(count: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(count));
  return Array.from(bytes, (byte) => ALPHABET[byte % 32]).join("");
}

export interface WakeFacts {
  event?: string;
  source?: string;
  prompt_id?: string;
  question_id?: string;
  /** Why a turn failed, in one word. */
  failure?: string;
  prompted_by?: string;
  /** The first words of the body, which may stand behind others. */
  begins?: string;
  duration_ms?: number;
  cost_usd?: number;
  total_usd?: number;
  turn_ms?: number;
  limit?: { kind: string; resets_at?: string };
  reason?: string;
}

/** A wake for the agent, with its text. Its delivery is another record. */
export function queuedRecord(
  wake: QueuedWake,
  { begins, ...facts }: WakeFacts = {},
): JournalRecord {
  const { session, agent_id, wake_id, trigger } = wake;
  const about = { session, agent_id, trigger, wake_id };
  const text = shownIn(wake.message, begins);
  // It is masked already, so it can be cut before it is masked again.
  const kept = { ...textFields(text), ...(text === "" ? {} : { text: text.slice(0, MOST_TEXT) }) };
  return { kind: "queued", ...about, ...facts, ...kept };
}

/** Of a long text the record has the beginning and the length. */
export function textFields(text: string | undefined): { text?: string; text_chars?: number } {
  if (text === undefined || text === "") return {};
  return text.length > MOST_TEXT ? { text, text_chars: text.length } : { text };
}

/** What stands in the fence of a wake, from its body on. */
export function shownIn(message: string, begins = ""): string {
  const start = message.indexOf("\n", message.indexOf("<<<EXTERNAL_UNTRUSTED_CONTENT id="));
  const end = message.lastIndexOf("\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id=");
  if (start === -1 || end <= start) return "";
  const shown = message.slice(start + 1, end);
  const [line = ""] = begins.trim().split("\n", 1);
  const body = line === "" ? -1 : shown.indexOf(line);
  return body === -1 ? shown : shown.slice(body);
}
