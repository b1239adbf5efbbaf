/** The process that gives a session its steps: one at a time, on the real session. */

import { listRoads } from "../companion/road_file.ts";
import type { HeldLock } from "../doors/held_lock.ts";
import { endOf, holdsOn, listHolds } from "../doors/holds.ts";
import { holdUsableLock } from "../doors/usable_lock.ts";
import { carryOut } from "../driver/carry_out.ts";
import { findPane, type PaneWorld } from "../driver/claude_pane.ts";
import { inTurn } from "../driver/driver_turn.ts";
import { type DriverWorld, paneWorld } from "../driver/driver_world.ts";
import { EMPTY_OPTIONS, type MenuOptions } from "../driver/menu_order.ts";
import { readTextIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { loadRegistry } from "../gate.ts";
import { ownerOf } from "../known_sessions.ts";
import { type Env, queueDir, safeName } from "../paths.ts";
import { findAgent } from "../registry.ts";
import type { Queue } from "../steps.ts";
import { readQueue } from "../steps_file.ts";
import { runQueue } from "./runner.ts";
import type { RunnerWorld } from "./running_queue.ts";
import { lookOf, type SessionLook } from "./session_look.ts";
import { tellQueue } from "./tell_queue.ts";

function runnerLock(
  { paths }: DriverWorld,
  session: string,
  note = "",
): Promise<HeldLock | undefined> {
  const path = `${paths.state}/locks/queue-run-${safeName(session)}`;
  return holdUsableLock(paths, path, { session }, note);
}

/** A runner that finds another one at work leaves this, so that it looks once more. */
function againFile({ paths }: DriverWorld, session: string): string {
  return `${queueDir(paths, session)}/again`;
}

/** Runs the queue of a session, or leaves that to the process that runs it already. */
export async function serveQueue(world: DriverWorld, session: string): Promise<void> {
  const again = againFile(world, session);
  for (;;) {
    const lock = await runnerLock(world, session, String(Deno.pid));
    if (lock === undefined) {
      // The other runner looks for this file before it exits.
      if (readQueue(world.paths, session) !== undefined) {
        writeAtomic(again, "", { inFolder: true });
      }
      if (await isServed(world, session)) return;
      continue;
    }
    try {
      removeIfThere(again);
      await runQueue(runnerWorld(world, session), session);
    } finally {
      lock.release();
    }
    if (readTextIfThere(again) === undefined) return;
  }
}

/** The other runner may have looked for the file just before it was there. */
async function isServed(world: DriverWorld, session: string): Promise<boolean> {
  for (let looks = 0; looks < 10; looks++) {
    const lock = await runnerLock(world, session);
    if (lock !== undefined) {
      lock.release();
      return false;
    }
    if (readTextIfThere(againFile(world, session)) === undefined) return true;
    await world.clock.sleep(100);
  }
  return true;
}

/** The driver's own words. */
const STOPPED = /a person stopped this session/;

function runnerWorld(world: DriverWorld, session: string): RunnerWorld {
  const { paths, env } = world;
  const optionsFor = ({ socket }: Queue): MenuOptions => ({
    ...EMPTY_OPTIONS,
    ...(socket === undefined ? {} : { socket }),
  });
  return {
    paths,
    now: () => world.now(),
    sleep: (ms) => world.clock.sleep(ms),
    look: async (queue) => await lookAt(paneWorld(world, optionsFor(queue)), session),
    async give(queue, text, giver) {
      const options: MenuOptions = { ...optionsFor(queue), promptOnly: true, giver };
      const verb = { kind: "type", text } as const;
      return await inTurn(world, session, options, async () => {
        const result = await carryOut(world, session, verb, options);
        // A person may have pressed Esc before resuming. The mod takes no prompt after an Esc.
        const isPast = queue.by_person && result.kind === "refused" && STOPPED.test(result.reason);
        if (!isPast) return result;
        return await carryOut(world, session, verb, { ...options, road: "keys" });
      });
    },
    async clear(queue) {
      const options = optionsFor(queue);
      const verb = { kind: "clear" } as const;
      await inTurn(world, session, options, () => carryOut(world, session, verb, options));
    },
    held({ agent_id }) {
      // In quiet hours Claude works on.
      const holding = listHolds(paths).filter(({ kind }) => kind !== "quiet");
      const holds = holdsOn(holding, { agent_id, session, trigger: "" });
      const open = holds.map((hold) => endOf(hold)).filter((end) =>
        end === undefined || end > world.now().getTime()
      );
      if (open.length === 0) return undefined;
      const ends = open.filter((end) => end !== undefined);
      return ends.length < open.length ? {} : { until: Math.max(...ends) };
    },
    async tell(queue, what, wakeId) {
      const registry = loadRegistry(paths.registry);
      // This runner ends. The next one reports it: the queue is kept until then.
      if (registry.kind !== "registry") {
        throw new Error(`Cannot report it: the registry is ${registry.kind}`);
      }
      const match = findAgent(registry.registry, session, ownerOf(paths, session));
      const agent = match.kind === "agent" ? match.agent : undefined;
      await tellQueue(
        { paths, env: withoutPane(env), now: world.now() },
        queue,
        agent,
        what,
        wakeId,
      );
    },
    hasCompanion: () => listRoads(paths).some((road) => road.session === session),
  };
}

/** The runner is in no pane, no matter which process started it. */
function withoutPane(env: Env): Env {
  return (name) => /^(TMUX|TMUX_PANE|GSD_SHELL_DELIVERS)$/.test(name) ? undefined : env(name);
}

export async function lookAt(panes: PaneWorld, session: string): Promise<SessionLook> {
  const found = await findPane(panes, session, undefined, "of Claude");
  const look = lookOf(found);
  if (look.state !== "gone") return look;
  // Between two screens none may show Claude Code.
  await panes.clock.sleep(1000);
  const second = lookOf(await findPane(panes, session, undefined, "of Claude"));
  return second.state === "gone" || second.state === "several" ? second : { state: "starting" };
}
