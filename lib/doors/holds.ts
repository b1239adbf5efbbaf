/**
 * Whose wakes are held: a file for each agent or session that is paused, for each agent that
 * has quiet hours, and for each session that a person has taken. While the file is there, wakes wait
 * in the outbox.
 */

import { isObject, parseIfJson } from "../json.ts";
import { namesIn, readTextIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { originalName, type Paths, safeName } from "../paths.ts";
import type { QueuedWake } from "../outbox.ts";

export type HoldKind = "agent" | "session" | "taken" | "quiet";

const FOLDERS: Record<HoldKind, string> = {
  agent: "paused-agents",
  session: "paused",
  taken: "taken",
  quiet: "quiet",
};
const KINDS = Object.keys(FOLDERS) as HoldKind[];

export interface Hold {
  kind: HoldKind;
  /** The agent's id, or the session's name. */
  name: string;
  /** The agent that gets no wakes. */
  agent_id: string;
  since: string;
  /** When it ends; absent: only a command ends it. */
  until?: string;
  /** Of quiet hours: the triggers that are sent nevertheless. */
  pass?: string[];
  /** How the agent calls the menu driver for a session: words for a shell. */
  driver?: string;
  /** What the person has done, in the person's words. */
  said?: string;
  /** The plan of a release that has begun: which wakes become which summary. A second try reuses it. */
  release?: { at: string; summaries: Record<string, { wake_id: string; of: string[] }> };
}

function holdFile({ state }: Paths, kind: HoldKind, name: string): string {
  return `${state}/${FOLDERS[kind]}/${safeName(name)}.json`;
}

export function readHold(paths: Paths, kind: HoldKind, name: string): Hold | undefined {
  const text = holdText(holdFile(paths, kind, name));
  if (text === undefined) return undefined;
  // A broken file holds too: a late wake is better than one at the wrong time.
  const value = parseIfJson(text);
  // Take the name from the path, not from the text: the session may have been renamed.
  return { agent_id: "", since: "", ...isObject(value) ? value : {}, kind, name } as Hold;
}

/** "" for a file that is there and cannot be read. Throws where its folder cannot be searched. */
function holdText(path: string): string | undefined {
  try {
    return readTextIfThere(path);
  } catch {
    Deno.lstatSync(path);
    return "";
  }
}

export function writeHold(paths: Paths, hold: Hold): void {
  const { kind, name } = hold;
  writeAtomic(holdFile(paths, kind, name), JSON.stringify(hold, null, 1), { durable: true });
}

export function removeHold(paths: Paths, { kind, name }: Pick<Hold, "kind" | "name">): void {
  removeIfThere(holdFile(paths, kind, name));
}

/** All holds. Usually there are none, and reading four folders shows that. */
export function listHolds(paths: Paths): Hold[] {
  return KINDS.flatMap((kind) => {
    try {
      return namesIn(`${paths.state}/${FOLDERS[kind]}`).filter((file) => file.endsWith(".json"))
        .flatMap((file) => readHold(paths, kind, originalName(file.slice(0, -5))) ?? []);
    } catch {
      return []; // a folder of another user must not hold up every agent; doctor names it
    }
  });
}

/** Those that keep a wake from its agent. */
export function holdsOn(
  holds: readonly Hold[],
  { agent_id, session, trigger }: Pick<QueuedWake, "agent_id" | "session" | "trigger">,
): Hold[] {
  return holds.filter(({ kind, name, pass = [] }) =>
    name === (isOfAgent(kind) ? agent_id : session) && !pass.includes(trigger)
  );
}

/** It holds all sessions of an agent. */
export function isOfAgent(kind: HoldKind): boolean {
  return kind === "agent" || kind === "quiet";
}

/** When a hold ends, in milliseconds; undefined while that is not known. */
export function endOf({ until }: Hold): number | undefined {
  const at = Date.parse(until ?? "");
  return Number.isNaN(at) ? undefined : at;
}

/** Those on an agent whose time is over. */
export function dueHolds(paths: Paths, agentId: string, now: number): Hold[] {
  return listHolds(paths).filter((hold) =>
    hold.agent_id === agentId && (endOf(hold) ?? Infinity) <= now
  );
}

/** When the next hold on a waiting wake of the agent ends; undefined when none does by itself. */
export function nextDue(paths: Paths, agentId: string): number | undefined {
  const ends = listHolds(paths).filter((hold) => hold.agent_id === agentId)
    .flatMap((hold) => endOf(hold) ?? []);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** Why an agent may do nothing in a session; undefined where no person has taken it. */
export function whyTaken(paths: Paths, session: string): string | undefined {
  const hold = readHold(paths, "taken", session);
  if (hold === undefined || hold.until !== undefined) return undefined;
  const since = hold.since === "" ? "" : ` since ${hold.since.replace(/\.\d+Z$/, "Z")}`;
  return `a person has taken this session${since}: no instruction and no answer of an agent is ` +
    "carried out, and its wakes are held, until the person gives it back (snapshot works)";
}
