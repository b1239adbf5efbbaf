/** Delivers the wakes of the outbox to their agents; lists, retries and drops them. */

import type { QueueResult, QueueWorld } from "../lib/delivery/agent_queue.ts";
import { isRefusedAsRoot } from "../lib/doors/as_root.ts";
import { gatewayState } from "../lib/delivery/gateway_up.ts";
import { LIFE_MS, serveAgent } from "../lib/delivery/serve_agent.ts";
import { onOneLine, type Speaker, terminal } from "../lib/cli/lines.ts";
import { prepareGuards } from "../lib/fence.ts";
import { recoverLost } from "../lib/delivery/lost_wakes.ts";
import { endOf, listHolds } from "../lib/doors/holds.ts";
import { record } from "../lib/journal.ts";
import { type QueuedWake, unclaimStart } from "../lib/outbox.ts";
import { agentsIn, claimedBy, waitingIds } from "../lib/outbox_files.ts";
import { readTextIfThere } from "../lib/files.ts";
import { pathsFrom, ROOT } from "../lib/paths.ts";
import { messageOf, safeEnvironment } from "../lib/process.ts";
import { type DeliverOptions, readDeliverArgs } from "../lib/delivery/deliver_args.ts";
import { pause } from "../lib/time.ts";

export interface DeliverWorld extends QueueWorld, Speaker {}

/** Its launcher starts this file itself, so the text cannot depend on how it was called. */
export const HELP = `Delivers waiting wakes to their agents.

Usage: gsd-code deliver [--agent <id>] [--once] [--json]
       gsd-code deliver --list [--agent <id>] [--json]
       gsd-code deliver --retry <wake_id>|--all
       gsd-code deliver --drop <wake_id>|--all

  --agent <id>       only this agent's wakes
  --once             try each waiting wake once and exit, instead of trying again
  --list             show the waiting wakes and the dead letters, with the reason
  --retry <wake_id>  put a dead letter back and deliver it
  --drop <wake_id>   delete a waiting wake or a dead letter
  --all              with --retry or --drop: all dead letters
  --json             for programs
  --help             this text

A wake becomes a dead letter after a day, or after 10 minutes if OpenClaw does not know or refuses
its session. At least 9 tries come first.

Examples:
  gsd-code deliver --list
  gsd-code deliver --once
  gsd-code deliver --retry --all --agent warden
`;

export async function main(
  args: string[],
  world: DeliverWorld = realWorld(),
): Promise<number> {
  try {
    return await carryOut(readDeliverArgs(args), world);
  } catch (error) {
    world.warn(`Cannot deliver from ${world.paths.state}: ${messageOf(error)}`);
    return 1;
  }
}

async function carryOut(options: DeliverOptions, world: DeliverWorld): Promise<number> {
  const { order } = options;
  switch (order.kind) {
    case "help":
      world.say(HELP.trimEnd());
      return 0;
    case "usage":
      world.warn(`${order.problem}; see gsd-code deliver --help`);
      return 2;
    case "list":
      return (await byHand()).list(options, world);
  }
  if (isRefusedAsRoot("deliver", world)) return 1;
  switch (order.kind) {
    case "drop":
      return (await byHand()).drop(order.wakeId, options, world);
    case "retry": {
      const retried = (await byHand()).retry(order.wakeId, options, world);
      if (typeof retried === "number") return retried;
      const code = await serve({ ...options, once: true }, world, retried.agents);
      return retried.isPartial ? 1 : code;
    }
    case "serve":
      return await serve(options, world);
  }
}

// Loaded when needed, by addresses that Deno cannot see in advance: a wake does not wait for them.
function byHand(): Promise<typeof import("../lib/delivery/deliver_by_hand.ts")> {
  return import(new URL("../lib/delivery/deliver_by_hand.ts", import.meta.url).href);
}

function registry(): Promise<typeof import("../lib/registry.ts")> {
  return import(new URL("../lib/registry.ts", import.meta.url).href);
}

function housekeeping(): Promise<typeof import("../lib/delivery/housekeeping.ts")> {
  return import(new URL("../lib/delivery/housekeeping.ts", import.meta.url).href);
}

async function serve(
  options: DeliverOptions,
  world: DeliverWorld,
  agents?: string[],
): Promise<number> {
  const { paths } = world;
  const stranger = options.claimedBy === undefined && agents === undefined &&
    await whyNoAgent(options.agent, world);
  if (stranger) {
    world.warn(stranger);
    return 1;
  }
  const unread: string[] = [];
  const ids = agents ?? await agentsToServe(options, world, unread);
  // Before the outbox is read: a hook that finds no claim starts another deliverer.
  for (const id of ids) unclaimStart(paths, id);
  const results = await Promise.all(ids.map((id) => serveAlone(id, options, world)));
  await (await housekeeping()).removeOldFiles(paths, world.now());
  await Promise.all(results.flatMap((result) => result.replies));
  const code = report(ids, results, options, world);
  if (unread.length === 0) return code;
  world.warn(onOneLine(`Skipped, since it cannot be read: ${unread.join("; ")}`));
  return 1;
}

