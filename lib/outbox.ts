/** Wakes that wait for delivery: one file each, complete from the start. */

import {
  createNew,
  ensureDir,
  isFolder,
  isThere,
  namesIn,
  readTextIfThere,
  removeIfThere,
  writeAtomic,
} from "./files.ts";
import { isObject, messageOf } from "./json.ts";
import { originalName, type Paths, safeName } from "./paths.ts";
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

export function replyFile(paths: Paths, wakeId: string): string {
  return `${paths.state}/replies/${wakeId}.json`;
}

export function deadFile(paths: Paths, wake: Pick<QueuedWake, "agent_id" | "wake_id">): string {
  return `${paths.state}/dead/${safeName(wake.agent_id)}/${wake.wake_id}.json`;
}

/** Where a file goes that is in the outbox and cannot be read as a wake. */
function asideFile(paths: Paths, wake: Pick<QueuedWake, "agent_id" | "wake_id">): string {
  return `${deadFile(paths, wake)}.unreadable`;
}

export function enqueue(paths: Paths, wake: QueuedWake): void {
  writeAtomic(wakeFile(paths, wake), JSON.stringify(wake, null, 1), { durable: true });
}

/** The ids of the wakes that wait for one agent, in the order they were written. */
export function waitingIds(paths: Paths, agentId: string): string[] {
  return wakeIdsIn(outboxDir(paths, agentId));
}

function wakeIdsIn(dir: string): string[] {
  return namesIn(dir).filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length))
    .filter(isWakeId);
}

function isWakeId(text: string): boolean {
  return /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text);
}

/** A wake by its file; undefined when it is gone or not a wake. */
export function readWake(path: string): QueuedWake | undefined {
  try {
    const value: unknown = JSON.parse(readTextIfThere(path) ?? "");
    if (!isObject(value)) return undefined;
    const { wake_id, agent_id, message } = value;
    return typeof wake_id === "string" && typeof agent_id === "string" &&
        typeof message === "string"
      ? value as unknown as QueuedWake
      : undefined;
  } catch {
    return undefined;
  }
}

/** A delivered wake is neither in the outbox nor a dead letter. */
export function isDelivered(paths: Paths, wake: Pick<QueuedWake, "agent_id" | "wake_id">): boolean {
  return ![wakeFile(paths, wake), deadFile(paths, wake), asideFile(paths, wake)].some(isThere);
}

/** The agents with something in `outbox` or `dead`. */
export function agentsIn(paths: Paths, place: "outbox" | "dead"): string[] {
  const dir = `${paths.state}/${place}`;
  return namesIn(dir).filter((name) => isFolder(`${dir}/${name}`)).map(originalName);
}

/** The dead letters of one agent. */
export function deadIds(paths: Paths, agentId: string): string[] {
  return wakeIdsIn(`${paths.state}/dead/${safeName(agentId)}`);
}

/** The wake as its last try left it, unless it has been removed since. */
export function saveAttempts(paths: Paths, wake: QueuedWake): void {
  const path = wakeFile(paths, wake);
  if (!isThere(path)) return;
  // Not the temporary name of a new wake: a leftover must not be read as one.
  writeAtomic(path, JSON.stringify(wake, null, 1), {
    durable: true,
    ending: ".again.tmp",
    inFolder: true,
  });
}

export function moveToDead(paths: Paths, wake: QueuedWake, reason: string): void {
  const text = JSON.stringify({ ...wake, reason }, null, 1);
  writeAtomic(deadFile(paths, wake), text, { durable: true });
  removeIfThere(wakeFile(paths, wake));
}

/**
 * A file that is not a wake is renamed, not copied: it may be huge, a fifo or another user's.
 * False when it is already gone.
 */
export function setAside(
  paths: Paths,
  wake: Pick<QueuedWake, "agent_id" | "wake_id">,
  path: string,
): boolean {
  if (!isThere(path)) return false;
  const place = asideFile(paths, wake);
  ensureDir(place.slice(0, place.lastIndexOf("/")));
  Deno.renameSync(path, place);
  return true;
}

/** What is wrong with a file that was not read as a wake; `passes`: it may be read another time. */
export function whyNoWake(wakeId: string, path: string): { reason: string; passes: boolean } {
  const what = `The file of ${wakeId} in the outbox`;
  try {
    readTextIfThere(path);
    return { reason: `${what} is not a wake`, passes: false };
  } catch (error) {
    const passes = PASSING.test(String((error as { code?: unknown }).code));
    return { reason: `${what} cannot be read: ${messageOf(error)}`, passes };
  }
}

/** Troubles of the machine, not of the file. */
const PASSING = /^(EIO|ENOMEM|EMFILE|ENFILE|EAGAIN|EINTR)$/;

/** Longer than Deno takes to start. A failed start blocks others for this long at most. */
const START_MS = 2000;
const CLAIM = "starts-";
/** The second claim of an agent; no name of an agent's file has this character. */
const SECOND = "~2";

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

/** The agents for which that process has claimed a start. */
export function claimedBy(paths: Paths, by: string): string[] {
  const dir = `${paths.state}/locks`;
  const isOwn = (name: string) => {
    try {
      return readTextIfThere(`${dir}/${name}`) === by;
    } catch {
      return false; // it cannot be read
    }
  };
  try {
    const own = namesIn(dir).filter((name) => name.startsWith(CLAIM) && !name.endsWith(".tmp"))
      .filter(isOwn).map((name) => originalName(name.slice(CLAIM.length).replace(SECOND, "")));
    return [...new Set(own)];
  } catch {
    return []; // without locks no agent can be served: the record of each says so
  }
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
  const first = `${paths.state}/locks/${CLAIM}${safeName(agentId)}`;
  return [first, first + SECOND];
}
