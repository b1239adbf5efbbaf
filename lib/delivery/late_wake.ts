/** Brings a wake that waited up to date before it is sent. */

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
  /** How long a hook still waits for the reply, if one does; NaN when that is unknown. */
  replyMs?: number | undefined;
}

const HEADER = "[TRIGGER]";
const LATE_MS = 5 * SECOND;

/** The message with an updated `[TRIGGER]`; everything else is unchanged. */
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

/** The wake counts the hook's waiting time from the event on; a late reader has less. */
function replyLine(line: string, delayMs: number, replyMs: number | undefined): string[] {
  if (replyMs === undefined) return [];
  const isLate = delayMs >= LATE_MS && !Number.isNaN(replyMs);
  return [isLate ? `reply_expected: within ${Math.max(1, Math.floor(replyMs / SECOND))} s` : line];
}

export function span(ms: number): string {
  const minutes = Math.floor(ms / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? "" : ` ${rest} min`}`;
}
