/** The outbox as its deliverer sees it: what waits, dead letters, what cannot be read. */

import {
  asideFile,
  deadFile,
  outboxDir,
  type QueuedWake,
  SECOND_CLAIM,
  START_CLAIM,
  wakeFile,
} from "./outbox.ts";
import {
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

export function replyFile(paths: Paths, wakeId: string): string {
  return `${paths.state}/replies/${wakeId}.json`;
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

/** The agents with something in `outbox` or `dead`; `passOver` hears of what is no folder. */
export function agentsIn(
  paths: Paths,
  place: "outbox" | "dead",
  passOver: (problem: string) => void = () => {},
): string[] {
  const dir = `${paths.state}/${place}`;
  return namesIn(dir).filter((name) => {
    const isUsable = isFolder(`${dir}/${name}`);
    const isAgents = safeName(originalName(name)) === name;
    if (!isUsable && isAgents) passOver(`${dir}/${name} is not a folder`);
    return isUsable;
  }).map(originalName);
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
    const own = namesIn(dir).filter((name) =>
      name.startsWith(START_CLAIM) && !name.endsWith(".tmp")
    )
      .filter(isOwn).map((name) =>
        originalName(name.slice(START_CLAIM.length).replace(SECOND_CLAIM, ""))
      );
    return [...new Set(own)];
  } catch {
    return []; // without locks no agent can be served: the record of each says so
  }
}

/** Troubles of the machine, not of the file. */
const PASSING = /^(EIO|ENOMEM|EMFILE|ENFILE|EAGAIN|EINTR)$/;
