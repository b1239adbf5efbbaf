/** Does the watch run, and with the present code? It reports what no hook reports. */

import { taskCommand } from "../cli/task_command.ts";
import { namesIn } from "../files.ts";
import { isWatched, runningWatch } from "../fleet/watch_lock.ts";
import { agentsToWake, type DoctorContext, type Finding, note, ok } from "./finding.ts";

export function checkWatch(context: DoctorContext): Finding[] {
  const { world } = context;
  if (agentsToWake(context).length === 0) return [];
  if (isWatched(world.paths)) return [whyOld(context) ?? ok("The watch runs")];
  const text =
    "No watch runs: no wake is sent when Claude Code is killed, stalls or waits at a dialog";
  return [note(text, taskCommand(world, "install-units"))];
}

/** A running watch keeps its old code until it is restarted. */
function whyOld({ world }: DoctorContext): Finding | undefined {
  const { root } = world.paths;
  const watch = runningWatch(world.paths);
  if (watch === undefined) return undefined;
  const fix = taskCommand(world, "install-units");
  const again = "start it again (install-units does that where systemd runs it)";
  if (watch === "old") return note(`The watch runs the code of an earlier version: ${again}`, fix);
  if (watch.root !== root) {
    return note(`The watch (process ${watch.pid}) runs the code of ${watch.root}: ${again}`, fix);
  }
  if (newestIn(`${root}/lib`) <= watch.startedAt) return undefined;
  const since = new Date(watch.startedAt).toISOString().replace(/\.\d+Z$/, "Z");
  return note(
    `The watch (process ${watch.pid}) runs since ${since}, and its code has changed since: ${again}`,
    fix,
  );
}

/** When a source file below the folder was last written. */
function newestIn(dir: string): number {
  let newest = 0;
  for (const name of namesIn(dir)) {
    const path = `${dir}/${name}`;
    const at = name.endsWith(".ts")
      ? Deno.statSync(path).mtime?.getTime() ?? 0
      : name.includes(".")
      ? 0
      : newestIn(path);
    newest = Math.max(newest, at);
  }
  return newest;
}
