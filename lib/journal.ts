/** What happened, one JSON line per record, a file per session. Readable while written. */

import { prepareForeign } from "./fence.ts";
import { appendLine, isThere, withLock } from "./files.ts";
import { type Paths, safeName } from "./paths.ts";
import { maskSecrets } from "./text.ts";

/** The life of a wake, and what went wrong beside it. */
export type RecordKind =
  | "queued"
  | "delivered"
  | "suppressed"
  | "failed"
  | "dead"
  | "answered"
  | "decided"
  | "instruction"
  | "prompt"
  | "session"
  | "step"
  | "problem";

/** docs/journal.md has all fields; lib/story/journal_schema.ts checks them. */
export interface JournalRecord {
  kind: RecordKind;
  session: string;
  agent_id?: string;
  wake_id?: string;
  trigger?: string;
  event?: string;
  reason?: string;
  duration_ms?: number;
  [more: string]: unknown;
}

/** A journal of this size becomes `.1`, the `.1` before it `.2`, and so on. */
const MAX_BYTES = 1_000_000;
export const MOST_OLD = 9;
/** The longest text of a record. Whole texts of wakes are in `texts/`. */
export const MOST_TEXT = 2000;
/** So much is masked. The end of it is never shown: a secret may be cut there. */
const MOST_MASKED = 20_000;
const LONGEST_SECRET = 4000;

export function journalFile(paths: Paths, session: string): string {
  return `${paths.state}/journal/${safeName(session)}.jsonl`;
}

/** Names and numbers that are ours, or Claude Code's: there is no secret in them. */
const PLAIN_FIELDS = [
  ...["at", "kind", "session", "agent_id", "wake_id", "of", "trigger", "event", "source", "via"],
  ...["question_id", "claude_session_id", "guest", "tool", "prompt_id", "by_kind", "action"],
  ...["outcome", "instruction_id"],
];

/** Such a one; or a name that says no more than its kind: `by: "keyboard"` is not a key. */
function isPlainField(name: string, { by, by_kind }: Record<string, unknown>): boolean {
  return PLAIN_FIELDS.includes(name) || (name === "by" && by === by_kind);
}

/** A text as a record may hold it: masked, then cut. */
function keptText(text: string): string {
  if (text.length <= MOST_MASKED) return cut(maskSecrets(text));
  const masked = maskSecrets(text.slice(0, MOST_MASKED));
  return cut(`${masked.slice(0, -LONGEST_SECRET)}…`);
}

function cut(text: string): string {
  return text.length <= MOST_TEXT ? text : `${text.slice(0, MOST_TEXT - 1).toWellFormed()}…`;
}

function masked(entry: Record<string, unknown>): Record<string, unknown> {
  // Names, too: an answer stands under the words of its question.
  const mask = (_: string, value: unknown) =>
    typeof value === "string"
      ? keptText(value)
      : typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [keptText(name), one]))
      : value;
  const fields = Object.entries(entry).filter(([, value]) => value !== undefined)
    .map(([name, value]) => [
      name,
      isPlainField(name, entry) ? value : JSON.parse(JSON.stringify(value, mask)),
    ]);
  return Object.fromEntries(fields);
}

/** Never throws: a journal that cannot be written must not stop the work that it records. */
export function record(paths: Paths, entry: JournalRecord, now = new Date()): void {
  const path = journalFile(paths, entry.session);
  try {
    const size = appendLine(path, JSON.stringify(masked({ at: now.toISOString(), ...entry })));
    if (size > MAX_BYTES) rotate(path);
  } catch {
    // Disk full or read-only: there is nowhere left to say so.
  }
}

/** The same in a hook, which loads the rules of masking only where a text may hold a secret. */
export async function note(
  paths: Paths,
  entry: JournalRecord,
  now = new Date(),
): Promise<void> {
  const texts = Object.entries(entry).filter(([name]) => !isPlainField(name, entry))
    .map(([, value]) => typeof value === "string" ? value : JSON.stringify(value))
    .map((text) => text?.slice(0, MOST_MASKED));
  try {
    await prepareForeign({ texts });
  } catch {
    // Then the record says that a text is not shown.
  }
  record(paths, entry, now);
}

// Under a lock and looked at again: two writers that both saw a full journal would otherwise
// put the new, nearly empty one in place of the old.
function rotate(path: string): void {
  withLock(`${path}.lock`, 0, () => {
    if (Deno.statSync(path).size <= MAX_BYTES) return;
    for (let number = MOST_OLD - 1; number > 0; number--) {
      const older = `${path}.${number}`;
      if (isThere(older)) Deno.renameSync(older, `${path}.${number + 1}`);
    }
    Deno.renameSync(path, `${path}.1`);
  });
}
