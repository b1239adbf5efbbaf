/** Shows the status of each session, and the life of one wake. */

import { readCommandLine } from "../lib/cli/command_line.ts";
import { type Speaker, terminal } from "../lib/cli/speaker.ts";
import { journalSessions, readJournal, whyUnreadable } from "../lib/journal.ts";
import { type Paths, pathsFrom, ROOT } from "../lib/paths.ts";
import { messageOf } from "../lib/process.ts";
import { table } from "../lib/cli/table.ts";
import { lifeOf, type LifeStep, type SessionStatus, statusOf } from "../lib/delivery/wake_life.ts";
import { type ListedWake, listWakes } from "../lib/delivery/wake_list.ts";

export interface StatusWorld extends Speaker {
  paths: Paths;
  now(): number;
}

export const HELP = `Shows what waits, what was delivered and what went wrong.

Usage: gsd-code status [<session or agent>] [--json]
       gsd-code status --wake <wake_id> [--json]

  --wake <wake_id>  the life of one wake: queued, failed, delivered, answered, with times
  --json            for programs
  --help            this text

Examples:
  gsd-code status
  gsd-code status warden-main
  gsd-code status --wake 01K9ZQ3V7T8M2N4P6R8S0V2X4Z
`;

const COMMAND = {
  task: "status",
  help: HELP,
  flags: ["json"],
  values: { wake: "a wake id" },
  words: 1,
} as const;

export function main(args: string[], world: StatusWorld = realWorld()): number {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const { flags, values, words } = given;
  const wakeId = values.wake?.at(-1);
  try {
    return wakeId === undefined
      ? showSessions(words[0], flags.json, world)
      : showWake(wakeId, flags.json, world);
  } catch (error) {
    world.warn(`Cannot read the state in ${world.paths.state}: ${messageOf(error)}`);
    return 1;
  }
}

function showSessions(name: string | undefined, json: boolean, world: StatusWorld): number {
  const { known, problems } = journals(world);
  const listed = listWakes(world.paths, undefined, world.now(), (one) => problems.push(one));
  warnOf(problems, world);
  const sessions = new Set([
    ...known,
    ...listed.map((wake) => wake.session),
  ]);
  const all = [...sessions].sort()
    .map((session) => statusOf(session, readJournal(world.paths, session), listed))
    .filter((one) => name === undefined || one.session === name || one.agent_id === name);
  if (name !== undefined && all.length === 0) {
    world.warn(`There is no record of a session or agent "${name}": no wake was ever made for it`);
    return 1;
  }
  if (json) world.say(JSON.stringify(all, null, 1));
  else if (all.length === 0) world.say("No session has made a wake yet");
  else {
    const head = [
      "AGENT",
      "SESSION",
      "WAITING",
      "DEAD",
      "DELIVERED",
      "LAST DELIVERED",
      "LAST FAILURE",
    ];
    world.say(table(head, all.map((one) => row(one, world.now()))));
  }
  return 0;
}

/** The sessions that have a journal, and why some journals cannot be read. */
function journals({ paths }: StatusWorld): { known: string[]; problems: string[] } {
  try {
    const known = journalSessions(paths);
    return { known, problems: known.flatMap((session) => whyUnreadable(paths, session) ?? []) };
  } catch (error) {
    return { known: [], problems: [messageOf(error)] };
  }
}

/** Unreadable files are skipped; the rest is shown. */
function warnOf(problems: string[], { warn }: StatusWorld): void {
  if (problems.length === 0) return;
  const more = problems.length === 1 ? "" : `; and ${problems.length - 1} more`;
  warn(`Skipped, since it cannot be read: ${problems[0]}${more}`);
}

function row(one: SessionStatus, now: number): string[] {
  const { last_delivered: last, last_failure: failure } = one;
  return [
    one.agent_id,
    one.session,
    String(one.waiting),
    String(one.dead),
    String(one.delivered),
    last ? `${ago(last.at, now)}, ${last.transport}, ${last.duration_ms} ms` : "never",
    failure ? `${ago(failure.at, now)}: ${failure.reason}` : "none",
  ];
}

function showWake(wakeId: string, json: boolean, world: StatusWorld): number {
  const { known, problems } = journals(world);
  const records = known.flatMap((session) => [...readJournal(world.paths, session)]);
  const steps = lifeOf(wakeId, records);
  const listed = listWakes(world.paths, undefined, world.now(), (one) => problems.push(one));
  warnOf(problems, world);
  const place = listed.find((wake) => wake.wake_id === wakeId);
  if (steps.length === 0 && place === undefined) {
    world.warn(`No wake "${wakeId}" is known: its journal may have been rotated away`);
    return 1;
  }
  const state = stateOf(steps, place);
  if (json) world.say(JSON.stringify({ wake_id: wakeId, state, steps }, null, 1));
  else {
    world.say(`${wakeId}: ${state}`);
    const rows = steps.map((step) => [step.at, `+${step.after_ms} ms`, step.kind, step.text]);
    world.say(table(["AT", "AFTER", "WHAT", ""], rows));
  }
  return 0;
}

function stateOf(steps: LifeStep[], place: ListedWake | undefined): string {
  if (place !== undefined) return place.state;
  const kinds = new Set(steps.map((step) => step.kind));
  if (kinds.has("delivered")) return "delivered";
  if (kinds.has("dead")) return "dropped";
  if (kinds.has("suppressed")) return "left out";
  // It is not in the outbox: its deliverer was stopped before it recorded the delivery.
  return "delivered, without a record of it";
}

function ago(at: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1000));
  if (seconds < 120) return `${seconds} s ago`;
  return seconds < 7200
    ? `${Math.round(seconds / 60)} min ago`
    : `${Math.round(seconds / 3600)} h ago`;
}

function realWorld(): StatusWorld {
  return { paths: pathsFrom((name) => Deno.env.get(name), ROOT), now: Date.now, ...terminal };
}

if (import.meta.main) Deno.exit(main(Deno.args));
