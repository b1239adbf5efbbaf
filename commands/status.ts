/** How each session stands, and the life of one wake. */

import { parseArgs } from "@std/cli/parse-args";
import { journalSessions, readJournal } from "../lib/journal.ts";
import { type Paths, pathsFrom, ROOT } from "../lib/paths.ts";
import { messageOf } from "../lib/process.ts";
import { table } from "../lib/table.ts";
import { lifeOf, type LifeStep, type SessionStatus, statusOf } from "../lib/delivery/wake_life.ts";
import { type ListedWake, listWakes } from "../lib/delivery/wake_list.ts";

export interface World {
  paths: Paths;
  now(): number;
  out(text: string): void;
  err(text: string): void;
}

const HELP = `Shows what waits, what was delivered and what went wrong.

Usage: deno task status [<session or agent>] [--json]
       deno task status --wake <wake_id> [--json]

  --wake <wake_id>  the life of one wake: queued, tried, delivered, answered, with times
  --json            for programs
  --help            this text

Examples:
  deno task status
  deno task status warden-main
  deno task status --wake 01K9ZQ3V7T8M2N4P6R8S0V2X4Z
`;

export function main(args: string[], world: World): Promise<number> {
  const wrong: string[] = [];
  const options = parseArgs(args, {
    boolean: ["json", "help"],
    string: ["wake"],
    alias: { h: "help" },
    unknown: (arg) => arg.startsWith("-") ? (wrong.push(arg), false) : true,
  });
  const names = options._.map(String);
  const usage = (problem: string) => {
    world.err(`${problem} (see deno task status --help)\n`);
    return Promise.resolve(2);
  };
  if (options.help) {
    world.out(HELP);
    return Promise.resolve(0);
  }
  if (wrong.length > 0) return usage(`"${wrong[0]}" is not an option`);
  if (names.length > 1) return usage("Only one session or agent can be named");
  if (options.wake === "") return usage("--wake needs a wake id");
  const json = options.json === true;
  return Promise.resolve(
    typeof options.wake === "string"
      ? showWake(options.wake, json, world)
      : showSessions(names[0], json, world),
  );
}

function showSessions(name: string | undefined, json: boolean, world: World): number {
  const listed = listWakes(world.paths, undefined, world.now());
  const sessions = new Set([
    ...journalSessions(world.paths),
    ...listed.map((wake) => wake.session),
  ]);
  const all = [...sessions].sort()
    .map((session) => statusOf(session, readJournal(world.paths, session), listed))
    .filter((one) => name === undefined || one.session === name || one.agent_id === name);
  if (name !== undefined && all.length === 0) {
    world.err(`Nothing is known of a session or agent "${name}": no wake was ever made for it\n`);
    return 1;
  }
  if (json) world.out(JSON.stringify(all, null, 1) + "\n");
  else if (all.length === 0) world.out("No session has made a wake yet\n");
  else {
    const head = [
      "AGENT",
      "SESSION",
      "WAITING",
      "GIVEN UP",
      "DELIVERED",
      "LAST DELIVERED",
      "LAST FAILURE",
    ];
    world.out(table(head, all.map((one) => row(one, world.now()))));
  }
  return 0;
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

function showWake(wakeId: string, json: boolean, world: World): number {
  const records = journalSessions(world.paths).flatMap((
    session,
  ) => [...readJournal(world.paths, session)]);
  const steps = lifeOf(wakeId, records);
  const place = listWakes(world.paths, undefined, world.now()).find((wake) =>
    wake.wake_id === wakeId
  );
  if (steps.length === 0 && place === undefined) {
    world.err(`No wake "${wakeId}" is known: its journal may have been rotated away\n`);
    return 1;
  }
  const state = stateOf(steps, place);
  if (json) world.out(JSON.stringify({ wake_id: wakeId, state, steps }, null, 1) + "\n");
  else {
    world.out(`${wakeId}: ${state}\n`);
    const rows = steps.map((step) => [step.at, `+${step.after_ms} ms`, step.kind, step.text]);
    world.out(table(["AT", "AFTER", "WHAT", ""], rows));
  }
  return 0;
}

function stateOf(steps: LifeStep[], place: ListedWake | undefined): string {
  if (place !== undefined) return place.state;
  const kinds = new Set(steps.map((step) => step.kind));
  if (kinds.has("delivered")) return "delivered";
  if (kinds.has("dead")) return "dropped";
  // It has left the outbox: its deliverer was stopped before it could write that down.
  return "delivered, without a record of it";
}

function ago(at: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1000));
  if (seconds < 120) return `${seconds} s ago`;
  return seconds < 7200
    ? `${Math.round(seconds / 60)} min ago`
    : `${Math.round(seconds / 3600)} h ago`;
}

function realWorld(): World {
  const env = (name: string) => Deno.env.get(name);
  const write = (to: typeof Deno.stdout) => (text: string) => {
    try {
      to.writeSync(new TextEncoder().encode(text));
    } catch {
      // Nobody listens any more.
    }
  };
  return {
    paths: pathsFrom(env, ROOT),
    now: Date.now,
    out: write(Deno.stdout),
    err: write(Deno.stderr),
  };
}

async function guarded(args: string[], world: World): Promise<number> {
  try {
    return await main(args, world);
  } catch (error) {
    world.err(`Cannot read the state in ${world.paths.state}: ${messageOf(error)}\n`);
    return 1;
  }
}

if (import.meta.main) Deno.exit(await guarded(Deno.args, realWorld()));
