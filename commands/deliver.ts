/** Carries the wakes of the outbox to their agents; lists, revives and drops them. */

import type { QueueResult, QueueWorld } from "../lib/delivery/agent_queue.ts";
import { whyNotAsRoot } from "../lib/delivery/as_root.ts";
import { LIFE_MS, serveAgent } from "../lib/delivery/serve_agent.ts";
import { type Speaker, terminal } from "../lib/cli/speaker.ts";
import { keepHouse } from "../lib/delivery/housekeeping.ts";
import { recoverLost } from "../lib/delivery/lost_wakes.ts";
import { record } from "../lib/journal.ts";
import { agentsIn, claimedBy, type QueuedWake, unclaimStart, waitingIds } from "../lib/outbox.ts";
import { readTextIfThere, removeIfThere } from "../lib/files.ts";
import { pathsFrom, ROOT } from "../lib/paths.ts";
import { messageOf } from "../lib/process.ts";
import { findAgent, readRegistry } from "../lib/registry.ts";
import { type Options, readArgs } from "../lib/delivery/deliver_args.ts";
import { table } from "../lib/cli/table.ts";
import { pause } from "../lib/time.ts";
import { type ListedWake, listWakes, requeue } from "../lib/delivery/wake_list.ts";

export interface World extends QueueWorld, Speaker {}

const HELP = `Carries waiting wakes to their agents.

Usage: deno task deliver [--agent <id>] [--once] [--json]
       deno task deliver --list [--agent <id>] [--json]
       deno task deliver --retry <wake_id>|--all
       deno task deliver --drop <wake_id>|--all

  --agent <id>       only this agent's wakes
  --once             try each waiting wake once and leave, instead of trying again
  --list             show what waits and what was given up, with the reason
  --retry <wake_id>  put a wake that was given up back and deliver it; --all: every one
  --drop <wake_id>   forget a wake, waiting or given up; --all: every one that was given up
  --json             for programs
  --help             this text

Examples:
  deno task deliver --list
  deno task deliver --once
  deno task deliver --retry --all --agent warden
`;

export async function main(args: string[], world: World): Promise<number> {
  const options = readArgs(args);
  const { order } = options;
  switch (order.kind) {
    case "help":
      world.say(HELP.trimEnd());
      return 0;
    case "usage":
      world.warn(`${order.problem}; see deno task deliver --help`);
      return 2;
    case "list":
      return list(options, world);
  }
  const refusal = whyNotAsRoot(world.paths.state);
  if (refusal !== undefined) {
    world.warn(refusal);
    return 1;
  }
  switch (order.kind) {
    case "retry":
      return await retry(order.wakeId, options, world);
    case "drop":
      return dropWakes(order.wakeId, options, world);
    case "serve":
      return await serve(options, world);
  }
}

async function serve(options: Options, world: World, agents?: string[]): Promise<number> {
  const { paths } = world;
  const ids = agents ?? agentsToServe(options, world);
  // Before the outbox is looked into: who finds no mark starts another deliverer.
  for (const id of ids) unclaimStart(paths, id);
  const results = await Promise.all(ids.map((id) => serveAlone(id, options, world)));
  keepHouse(paths, world.now());
  await Promise.all(results.flatMap((result) => result.replies));
  return report(ids, results, options, world);
}

function agentsToServe({ agent, claimedBy: by }: Options, { paths, now }: World): string[] {
  if (agent !== undefined) return [agent];
  const claimed = by === undefined ? [] : claimedBy(paths, by);
  if (claimed.length > 0) return claimed;
  // Also where a hook had no room for its claim: some wake waits.
  return agentsIn(paths, "outbox").filter((id) => {
    try {
      recoverLost(paths, id, now());
      return waitingIds(paths, id).length > 0;
    } catch {
      return true; // a folder that cannot be read is that agent's trouble, told with its name
    }
  });
}

/** One agent's trouble is its own. */
async function serveAlone(id: string, options: Options, world: World): Promise<QueueResult> {
  try {
    const takesOver = options.claimedBy === undefined;
    recoverLost(world.paths, id, world.now());
    return await serveAgent(id, world, { once: options.once, lifeMs: LIFE_MS, takesOver });
  } catch (error) {
    const lastError = `Cannot deliver to "${id}": ${messageOf(error)}`;
    record(world.paths, { kind: "problem", session: id, agent_id: id, reason: lastError });
    return { kind: "served", delivered: 0, dead: 0, left: 1, lastError, replies: [] };
  }
}

