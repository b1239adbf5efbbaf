/** Wakes that wait for delivery: one file each, complete from the start. */

import { createNew, isFolder, isThere, removeIfThere, writeAtomic } from "./files.ts";
import { type Paths, safeName } from "./paths.ts";
import type { Transport } from "./registry.ts";

export interface QueuedWake {
  wake_id: string;
  agent_id: string;
  session: string;
  trigger: string;
  created_at: string;
  transport: Transport;
  openclaw_session_key: string;
  openclaw_session_id: string;
  message: string;
  /** A hook is waiting: the agent's reply goes to `replies/<wake_id>.json`. */
  expects_reply: boolean;
  /** How long it waits at the most. */
  reply_until?: string;
  /** The turn of the event; absent where no part may be left out as sent before. */
  prompt_id?: string;
  /** Kept by the deliverer, which alone writes a wake again. */
  attempts?: {
    count: number;
    next_at: string;
    last_error: string;
    /** The idempotency key of the last try, where it is no longer the wake id. */
    key?: string;
    /** When it was taken out of the dead letters: its day begins again. */
    requeued_at?: string;
  };
}

/** The triggers after which nothing more is said in a turn. */
export const TURN_ENDS = [
  ...["response_complete", "response_failed", "interrupted"],
  ...["queue_done", "queue_paused"],
];

export function outboxDir(paths: Paths, agentId: string): string {
  return `${paths.state}/outbox/${safeName(agentId)}`;
}

export function wakeFile(paths: Paths, wake: Pick<QueuedWake, "agent_id" | "wake_id">): string {
  return `${outboxDir(paths, wake.agent_id)}/${wake.wake_id}.json`;
}

export function deadFile(paths: Paths, wake: Pick<QueuedWake, "agent_id" | "wake_id">): string {
  return `${paths.state}/dead/${safeName(wake.agent_id)}/${wake.wake_id}.json`;
}

/** Where a file goes that is in the outbox and cannot be read as a wake. */
export function asideFile(paths: Paths, wake: Pick<QueuedWake, "agent_id" | "wake_id">): string {
  return `${deadFile(paths, wake)}.unreadable`;
}

export function enqueue(paths: Paths, wake: QueuedWake): void {
  const put = () =>
    writeAtomic(wakeFile(paths, wake), JSON.stringify(wake, null, 1), { durable: true });
  try {
    put();
  } catch {
    makeUsable(`${paths.state}/outbox`);
    makeUsable(outboxDir(paths, wake.agent_id));
    put(); // also where another hook has just made them usable
  }
}

/** Opens a folder that is closed to its owner. What is no folder is renamed; doctor names it. */
function makeUsable(dir: string): void {
  try {
    Deno.lstatSync(dir);
    if (!isFolder(dir)) Deno.renameSync(dir, `${dir}${SET_ASIDE}`);
    else if (((Deno.statSync(dir).mode ?? 0o700) & 0o700) !== 0o700) Deno.chmodSync(dir, 0o700);
  } catch {
    // missing, or of another user
  }
}

/** No name of an agent's folder has this character. */
export const SET_ASIDE = "~unreadable";

/** A delivered wake is neither in the outbox nor a dead letter. */
export function isDelivered(paths: Paths, wake: Pick<QueuedWake, "agent_id" | "wake_id">): boolean {
  return ![wakeFile(paths, wake), deadFile(paths, wake), asideFile(paths, wake)].some(isThere);
}

/** Longer than Deno takes to start. A failed start blocks others for this long at most. */
const START_MS = 2000;
export const START_CLAIM = "starts-";
/** The second claim of an agent; no name of an agent's file has this character. */
export const SECOND_CLAIM = "~2";

/**
 * Whether to start a deliverer for an agent. Not when two are starting: each removes both claims
 * before it looks into the outbox, so what was written while they were there is seen. Many events
 * at once start a few processes instead of one each. Two, because one that is killed while it
 * starts leaves its claim: the next event must not trust it. `by` names the claimant.
 */
export function claimStart(paths: Paths, agentId: string, by = "", now = Date.now()): boolean {
  return claimFiles(paths, agentId).some((file) => claim(file, by, now));
}

function claim(file: string, by: string, now: number): boolean {
  try {
    if (createNew(file, by)) return true;
    const { isFile, mtime } = Deno.lstatSync(file);
    const age = now - (mtime?.getTime() ?? 0);
    if (isFile && age >= 0 && age < START_MS) return false;
    writeAtomic(file, by);
  } catch {
    // The claim is gone or cannot be written: an extra process does no harm.
  }
  return true;
}

/** For a deliverer, before it looks into the outbox, and when none could be started. */
export function unclaimStart(paths: Paths, agentId: string): void {
  for (const file of claimFiles(paths, agentId)) {
    try {
      removeIfThere(file);
    } catch {
      // It expires after START_MS.
    }
  }
}

function claimFiles(paths: Paths, agentId: string): string[] {
  const first = `${paths.state}/locks/${START_CLAIM}${safeName(agentId)}`;
  return [first, first + SECOND_CLAIM];
}
