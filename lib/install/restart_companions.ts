/** After an update: a companion of the old code ends, and its mod starts one of the new code. */

import { allProcesses, type ProcessInfo } from "../doors/process_tree.ts";
import type { Paths } from "../paths.ts";
import { listRoads } from "../companion/road_file.ts";

export interface CompanionProcesses {
  all(): Promise<ProcessInfo[]>;
  end(pid: number): void;
}

const REAL: CompanionProcesses = {
  all: allProcesses,
  end: (pid) => Deno.kill(pid, "SIGTERM"),
};

/** How many were ended. Parts that a companion loads later do not fit its old ones. */
export async function restartCompanions(
  paths: Pick<Paths, "state" | "root">,
  processes: CompanionProcesses = REAL,
): Promise<number> {
  const roads = listRoads(paths);
  if (roads.length === 0) return 0;
  const script = `${paths.root}/commands/companion.ts`;
  const running = (await processes.all()).filter(({ args }) => args.includes(script));
  const ours = running.filter(({ pid }) => roads.some((road) => road.pid === pid));
  return ours.filter(({ pid }) => {
    try {
      processes.end(pid);
      return true;
    } catch {
      return false; // it has just ended
    }
  }).length;
}
