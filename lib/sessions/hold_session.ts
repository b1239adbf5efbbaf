/** Begins and ends holds: pause and resume of an agent or a session, take and give of a session. */

import { nearest } from "../cli/nearest.ts";
import type { World } from "../cli/world.ts";
import {
  endOf,
  type Hold,
  type HoldKind,
  holdsOn,
  listHolds,
  readHold,
  writeHold,
} from "../doors/holds.ts";
import { recordCall } from "../driver/record_call.ts";
import { namesIn } from "../files.ts";
import { originalName } from "../paths.ts";
import { startIfQueued } from "../queue_runner.ts";
import { registryIn } from "./spawn_agent.ts";
import { findSession, whyNotOurs } from "./find_session.ts";
import { driverWords } from "./tmux_servers.ts";
import { readQueue } from "../steps_file.ts";
import { shellQuote } from "../text.ts";

export interface HoldTarget {
  kind: "agent" | "session";
  name: string;
  agent_id: string;
  /** How the agent calls the menu driver for the session. */
  driver?: string;
}

/** An agent by its id, else a session by its name; throws where there is neither. */
export async function holdTarget(world: World, name: string): Promise<HoldTarget> {
  const ids = registryIn(world)?.agents.map(({ agent_id }) => agent_id) ?? [];
  return ids.includes(name)
    ? { kind: "agent", name, agent_id: name }
    : await sessionTarget(world, name, ids);
}

/** A session of an agent, by its name. */
export async function sessionTarget(
  world: World,
  name: string,
  alsoMeant: string[] = [],
): Promise<HoldTarget> {
  const found = await findSession(world, name, { needsTmux: false });
  const foreign = whyNotOurs(world, found);
  if (foreign !== undefined) {
    const near = nearest(name, alsoMeant);
    const isNeither = alsoMeant.length > 0 && foreign === `there is no session "${name}"`;
    const hint = near !== undefined
      ? `; did you mean the agent ${near}?`
      : isNeither
      ? ", and no agent of that id"
      : "";
    throw new Error(foreign + hint);
  }
  if (found.agent === undefined) throw new Error("no enabled agent of the registry has it");
  const { session, agent: { agent_id }, server: { socket } } = found;
  return {
    kind: "session",
    name: session,
    agent_id,
    driver: driverWords(world.paths, socket).map(shellQuote).join(" "),
  };
}

export interface HoldResult extends HoldTarget {
  state: "planned" | "paused" | "resumed" | "taken" | "given back";
  since: string;
  until?: string;
}

/** What holds wakes of it when this hold has ended; "" where nothing does. */
export function stillHeld(
  { paths, now }: World,
  { kind, name, agent_id }: HoldTarget,
  isTaken = false,
): string {
  const ending: HoldKind = isTaken ? "taken" : kind;
  return listHolds(paths)
    .filter((hold) => hold.kind !== ending || hold.name !== name)
    .filter((hold) => (endOf(hold) ?? Infinity) > now().getTime())
    .filter((hold) =>
      kind === "agent"
        ? hold.agent_id === agent_id
        : holdsOn([hold], { agent_id, session: name, trigger: "" }).length > 0
    ).map(holdWords).join("; ");
}

function holdWords({ kind, name, until }: Hold): string {
  if (kind === "quiet") return `${name} has quiet hours until ${until ?? "their end"}`;
  if (kind === "taken") return `a person has ${name} (gsd-code give ${shellQuote(name)})`;
  return `the ${kind} ${name} is paused (gsd-code resume ${shellQuote(name)})`;
}

function kindOf(target: HoldTarget, isTaken: boolean): HoldKind {
  return isTaken ? "taken" : target.kind;
}

/** An existing hold keeps its start time. */
export async function beginHold(
  world: World,
  target: HoldTarget,
  { isTaken, forMs, dryRun }: { isTaken: boolean; forMs?: number; dryRun: boolean },
): Promise<HoldResult> {
  const now = world.now();
  const kind = kindOf(target, isTaken);
  const present = openHold(world, kind, target.name);
  if (present === undefined && readHold(world.paths, kind, target.name) !== undefined) {
    // Overwriting it would send the held wakes twice, or lose the person's words.
    if (!dryRun) world.startDeliverer(target.agent_id);
    throw new Error("the last one is just ending: try again in a moment");
  }
  const until = forMs === undefined ? {} : { until: new Date(now.getTime() + forMs).toISOString() };
  const since = present?.since || now.toISOString();
  if (dryRun) return { ...target, state: "planned", since, ...until };
  const state = isTaken ? "taken" : "paused";
  writeHold(world.paths, { ...target, kind, since, ...until });
  await note(world, target, state);
  return { ...target, state, since, ...until };
}

/**
 * The deliverer ends it: it alone may change what waits. Throws where nothing is held. `said`: what
 * the person did.
 */
export async function endHold(
  world: World,
  target: HoldTarget,
  { isTaken, said, dryRun }: { isTaken: boolean; said?: string; dryRun: boolean },
): Promise<HoldResult> {
  const kind = kindOf(target, isTaken);
  const hold = openHold(world, kind, target.name);
  if (hold === undefined) {
    throw new Error(isTaken ? "it is not taken" : `the ${target.kind} is not paused`);
  }
  const now = world.now().toISOString();
  const about = { ...target, since: hold.since, until: now };
  if (dryRun) return { ...about, state: "planned" };
  writeHold(world.paths, { ...hold, ...(said ? { said } : {}), until: now });
  await note(world, target, isTaken ? "to be given back" : "to be resumed");
  world.startDeliverer(target.agent_id);
  startQueues(world, target);
  return { ...about, state: isTaken ? "given back" : "resumed" };
}

/** Steps have waited for the end of the hold. */
function startQueues({ paths, env, now }: World, { kind, name, agent_id }: HoldTarget): void {
  const sessions = kind === "session" ? [name] : namesIn(`${paths.state}/queue`).map(originalName);
  for (const session of sessions) {
    try {
      const queue = readQueue(paths, session);
      if (queue?.agent_id === agent_id) startIfQueued(paths, env, session, now());
    } catch {
      // Its next turn, or the watch, tries again.
    }
  }
}

/** One that is there and has not ended. */
function openHold(world: World, kind: HoldKind, name: string): Hold | undefined {
  const hold = readHold(world.paths, kind, name);
  const isOver = hold !== undefined && (endOf(hold) ?? Infinity) <= world.now().getTime();
  return isOver ? undefined : hold;
}

async function note(
  world: World,
  { kind, name, agent_id }: HoldTarget,
  reason: string,
): Promise<void> {
  await recordCall(world, { session: kind === "agent" ? agent_id : name, agent_id, reason });
}

/** `90s`, `30m`, `2h`, `1d`, or several: `1h30m`; undefined for anything else. */
export function durationIn(text: string): number | undefined {
  if (!/^(\d+[smhd])+$/.test(text)) return undefined;
  const unit: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  const ms = Array.from(
    text.matchAll(/(\d+)([smhd])/g),
    ([, count, of]) => Number(count) * unit[of!]!,
  )
    .reduce((sum, part) => sum + part, 0);
  return ms > 0 && ms <= 366 * unit.d! ? ms : undefined;
}
