/** Shows what every session does, and the life of one wake. */

import { asCalled } from "../lib/cli/as_called.ts";
import { type Colours, colours } from "../lib/cli/colours.ts";
import { readCommandLine } from "../lib/cli/command_line.ts";
import { onOneLine } from "../lib/cli/speaker.ts";
import { table } from "../lib/cli/table.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { type GatewayState, gatewayState } from "../lib/delivery/gateway_up.ts";
import { lifeOf, type LifeStep, type SessionStatus, statusOf } from "../lib/delivery/wake_life.ts";
import { type ListedWake, listWakes } from "../lib/delivery/wake_list.ts";
import { FleetReader } from "../lib/fleet/fleet_reader.ts";
import { withOld } from "../lib/fleet/old_sessions.ts";
import { ScreenTimes } from "../lib/fleet/screen_times.ts";
import { type SessionView, viewsOf } from "../lib/fleet/session_view.ts";
import { agoOf } from "../lib/fleet/ago.ts";
import {
  nowLine,
  paintState,
  statusTable,
  totalsLines,
  whatToDo,
} from "../lib/fleet/status_table.ts";
import { loadRegistry } from "../lib/gate.ts";
import { isWatched } from "../lib/fleet/watch_lock.ts";
import { journalSessions, readJournal, whyUnreadable } from "../lib/journal_read.ts";
import { waitingIds } from "../lib/outbox_files.ts";
import { messageOf } from "../lib/process.ts";
import { GLOBAL_AGENT } from "../lib/sessions/global_status.ts";
import { dollars } from "../lib/story/since.ts";
import { SpentToday } from "../lib/story/spent_today.ts";

export interface StatusWorld extends World {
  /** The width of the terminal; undefined where the output is not a terminal. */
  columns?: () => number | undefined;
  gateway?: () => Promise<GatewayState>;
  colours?: Colours;
}

export const HELP = `Shows what every session does, since when, and what waits to be sent.

Usage: gsd-code status [<session or agent>] [--all] [--json]
       gsd-code status --wake <wake_id> [--json]

  --all             also sessions that have ended
  --wake <wake_id>  the life of one wake: queued, failed, delivered, answered, with times
  --json            for programs
  --help            this text

What waits for an answer comes first, then failures, then work, then idle sessions. With a name it
also says how that is known, and what was delivered last.

Examples:
  gsd-code status
  gsd-code status warden-main
  gsd-code status --wake 01K9ZQ3V7T8M2N4P6R8S0V2X4Z
`;

const COMMAND = {
  task: "status",
  help: HELP,
  flags: ["json", "all"],
  values: { wake: "a wake id" },
  words: 1,
} as const;

export async function main(
  args: string[],
  world: StatusWorld = realStatusWorld(),
): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const { flags, values, words } = given;
  const wakeId = values.wake?.at(-1);
  try {
    return wakeId === undefined
      ? await showSessions(words[0], flags, world)
      : showWake(wakeId, flags.json, world);
  } catch (error) {
    world.warn(`Cannot read the state in ${world.paths.state}: ${messageOf(error)}`);
    return 1;
  }
}

