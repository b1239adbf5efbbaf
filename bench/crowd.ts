/** Fifty sessions whose turns end in the same moment. */

import { fixtureEvent } from "../tests/support/fixtures.ts";
import { HookWorld } from "../tests/support/hook_world.ts";

export interface CrowdFigure {
  sessions: number;
  slowestMs: number;
  totalMs: number;
  /** Of all hooks together, at its highest. */
  peakMb: number;
}

export async function measureCrowd(sessions: number): Promise<CrowdFigure> {
  const names = Array.from({ length: sessions }, (_, index) => `crowd-${index}`);
  await using world = await HookWorld.create({
    registry: {
      agents: names.map((name) => ({
        agent_id: name,
        tmux_session_name: name,
        openclaw_session_key: `agent:${name}:main`,
      })),
    },
  });
  for (const name of names) await world.pane(name);
  await world.hook("stop.ts", fixtureEvent("stop-plain"), { session: names[0]! });

  let peakMb = 0;
  const watch = setInterval(() => peakMb = Math.max(peakMb, hooksMb(world.dir)), 20);
  const began = performance.now();
  const results = await Promise.all(
    names.map((session) =>
      world.hook("stop.ts", { ...fixtureEvent("stop-plain"), session_id: session }, { session })
    ),
  );
  const totalMs = performance.now() - began;
  clearInterval(watch);
  const woken = names.filter((name) => world.wakes(name).length > 0).length;
  if (woken !== sessions) throw new Error(`Only ${woken} of ${sessions} sessions sent a wake`);
  return { sessions, slowestMs: Math.max(...results.map((one) => one.ms)), totalMs, peakMb };
}

/** Resident memory of every process whose command line names that world. */
function hooksMb(dir: string): number {
  let pages = 0;
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (!Deno.readTextFileSync(`/proc/${name}/cmdline`).includes(dir)) continue;
      pages += Number(Deno.readTextFileSync(`/proc/${name}/statm`).split(" ")[1]);
    } catch {
      // It has ended since.
    }
  }
  return pages * 4096 / 1e6;
}
