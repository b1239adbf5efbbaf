/** What happened, one JSON line per record, a file per session. Readable while written. */

import { appendLine } from "./files.ts";
import { type Paths, safeName } from "./paths.ts";

/** The life of a wake, and what went wrong beside it. */
export type RecordKind =
  | "queued"
  | "delivered"
  | "suppressed"
  | "failed"
  | "dead"
  | "answered"
  | "decided"
  | "session"
  | "problem";

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

/** Beyond this a journal becomes its own `.1`, and the one before that goes. */
const MAX_BYTES = 1_000_000;

export function journalFile(paths: Paths, session: string): string {
  return `${paths.state}/journal/${safeName(session)}.jsonl`;
}

/** Never throws: a journal that cannot be written must not stop what it tells about. */
export function record(paths: Paths, entry: JournalRecord, now = new Date()): void {
  const path = journalFile(paths, entry.session);
  try {
    appendLine(path, JSON.stringify({ at: now.toISOString(), ...entry }));
    if (Deno.statSync(path).size > MAX_BYTES) Deno.renameSync(path, `${path}.1`);
  } catch {
    // Disk full or read-only: there is nowhere left to say so.
  }
}

/** The records of one session, oldest first; a line that is half written is passed over. */
export function* readJournal(paths: Paths, session: string): Generator<Record<string, unknown>> {
  const path = journalFile(paths, session);
  for (const file of [`${path}.1`, path]) {
    let text: string;
    try {
      text = Deno.readTextFileSync(file);
    } catch {
      continue;
    }
    for (const line of text.split("\n")) {
      try {
        if (line !== "") yield JSON.parse(line);
      } catch {
        // Half a line: its writer was stopped, or is just writing it.
      }
    }
  }
}