/** A mistyped id; undefined where the registry or the outbox knows it, or it cannot be told. */
async function whyNoAgent(
  id: string | undefined,
  { paths }: DeliverWorld,
): Promise<string | undefined> {
  if (id === undefined || agentsIn(paths, "outbox").includes(id)) return;
  const reading = (await registry()).readRegistry(readTextIfThere(paths.registry) ?? "");
  if (reading.kind !== "registry") return undefined;
  if (reading.registry.agents.some(({ agent_id }) => agent_id === id)) return undefined;
  return onOneLine(`There is no agent "${id}" in ${paths.registry}, and no wake waits for it`);
}

async function agentsToServe(
  { agent, claimedBy: by }: DeliverOptions,
  { paths, now }: DeliverWorld,
  unread: string[],
): Promise<string[]> {
  if (agent !== undefined) return [agent];
  const claimed = by === undefined ? [] : claimedBy(paths, by);
  if (claimed.length > 0) return claimed;
  const due = listHolds(paths).filter((hold) => (endOf(hold) ?? Infinity) <= now())
    .map((hold) => hold.agent_id).filter((id) => id !== "");
  // Also when a full disk kept the hook from writing its claim: its wake waits.
  const waiting: string[] = [];
  for (const id of agentsIn(paths, "outbox", (problem) => void unread.push(problem))) {
    try {
      await recoverLost(paths, id, now());
      if (waitingIds(paths, id).length > 0) waiting.push(id);
    } catch {
      waiting.push(id); // serving that agent reports why its folder cannot be read
    }
  }
  return [...new Set([...waiting, ...due])];
}

/** A failure with one agent does not stop the others. */
async function serveAlone(
  id: string,
  options: DeliverOptions,
  world: DeliverWorld,
): Promise<QueueResult> {
  try {
    const takesOver = options.claimedBy === undefined;
    await recoverLost(world.paths, id, world.now());
    return await serveAgent(id, world, { once: options.once, lifeMs: LIFE_MS, takesOver });
  } catch (error) {
    const lastError = `Cannot deliver to "${id}": ${messageOf(error)}`;
    await prepareGuards();
    record(world.paths, { kind: "problem", session: id, agent_id: id, reason: lastError });
    return { kind: "served", delivered: 0, dead: 0, left: 1, lastError, replies: [] };
  }
}

function report(
  ids: string[],
  results: QueueResult[],
  options: DeliverOptions,
  world: DeliverWorld,
): number {
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
    world.say(`${delivered} delivered, ${dead} dead letters, ${left} waiting${also}`);
  }
  if (ours === 0 && dead === 0) return 0;
  const last = results.findLast((result) => result.lastError !== "")?.lastError ?? "";
  world.warn(onOneLine(`Not everything was delivered: ${last}`));
  return 1;
}

/** The agent's session in OpenClaw now: a corrected registry helps wakes that wait. */
function targetFromRegistry(registryPath: string) {
  return async (wake: QueuedWake) => {
    try {
      const { findAgent, readRegistry } = await registry();
      const reading = readRegistry(readTextIfThere(registryPath) ?? "");
      if (reading.kind !== "registry") return undefined;
      // Look up by id: the session may have been renamed, or belong to the agent by its record.
      const match = findAgent(reading.registry, wake.session, wake.agent_id);
      if (match.kind !== "agent" || match.agent.agent_id !== wake.agent_id) return undefined;
      const { openclaw_session_key, openclaw_session_id, transport } = match.agent;
      if (openclaw_session_key + openclaw_session_id === "") return undefined;
      return { openclaw_session_key, openclaw_session_id, transport };
    } catch {
      return undefined;
    }
  };
}

function realWorld(): DeliverWorld {
  const env = (name: string) => Deno.env.get(name);
  const paths = pathsFrom(env, ROOT);
  return {
    paths,
    env,
    allEnv: safeEnvironment,
    now: Date.now,
    sleep: pause,
    targetNow: targetFromRegistry(paths.registry),
    gateway: () => gatewayState(env),
    progress: Deno.stdout.isTerminal() ? terminal.warn : undefined,
    ...terminal,
  };
}

if (import.meta.main) Deno.exit(await main(Deno.args));
