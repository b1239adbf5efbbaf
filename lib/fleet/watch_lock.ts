/** One watch per user: the process that holds this lock. */

import { type HeldLock, holdLock, isHeld, noteOn } from "../doors/held_lock.ts";
import { isObject, parseIfJson } from "../json.ts";
import type { Paths } from "../paths.ts";

function fileOf({ state }: Pick<Paths, "state">): string {
  return `${state}/locks/watch`;
}

/** What the watch notes of itself in its lock. */
export interface RunningWatch {
  pid: number;
  /** The clone whose code it runs. */
  root: string;
  /** When it has loaded that code. */
  startedAt: number;
}

/** The lock, or undefined while another watch runs. */
export function holdWatch(
  paths: Pick<Paths, "state" | "root">,
  startedAt = performance.timeOrigin,
): HeldLock | undefined {
  const own: RunningWatch = { pid: Deno.pid, root: paths.root, startedAt };
  return holdLock(fileOf(paths), JSON.stringify(own));
}

export function isWatched(paths: Pick<Paths, "state">): boolean {
  return isHeld(fileOf(paths));
}

/** "old": the note of a version that wrote only its pid. Undefined: there is no note. */
export function runningWatch(paths: Pick<Paths, "state">): RunningWatch | "old" | undefined {
  const note = noteOn(fileOf(paths));
  if (/^\d+$/.test(note)) return "old";
  const value = parseIfJson(note);
  if (!isObject(value)) return undefined;
  const { pid, root, startedAt } = value;
  const isWhole = typeof pid === "number" && typeof root === "string" &&
    typeof startedAt === "number";
  return isWhole ? { pid, root, startedAt } : undefined;
}
