/** A wake says what was true when it was made. Before it is sent, what has changed since is told. */

import type { QueuedWake } from "../outbox.ts";
import type { Paths } from "../paths.ts";
import { isAwaited } from "../reply_wait.ts";
import { MINUTE, SECOND } from "./delivery.ts";

export function asOfNow(wake: QueuedWake, paths: Paths, now: number): QueuedWake {
  const expects_reply = wake.expects_reply && isAwaited(paths, wake.wake_id);
  const delayMs = now - Date.parse(wake.created_at);
  const replyMs = expects_reply ? Date.parse(wake.reply_until ?? "") - now : undefined;
  const message = messageNow(wake.message, { delayMs, replyMs });
  return { ...wake, expects_reply, message };
}

export interface Now {
  /** How long the wake has waited. */
  delayMs: number;
  /** How long a hook still waits for the reply, where it does; NaN where nobody knows. */
  replyMs?: number | undefined;
}

const HEADER = "[TRIGGER]";
const LATE_MS = 5 * SECOND;

/** The message with `[TRIGGER]` as it is true now; everything else stays as it is. */
export function messageNow(message: string, { delayMs, replyMs }: Now): string {
  const lines = message.split("\n");
  const start = lines.indexOf(HEADER);
  const length = start === -1 ? -1 : lines.slice(start).indexOf("");
  if (length === -1) return message;
  const fields = lines.slice(start, start + length).flatMap((line) => {
    if (line.startsWith("delayed: ")) return [];
    return line.startsWith("reply_expected: ") ? replyLine(line, delayMs, replyMs) : [line];
  });
  if (delayMs >= MINUTE) fields.push(`delayed: ${span(delayMs)}`);
  return lines.toSpliced(start, length, ...fields).join("\n");
}

/** The wake says how long the hook waits from the event on; a late reader has less time. */
function replyLine(line: string, delayMs: number, replyMs: number | undefined): string[] {
  if (replyMs === undefined) return [];
  const isLate = delayMs >= LATE_MS && !Number.isNaN(replyMs);
  return [isLate ? `reply_expected: within ${Math.max(1, Math.floor(replyMs / SECOND))} s` : line];
}

function span(ms: number): string {
  const minutes = Math.floor(ms / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? "" : ` ${rest} min`}`;
}