function report(ids: string[], results: QueueResult[], options: Options, world: World): number {
  const sum = (of: (result: QueueResult) => number) => results.reduce((n, r) => n + of(r), 0);
  const [delivered, dead] = [sum((r) => r.delivered), sum((r) => r.dead)];
  const left = sum((r) => r.left);
  const ours = results.filter((r) => r.kind === "served").reduce((n, r) => n + r.left, 0);
  if (options.json) {
    const agents = results.map(({ replies: _, ...result }, index) => ({
      agent_id: ids[index],
      ...result,
    }));
    world.say(JSON.stringify({ delivered, dead, left, agents }));
  } else {
    const busy = ids.filter((_, index) => results[index]!.kind === "busy");
    const also = busy.length > 0 ? `; another process is delivering to ${busy.join(", ")}` : "";
    world.say(`${delivered} delivered, ${dead} given up, ${left} waiting${also}`);
  }
  if (ours === 0 && dead === 0) return 0;
  const last = results.findLast((result) => result.lastError !== "")?.lastError ?? "";
  world.warn(`Not everything was delivered: ${last}`);
  return 1;
}

function list(options: Options, world: World): number {
  const wakes = listWakes(world.paths, options.agent, world.now(), leftOut(world));
  if (options.json) world.say(JSON.stringify(wakes, null, 1));
  else if (wakes.length === 0) world.say("Nothing waits and nothing was given up");
  else world.say(table(COLUMNS, wakes.map(row)));
  return 0;
}

function leftOut({ warn }: World): (problem: string) => void {
  return (problem) => warn(`Left out what cannot be read: ${problem}`);
}

const COLUMNS = ["STATE", "WAKE", "AGENT", "SESSION", "TRIGGER", "AGE", "TRIES", "REASON"];

function row(wake: ListedWake): string[] {
  const { state, wake_id, agent_id, session, trigger, age_s, tries, reason } = wake;
  return [state, wake_id, agent_id, session, trigger, `${age_s}s`, String(tries), reason];
}

/** The wake of that id, waiting or given up; without one, all that were given up. */
function chosen(wakeId: string | undefined, options: Options, world: World): ListedWake[] {
  return listWakes(world.paths, options.agent, world.now(), leftOut(world)).filter((wake) =>
    wakeId === undefined ? wake.state === "dead" : wake.wake_id === wakeId
  );
}

async function retry(wakeId: string | undefined, options: Options, world: World): Promise<number> {
  const wakes = chosen(wakeId, options, world);
  if (wakes.length === 0) return none(wakeId, world);
  const { paths } = world;
  const lost = wakes.filter((wake) => wake.state === "dead" && !requeue(paths, wake, world.now()));
  for (const { wake_id, file } of lost) {
    world.warn(`Cannot send ${wake_id} again: ${file} is not a wake; --drop ${wake_id} removes it`);
  }
  const agents = new Set(wakes.filter((wake) => !lost.includes(wake)).map((wake) => wake.agent_id));
  if (agents.size === 0) return 1;
  const code = await serve({ ...options, once: true }, world, [...agents]);
  return lost.length > 0 ? 1 : code;
}

function dropWakes(wakeId: string | undefined, options: Options, world: World): number {
  const wakes = chosen(wakeId, options, world);
  if (wakes.length === 0) return none(wakeId, world);
  for (const { file, session, agent_id, wake_id, trigger } of wakes) {
    removeIfThere(file, { recursive: true }); // what was set aside may be a folder
    record(world.paths, {
      kind: "dead",
      session: session || agent_id,
      agent_id,
      wake_id,
      trigger,
      reason: "dropped by hand",
    });
  }
  if (options.json) {
    world.say(JSON.stringify({ dropped: wakes.map((wake) => wake.wake_id) }));
  } else world.say(`${wakes.length} dropped`);
  return 0;
}

function none(wakeId: string | undefined, world: World): number {
  if (wakeId === undefined) {
    world.say("Nothing was given up");
    return 0;
  }
  world.warn(`No wake "${wakeId}" waits or was given up: deno task deliver --list shows which do`);
  return 1;
}

/** The agent's place in OpenClaw now: a registry that was corrected helps wakes that wait. */
function targetFromRegistry(registryPath: string) {
  return (wake: QueuedWake) => {
    try {
      const reading = readRegistry(readTextIfThere(registryPath) ?? "");
      if (reading.kind !== "registry") return undefined;
      const match = findAgent(reading.registry, wake.session);
      if (match.kind !== "agent" || match.agent.agent_id !== wake.agent_id) return undefined;
      const { openclaw_session_key, openclaw_session_id, transport } = match.agent;
      if (openclaw_session_key + openclaw_session_id === "") return undefined;
      return { openclaw_session_key, openclaw_session_id, transport };
    } catch {
      return undefined;
    }
  };
}

export function realWorld(): World {
  const env = (name: string) => Deno.env.get(name);
  const paths = pathsFrom(env, ROOT);
  return {
    paths,
    env,
    allEnv: () => Deno.env.toObject(),
    now: Date.now,
    sleep: pause,
    targetNow: targetFromRegistry(paths.registry),
    tell: Deno.stdout.isTerminal() ? terminal.warn : undefined,
    ...terminal,
  };
}

async function guarded(args: string[], world: World): Promise<number> {
  try {
    return await main(args, world);
  } catch (error) {
    world.warn(`Cannot deliver from ${world.paths.state}: ${messageOf(error)}`);
    return 1;
  }
}

if (import.meta.main) Deno.exit(await guarded(Deno.args, realWorld()));
