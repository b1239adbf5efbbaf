/** Keeps the state folder from growing without end. Done by the deliverer, once a day. */

import { namesIn, readTextIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { agentsIn } from "../outbox.ts";
import type { Paths } from "../paths.ts";
import { DAY, MINUTE } from "./delivery.ts";
import { recoverLost } from "./lost_wakes.ts";
import { removeOldMarks } from "./old_marks.ts";

/** What is removed when it has not been written to for so long. */
const LIMITS: { dir: string; suffix: string; afterMs: number; isNested?: boolean }[] = [
  { dir: "journal", suffix: "", afterMs: 30 * DAY },
  { dir: "claude", suffix: "", afterMs: 90 * DAY },
  { dir: "replies", suffix: "", afterMs: DAY },
  { dir: "content", suffix: "", afterMs: 7 * DAY },
  { dir: "dead", suffix: "", afterMs: 30 * DAY, isNested: true },
  // What a process left behind that was ended while it wrote.
  ...["outbox", "dead", "inbox", "pending"].map((dir) => ({
    dir,
    suffix: ".tmp",
    afterMs: 60 * MINUTE,
    isNested: true,
  })),
  ...["sessions", "panes", "locks"].map((dir) => ({ dir, suffix: ".tmp", afterMs: 60 * MINUTE })),
];

export function keepHouse(paths: Paths, now: number): void {
  const stamp = `${paths.state}/locks/house`;
  try {
    const last = Number(readTextIfThere(stamp) ?? 0);
    // A stamp from the future is a clock that was set back since.
    if (last <= now && now - last < DAY) return;
    writeAtomic(stamp, String(now));
    // Before temporary files go: one that is whole is a wake.
    for (const agentId of agentsIn(paths, "outbox")) recoverIn(paths, agentId, now);
    for (const { dir, suffix, afterMs, isNested } of LIMITS) {
      const top = `${paths.state}/${dir}`;
      const dirs = isNested ? readable(top).map((name) => `${top}/${name}`) : [top];
      for (const folder of dirs) removeOld(folder, suffix, now - afterMs);
    }
    removeOldMarks(paths, now);
  } catch {
    // Read-only or gone: then nothing grows either.
  }
}

/** What cannot be looked into keeps nothing else from being cleaned up. */
function readable(folder: string): string[] {
  try {
    return namesIn(folder);
  } catch {
    return [];
  }
}

function recoverIn(paths: Paths, agentId: string, now: number): void {
  try {
    recoverLost(paths, agentId, now);
  } catch {
    // A folder of another user: nothing is removed from it either.
  }
}

function removeOld(folder: string, suffix: string, before: number): void {
  for (const name of readable(folder)) {
    if (!name.endsWith(suffix)) continue;
    try {
      const path = `${folder}/${name}`;
      const stat = Deno.lstatSync(path);
      if (stat.isFile && (stat.mtime?.getTime() ?? before) < before) removeIfThere(path);
    } catch {
      // Gone meanwhile, or not ours to remove: the next file may be.
    }
  }
}
