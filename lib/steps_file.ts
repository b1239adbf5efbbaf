/** The queue of a session on the disk: one file, changed by one process at a time. */

import { readTextIfThere, removeIfThere, withLock, writeAtomic } from "./files.ts";
import { isObject } from "./json.ts";
import { type Paths, queueDir, safeName } from "./paths.ts";
import type { Queue } from "./steps.ts";

const LOCK_WAIT_MS = 5000;

export function queueFile(paths: Pick<Paths, "state">, session: string): string {
  return `${queueDir(paths, session)}/queue.json`;
}

/** Undefined where there is none. Throws where it cannot be read. */
export function readQueue(paths: Pick<Paths, "state">, session: string): Queue | undefined {
  const text = readTextIfThere(queueFile(paths, session));
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!isObject(value) || !Array.isArray(value.steps) || !value.steps.every(isObject)) {
    throw new Error(`${queueFile(paths, session)} cannot be read as a queue: remove it`);
  }
  // By its place, not by its text: a session may have been renamed since.
  return { next: 1, agent_id: "", ...value, session } as unknown as Queue;
}

/**
 * Changes the queue; on the disk when it returns. `change` returns the same queue where nothing
 * changes, and undefined where none is left.
 */
export function changeQueue<T>(
  paths: Pick<Paths, "state">,
  session: string,
  change: (queue: Queue | undefined) => { queue: Queue | undefined; value: T },
): T {
  const lock = `${paths.state}/locks/queue-${safeName(session)}`;
  const outcome = withLock(lock, LOCK_WAIT_MS, () => {
    const before = readQueue(paths, session);
    const { queue, value } = change(before);
    if (queue === before) return value;
    if (queue === undefined) removeIfThere(queueDir(paths, session), { recursive: true });
    else writeAtomic(queueFile(paths, session), JSON.stringify(queue, null, 1), { durable: true });
    return value;
  });
  if (outcome.kind === "busy") throw new Error("another process changes the queue");
  return outcome.value;
}

/** The same for a queue that is there; undefined where none is. */
export function updateQueue(
  paths: Pick<Paths, "state">,
  session: string,
  change: (queue: Queue) => Queue | undefined,
): Queue | undefined {
  return changeQueue(paths, session, (before) => {
    const queue = before === undefined ? undefined : change(before);
    return { queue, value: queue };
  });
}
