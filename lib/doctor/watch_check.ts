/** Does somebody look after what no hook tells? */

import { taskCommand } from "../cli/task_command.ts";
import { isWatched } from "../fleet/watch_lock.ts";
import { agentsToWake, type DoctorContext, type Finding, note, ok } from "./finding.ts";

export function checkWatch(context: DoctorContext): Finding[] {
  const { world } = context;
  if (agentsToWake(context).length === 0) return [];
  if (isWatched(world.paths)) return [ok("The watch runs")];
  const text =
    "No watch runs: no wake is sent when Claude Code is killed, stalls or waits at a dialog";
  return [note(text, taskCommand(world, "install-units"))];
}
