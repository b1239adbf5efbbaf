/** A wake says what was true when it was made. Before it is sent, what has changed since is told. */

import type { QueuedWake } from "../outbox.ts";
import type { Paths } from "../paths.ts";
import { isAwaited } from "../reply_wait.ts";
import { MINUTE } from "./delivery.ts";

export function asOfNow(wake: QueuedWake, paths: Paths, now: number): QueuedWake {
  const expects_reply = wake.expects_reply && isAwaited(paths, wake.wake_id);
  const delayMs = now - Date.parse(wake.created_at);
  const message = messageNow(wake.message, { delayMs, isAwaited: expects_reply });
  return { ...wake, expects_reply, message };
}

export interface Now {
  /** How long the wake has waited. */
  delayMs: number;
  /** Whether a hook still waits for the reply. */
  isAwaited: boolean;
}

const HEADER = "[TRIGGER]";

/** The message with `[TRIGGER]` as it is true now; everything else stays as it is. */
export function messageNow(message: string, { delayMs, isAwaited }: Now): string {
  const lines = message.split("\n");
  const start = lines.indexOf(HEADER);
  const length = start === -1 ? -1 : lines.slice(start).indexOf("");
  if (length === -1) return message;
  const fields = lines.slice(start, start + length).filter((line) =>
    !line.startsWith("delayed: ") && (isAwaited || !line.startsWith("reply_expected: "))
  );
  if (delayMs >= MINUTE) fields.push(`delayed: ${span(delayMs)}`);
  return lines.toSpliced(start, length, ...fields).join("\n");
}

function span(ms: number): string {
  const minutes = Math.floor(ms / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? "" : ` ${rest} min`}`;
}