async function showSessions(
  name: string | undefined,
  { json, all }: { json: boolean; all: boolean },
  world: StatusWorld,
): Promise<number> {
  const now = world.now().getTime();
  const reader = new FleetReader(world, new ScreenTimes(world.paths));
  const observation = await reader.read();
  const { known, problems } = journals(world);
  const views = withOld(viewsOf(observation), observation.now, known, world.paths);
  warnOf([...new Set([...problems, ...observation.problems])], world);
  const chosen = views.filter((view) =>
    name === undefined
      ? all || view.state !== "ended" || view.unsent + view.dead > 0
      : view.session === name || view.agent_id === name
  );
  if (name !== undefined && chosen.length === 0) {
    const reading = loadRegistry(world.paths.registry);
    const isAgent = reading.kind === "registry" &&
      reading.registry.agents.some(({ agent_id }) => agent_id === name);
    world.warn(
      isAgent
        ? `Agent "${name}" has no session: none runs, and no wake was made for one`
        : `There is no session or agent "${name}": none runs, and no wake was made for it`,
    );
    return 1;
  }
  if (json) {
    world.say(JSON.stringify(chosen.map((view) => asJson(view, world)), null, 1));
    return 0;
  }
  const reports = unsentReports(world);
  const unsent = reports === 0 ? [] : [`${reports} unsent to the global status session`];
  if (chosen.length === 0) {
    const hidden = views.length === 0
      ? ". Start one: gsd-code spawn <agent> <folder>"
      : `; gsd-code status --all shows ${views.length} more`;
    for (const line of [`No session runs${hidden}`, ...unsent]) world.say(asCalled(line));
    return 0;
  }
  const columns = world.columns?.();
  const inks = world.colours ?? colours(columns !== undefined);
  world.say(statusTable(chosen, now, columns, paintState(inks)));
  if (name === undefined) {
    const gateway = await (world.gateway ?? (() => gatewayState(world.env)))();
    const watch = isWatched(world.paths) ? "up" : "off";
    const usd = new SpentToday(world.paths).usd(world.now());
    const spent = usd === undefined ? [] : [`${dollars(usd)} today`];
    const around = [...spent, ...unsent, `gateway ${gateway}`, `watch ${watch}`];
    world.say(totalsLines(chosen, around, columns));
    const next = columns === undefined ? "" : whatToDo(chosen);
    if (next !== "") world.say(inks.dim(next));
  } else for (const view of chosen) world.say(detailsOf(view, deliveriesOf(view, world), now));
  return 0;
}

function deliveriesOf(view: SessionView, { paths }: StatusWorld): SessionStatus {
  const status = statusOf(view.session, readJournal(paths, view.session), []);
  const agent_id = view.agent_id || status.agent_id;
  return { ...status, agent_id, waiting: view.unsent, dead: view.dead };
}

function asJson(view: SessionView, world: StatusWorld): Record<string, unknown> {
  const time = (at: number | undefined) => at ? new Date(at).toISOString() : undefined;
  const { session, agent_id, ...deliveries } = deliveriesOf(view, world);
  return {
    session,
    agent_id,
    state: view.state,
    since: time(view.since),
    until: time(view.until),
    now: nowLine(view),
    evidence: view.evidence,
    context_pct: view.context_pct,
    claude_session_id: view.seen.entry?.sessionId ?? view.seen.memory?.claude_session_id,
    ...deliveries,
  };
}

function detailsOf(view: SessionView, status: SessionStatus, now: number): string {
  const { last_delivered: last, last_failure: failure } = status;
  const since = (at: string) => `${agoOf(now - Date.parse(at))} ago`;
  return [
    `${view.session}: ${view.evidence}`,
    `  delivered: ${status.delivered}, unsent: ${view.unsent}, dead letters: ${view.dead}`,
    last && `  last delivered: ${since(last.at)}, ${last.transport}, ${last.duration_ms} ms`,
    failure && `  last failure: ${since(failure.at)}: ${failure.reason}`,
  ].filter(Boolean).join("\n");
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

function unsentReports({ paths }: StatusWorld): number {
  try {
    return waitingIds(paths, GLOBAL_AGENT).length;
  } catch {
    return 0; // the reader has said why
  }
}

/** Unreadable files are skipped; the rest is shown. */
function warnOf(problems: string[], { warn }: StatusWorld): void {
  if (problems.length === 0) return;
  const more = problems.length === 1 ? "" : `; and ${problems.length - 1} more`;
  warn(onOneLine(`Skipped, since it cannot be read: ${problems[0]}${more}`));
}

function showWake(wakeId: string, json: boolean, world: StatusWorld): number {
  const { known, problems } = journals(world);
  const records = known.flatMap((session) => [...readJournal(world.paths, session)]);
  const steps = lifeOf(wakeId, records);
  const listed = listWakes(
    world.paths,
    undefined,
    world.now().getTime(),
    (one) => problems.push(one),
  );
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

function realStatusWorld(): StatusWorld {
  const columns = () => Deno.stdout.isTerminal() ? Deno.consoleSize().columns : undefined;
  return { ...realWorld(), columns };
}

if (import.meta.main) Deno.exit(await main(Deno.args));
