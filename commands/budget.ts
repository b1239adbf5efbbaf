/** Shows what sessions have spent and may spend, and raises the limits of one for the day. */

import { isRefusedAsRoot } from "../lib/doors/as_root.ts";
import { readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { onOneLine } from "../lib/cli/speaker.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { removeStop } from "../lib/doors/spending_stops.ts";
import { raise } from "../lib/fleet/budget_files.ts";
import { BudgetKeeper } from "../lib/fleet/budget_keeper.ts";
import { dollarsAndCents, SETTINGS } from "../lib/fleet/budget_words.ts";
import { budgetsOf, conversationOf, dateOf } from "../lib/fleet/budgets.ts";
import { FleetReader } from "../lib/fleet/fleet_reader.ts";
import { ScreenTimes } from "../lib/fleet/screen_times.ts";
import { type SessionView, viewsOf } from "../lib/fleet/session_view.ts";
import { record } from "../lib/journal.ts";
import { messageOf } from "../lib/process.ts";

export const HELP = `Shows what sessions have spent, and what they may spend.

Usage: gsd-code budget [session or agent] [options]

  gsd-code budget                      all sessions that run
  gsd-code budget warden-main          this one
  gsd-code budget warden-main --more 5 five dollars more: for its conversation, and for its agent today

The limits are max_usd_per_session, max_usd_per_day and max_context_pct in the registry. Where one is
reached, the watch stops the turn, and an agent's instructions are refused. That ends when the limit is
raised, here or in the registry; with the day; with a new conversation; when the context is compacted.

Options:
  --more <usd>   raise both limits in dollars, for this conversation and for today
  --json         the result as one JSON object
  --help         this text
`;

const COMMAND = {
  task: "budget",
  help: HELP,
  flags: ["json"],
  values: { more: "dollars, such as 5 or 2.50" },
  words: 1,
} as const;

interface Line {
  session: string;
  agent_id: string;
  measure: keyof typeof SETTINGS;
  /** Undefined: not known. */
  spent?: number;
  /** 0: none. */
  limit: number;
  reached: boolean;
}

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const [name = ""] = given.words;
  const asked = given.values.more?.at(-1);
  const more = Number(asked ?? 0);
  if (asked !== undefined && !(more > 0 && more <= 1_000_000)) {
    return refuse(`--more needs dollars such as 5 or 2.50, not "${asked}"`, COMMAND, world);
  }
  if (asked !== undefined && name === "") {
    return refuse("--more needs a session", COMMAND, world);
  }
  if (asked !== undefined && isRefusedAsRoot("raise a limit", world)) return 1;
  try {
    let views = await viewsNow(world);
    if (asked !== undefined) {
      raiseFor(views.find(({ session }) => session === name), name, more, world);
      views = await viewsNow(world);
    }
    const own = name === ""
      ? views
      : views.filter(({ session, agent_id }) => session === name || agent_id === name);
    if (name !== "" && own.length === 0) throw new Error("no session of that name runs");
    const lines = own.flatMap(linesOf);
    if (given.flags.json) world.say(JSON.stringify({ sessions: lines }, null, 2));
    else if (lines.length === 0) world.say("No session runs.");
    else for (const line of lines) world.say(words(line));
    return 0;
  } catch (error) {
    const what = asked === undefined ? "show what was spent" : "raise the limit";
    world.warn(
      onOneLine(`Cannot ${what}${name === "" ? "" : ` in "${name}"`}: ${messageOf(error)}`),
    );
    return 1;
  }
}

/** The sessions in which Claude Code runs, with what they have spent. Nothing is written. */
async function viewsNow(world: World): Promise<SessionView[]> {
  const observation = await new FleetReader(world, new ScreenTimes(world.paths)).read();
  new BudgetKeeper(world.paths).note(observation.sessions, observation.now);
  return viewsOf(observation).filter(({ seen }) => seen.agent && seen.holds === "alive");
}

function raiseFor(
  view: SessionView | undefined,
  name: string,
  usd: number,
  { paths, now, say }: World,
): void {
  if (view === undefined) throw new Error("no session of that name runs");
  const { max_usd_per_session, max_usd_per_day } = view.seen.agent!.settings;
  if (max_usd_per_session + max_usd_per_day === 0) {
    throw new Error("the registry sets no limit in dollars for it");
  }
  const claude = conversationOf(view.seen);
  raise(paths, view.agent_id, { claude, date: dateOf(now().getTime()), usd });
  const about = { session: name, agent_id: view.agent_id };
  record(paths, { kind: "session", ...about, reason: `limit raised: by ${dollarsAndCents(usd)}` });
  // The watch writes it again if the raise is not enough.
  removeStop(paths, name);
  say(`${name} may spend ${dollarsAndCents(usd)} more, in this conversation and today`);
}

function linesOf(view: SessionView): Line[] {
  const { session, agent_id, context_pct, seen: { agent, spending, usage } } = view;
  const { settings } = agent!;
  const reached = budgetsOf(view).filter(({ level }) => level === "reached")
    .map(({ measure }) => measure);
  const isKnown = usage?.usd !== undefined;
  const spent = {
    session: spending?.session?.usd,
    day: isKnown || (spending?.day.usd ?? 0) > 0 ? spending?.day.usd : undefined,
    context: context_pct,
  };
  const raised = { session: spending?.more.session, day: spending?.more.day, context: 0 };
  return (["session", "day", "context"] as const).map((measure) => {
    const max = settings[SETTINGS[measure]];
    return {
      ...{ session, agent_id, measure },
      ...(spent[measure] === undefined ? {} : { spent: spent[measure] }),
      limit: max === 0 ? 0 : max + (raised[measure] ?? 0),
      reached: reached.includes(measure),
    };
  });
}

function words({ session, agent_id, measure, spent, limit, reached }: Line): string {
  const amount = (value: number) =>
    measure === "context" ? `${Math.round(value)} %` : dollarsAndCents(value);
  const what = {
    ...{ session: "this conversation", day: `today, all of ${agent_id}`, context: "context" },
  }[measure];
  const known = spent === undefined ? "not known" : amount(spent);
  const of = limit === 0 ? "no limit" : `of ${amount(limit)}`;
  const end = reached ? "  REACHED" : "";
  return `${session}  ${what}: ${known}, ${of} (${SETTINGS[measure]})${end}`;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
