/** Lists waiting wakes and dead letters. */

import { ageOf } from "./delivery.ts";
import { deadFile, enqueue, type QueuedWake, wakeFile } from "../outbox.ts";
import { agentsIn, deadIds, readWake, waitingIds } from "../outbox_files.ts";
import { namesIn, removeIfThere } from "../files.ts";
import { messageOf } from "../json.ts";
import { type Hold, holdsOn, listHolds } from "../doors/holds.ts";
import type { Paths } from "../paths.ts";

export interface ListedWake {
  state: "waiting" | "dead";
  wake_id: string;
  agent_id: string;
  session: string;
  trigger: string;
  created_at: string;
  age_s: number;
  tries: number;
  next_at?: string;
  /** A pause, or a person who has the session, keeps it from its agent. */
  held?: true;
  reason: string;
  /** Its path. A file that is not a wake can only be looked at and dropped. */
  file: string;
}

/** `passOver` gets the reason why a folder cannot be read; the others are listed. */
export function listWakes(
  paths: Paths,
  agentId: string | undefined,
  now: number,
  passOver: (problem: string) => void,
): ListedWake[] {
  const readable = <T>(list: () => T[]): T[] => {
    try {
      return list();
    } catch (error) {
      passOver(messageOf(error));
      return [];
    }
  };
  const ofEach = (place: "outbox" | "dead", list: (agentId: string) => ListedWake[]) =>
    readable(() => agentsIn(paths, place, passOver))
      .filter((id) => agentId === undefined || id === agentId)
      .flatMap((id) => readable(() => list(id)));
  return [
    ...ofEach("dead", (id) => [...listIn(paths, "dead", id, now), ...unreadable(paths, id)]),
    ...ofEach("outbox", (id) => listIn(paths, "outbox", id, now)),
  ];
}

/** Files that are not wakes. */
function unreadable(paths: Paths, agent_id: string): ListedWake[] {
  const dir = deadFile(paths, { agent_id, wake_id: "" }).replace(/\/[^/]*$/, "");
  return namesIn(dir).filter((name) => name.endsWith(UNREADABLE)).map((name) => ({
    state: "dead" as const,
    wake_id: name.slice(0, -UNREADABLE.length),
    agent_id,
    session: "",
    trigger: "",
    created_at: "",
    age_s: 0,
    tries: 0,
    reason: `its file in the outbox could not be read as a wake; kept as ${dir}/${name}`,
    file: `${dir}/${name}`,
  }));
}

const UNREADABLE = ".json.unreadable";

function listIn(
  paths: Paths,
  place: "outbox" | "dead",
  agent_id: string,
  now: number,
): ListedWake[] {
  const holds = listHolds(paths);
  const ids = place === "dead" ? deadIds(paths, agent_id) : waitingIds(paths, agent_id);
  return ids.flatMap((wake_id) => {
    const about = { agent_id, wake_id };
    const file = place === "dead" ? deadFile(paths, about) : wakeFile(paths, about);
    const wake = readWake(file);
    if (wake === undefined) return [];
    const found = listed(wake, place === "dead" ? "dead" : "waiting", now);
    const held = place === "dead" ? undefined : holdsOn(holds, wake)[0];
    return [{
      ...found,
      ...(held ? { held: true as const, reason: whyHeld(held) } : {}),
      ...about,
      file,
    }];
  });
}

function whyHeld({ kind, name, until }: Hold): string {
  if (kind === "taken") return `held: a person has ${name}`;
  if (kind === "quiet") return `held: ${name} has quiet hours until ${until}`;
  return `held: ${name} is paused${until === undefined ? "" : ` until ${until}`}`;
}

function listed(wake: QueuedWake & { reason?: string }, state: ListedWake["state"], now: number) {
  return {
    state,
    wake_id: wake.wake_id,
    agent_id: wake.agent_id,
    session: wake.session,
    trigger: wake.trigger,
    created_at: wake.created_at,
    age_s: Math.round(ageOf({ ...wake, attempts: undefined }, now) / 1000),
    tries: wake.attempts?.count ?? 0,
    ...(state === "waiting" && wake.attempts ? { next_at: wake.attempts.next_at } : {}),
    reason: wake.reason ?? wake.attempts?.last_error ?? "",
  };
}

/**
 * Puts it back into the outbox for another day; false if it is not a wake. It keeps its key: it may
 * have arrived.
 */
export function requeue(paths: Paths, wake: ListedWake, now: number): boolean {
  const found = readWake(wake.file) as QueuedWake & { reason?: string } | undefined;
  if (found === undefined) return false;
  const { reason, ...rest } = found;
  const at = new Date(now).toISOString();
  enqueue(paths, {
    ...rest,
    attempts: {
      ...rest.attempts,
      count: 1,
      next_at: at,
      last_error: reason ?? "",
      requeued_at: at,
    },
  });
  removeIfThere(wake.file);
  return true;
}
