/** What a person does with wakes: list them, send dead letters again, drop them. */

import "../cli/load_guards.ts";
import type { Speaker } from "../cli/lines.ts";
import { table } from "../cli/table.ts";
import { removeIfThere } from "../files.ts";
import { record } from "../journal.ts";
import type { Paths } from "../paths.ts";
import type { DeliverOptions } from "./deliver_args.ts";
import { type ListedWake, listWakes, requeue } from "./wake_list.ts";

export interface HandWorld extends Speaker {
  paths: Paths;
  now(): number;
}

const COLUMNS = ["STATE", "WAKE", "AGENT", "SESSION", "TRIGGER", "AGE", "TRIES", "REASON"];

export function list(options: DeliverOptions, world: HandWorld): number {
  const wakes = wakesOf(options, world);
  if (options.json) world.say(JSON.stringify(wakes, null, 1));
  else if (wakes.length === 0) world.say("No wake waits, and there are no dead letters");
  else world.say(table(COLUMNS, wakes.map(row)));
  return 0;
}

function row(wake: ListedWake): string[] {
  const { state, wake_id, agent_id, session, trigger, age_s, tries, reason } = wake;
  return [state, wake_id, agent_id, session, trigger, `${age_s}s`, String(tries), reason];
}

/** Puts dead letters back into the outbox: the agents to serve, or the exit code without any. */
export function retry(
  wakeId: string | undefined,
  options: DeliverOptions,
  world: HandWorld,
): { agents: string[]; isPartial: boolean } | number {
  const wakes = chosen(wakeId, options, world);
  if (wakes.length === 0) return none(wakeId, world);
  const lost = wakes.filter((wake) =>
    wake.state === "dead" && !requeue(world.paths, wake, world.now())
  );
  for (const { wake_id, file } of lost) {
    world.warn(`Cannot send ${wake_id} again: ${file} is not a wake; --drop ${wake_id} removes it`);
  }
  const agents = new Set(wakes.filter((wake) => !lost.includes(wake)).map((wake) => wake.agent_id));
  return agents.size === 0 ? 1 : { agents: [...agents], isPartial: lost.length > 0 };
}

export function drop(
  wakeId: string | undefined,
  options: DeliverOptions,
  world: HandWorld,
): number {
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

/** The wake of that id, waiting or a dead letter; without an id all dead letters. */
function chosen(
  wakeId: string | undefined,
  options: DeliverOptions,
  world: HandWorld,
): ListedWake[] {
  return wakesOf(options, world).filter((wake) =>
    wakeId === undefined ? wake.state === "dead" : wake.wake_id === wakeId
  );
}

function wakesOf({ agent }: DeliverOptions, { paths, now, warn }: HandWorld): ListedWake[] {
  return listWakes(
    paths,
    agent,
    now(),
    (problem) => warn(`Skipped, since it cannot be read: ${problem}`),
  );
}

function none(wakeId: string | undefined, world: HandWorld): number {
  if (wakeId === undefined) {
    world.say("There are no dead letters");
    return 0;
  }
  world.warn(
    `There is no wake "${wakeId}": gsd-code deliver --list shows waiting wakes and dead letters`,
  );
  return 1;
}
