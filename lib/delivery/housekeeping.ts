/** Removes old files from the state folder. The deliverer does it once a day. */

import { namesIn, readTextIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { agentsIn } from "../outbox_files.ts";
import type { Paths } from "../paths.ts";
import { DAY, MINUTE } from "./delivery.ts";
import { recoverLost } from "./lost_wakes.ts";
import { removeOldMarks } from "./old_marks.ts";

/** Files are removed when they have not been written to for this long. */
const KEPT_FOR: { dir: string; suffix: string; afterMs: number; isNested?: boolean }[] = [
  { dir: "journal", suffix: "", afterMs: 30 * DAY },
  { dir: "claude", suffix: "", afterMs: 90 * DAY },
  { dir: "replies", suffix: "", afterMs: DAY },
  { dir: "content", suffix: "", afterMs: 30 * DAY },
  { dir: "drafts", suffix: "", afterMs: 7 * DAY },
  { dir: "texts", suffix: "", afterMs: 30 * DAY, isNested: true },
  { dir: "typed", suffix: "", afterMs: 7 * DAY },
  { dir: "dead", suffix: "", afterMs: 30 * DAY, isNested: true },
  // Left by a Claude that was killed while its question was open.
  ...[".told", ".claimed"].map((suffix) => ({
    dir: "pending",
    suffix,
    afterMs: DAY,
    isNested: true,
  })),
  // Left by a process that was killed while it wrote.
  ...["outbox", "dead", "inbox", "pending"].map((dir) => ({
    dir,
    suffix: ".tmp",
    afterMs: 60 * MINUTE,
    isNested: true,
  })),
  ...["sessions", "panes", "locks"].map((dir) => ({ dir, suffix: ".tmp", afterMs: 60 * MINUTE })),
];

export async function removeOldFiles(paths: Paths, now: number): Promise<void> {
  const stamp = `${paths.state}/locks/housekeeping`;
  try {
    const last = Number(readTextIfThere(stamp) ?? 0);
    // The time stamp is in the future: the clock was set back.
    if (last <= now && now - last < DAY) return;
    writeAtomic(stamp, String(now));
    // Before temporary files are removed: a complete one is a wake.
    for (const agentId of agentsIn(paths, "outbox")) await recoverIn(paths, agentId, now);
    for (const { dir, suffix, afterMs, isNested } of KEPT_FOR) {
      const top = `${paths.state}/${dir}`;
      const dirs = isNested ? readable(top).map((name) => `${top}/${name}`) : [top];
      for (const folder of dirs) removeOld(folder, suffix, now - afterMs);
    }
    keepWithin([`${paths.state}/content`]);
    keepWithin(readable(`${paths.state}/texts`).map((name) => `${paths.state}/texts/${name}`));
    removeOldMarks(paths, now);
  } catch {
    // Read-only or missing: nothing grows there.
  }
}

/** A folder that cannot be read does not stop the rest. */
function readable(folder: string): string[] {
  try {
    return namesIn(folder);
  } catch {
    return [];
  }
}

async function recoverIn(paths: Paths, agentId: string, now: number): Promise<void> {
  try {
    await recoverLost(paths, agentId, now);
  } catch {
    // A folder of another user: nothing is removed from it.
  }
}

/** All texts together take no more room than this: the oldest go first. */
const MOST_TEXT_BYTES = 100_000_000;

export function keepWithin(folders: string[], mostBytes = MOST_TEXT_BYTES): void {
  const files = folders.flatMap((folder) =>
    readable(folder).flatMap((name) => {
      try {
        const { isFile, size, mtime } = Deno.lstatSync(`${folder}/${name}`);
        return isFile ? [{ path: `${folder}/${name}`, size, at: mtime?.getTime() ?? 0 }] : [];
      } catch {
        return []; // just removed
      }
    })
  ).sort((a, b) => b.at - a.at);
  let bytes = 0;
  for (const { path, size } of files) {
    bytes += size;
    try {
      if (bytes > mostBytes) removeIfThere(path);
    } catch {
      // Of another user.
    }
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
      // Already gone, or no permission: try the next file.
    }
  }
}
