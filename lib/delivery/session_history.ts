/** What an OpenClaw session's history says about a wake. */

import { isObject } from "../json.ts";

/** "pending": the gateway has it queued, and may still drop it; "read": it is in the conversation. */
export function placeOfWake(
  history: Record<string, unknown>,
  wakeId: string,
): "read" | "pending" | undefined {
  const isOurs = (key: unknown) => typeof key === "string" && isKeyOf(key, wakeId);
  const isRead = objectsOf(history.messages).some((entry) =>
    entry.role === "user" && (isOurs(entry.idempotencyKey) || isUserTextOf(entry, wakeId))
  );
  if (isRead) return "read";
  const pending = isObject(history.pendingInputs) ? objectsOf(history.pendingInputs.items) : [];
  return pending.some((item) => isOurs(item.runId) && !NEVER_RUN.includes(String(item.state)))
    ? "pending"
    : undefined;
}

/** What a restart, or a person who stops the agent, leaves in the list: the wake is sent again. */
const NEVER_RUN = ["interrupted", "cancelled"];

function objectsOf(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** 2026.2 keeps no key, but the wake's first lines hold its id. */
function isUserTextOf(entry: Record<string, unknown>, wakeId: string): boolean {
  return entry.role === "user" && textsOf(entry.content).includes(`\nwake_id: ${wakeId}\n`);
}

function textsOf(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsOf(content).map((part) => typeof part.text === "string" ? part.text : "")
    .join("\n");
}

/** The agent's reply to a wake, from the session's history: 2026.2 has it nowhere else. */
export function replyInHistory(history: Record<string, unknown>, wakeId: string): string {
  const messages = objectsOf(history.messages);
  const asked = messages.findLastIndex((entry) => isUserTextOf(entry, wakeId));
  if (asked === -1) return "";
  const after = messages.slice(asked + 1);
  const next = after.findIndex((entry) => entry.role === "user");
  const answers = next === -1 ? after : after.slice(0, next);
  return textsOf(answers.findLast((entry) => entry.role === "assistant")?.content);
}

/** `<wake>`, `<wake>~2`, and either with the `:user` that OpenClaw adds. */
function isKeyOf(key: string, wakeId: string): boolean {
  return key.startsWith(wakeId) && /^(~\d+)?(:\w+)?$/.test(key.slice(wakeId.length));
}
