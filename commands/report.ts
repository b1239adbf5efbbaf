/** Sums up a night: turns, questions, waits, failures, commits. */

import { type CommandLine, readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { isRefusedAsRoot } from "../lib/doors/as_root.ts";
import { isFolder, writeAtomic } from "../lib/files.ts";
import { messageOf } from "../lib/process.ts";
import { isReport, sendToGlobal } from "../lib/sessions/global_status.ts";
import { type Commit, figuresOf, type ReportFigures } from "../lib/story/figures.ts";
import { commitsIn } from "../lib/story/commits.ts";
import { memoryIfReadable } from "../lib/story/costs.ts";
import { reportPage } from "../lib/story/report_page.ts";
import { reportText } from "../lib/story/report_text.ts";
import { meantBy, namesInStory, storyOf } from "../lib/story/read_story.ts";
import { momentOf, SINCE_FORMS } from "../lib/story/since.ts";

export const HELP = `Sums up a night, or any other time: a line for each session.

Usage: gsd-code report [<session or agent>] [options]

  gsd-code report --since 22:00                     this night
  gsd-code report --since 22:00 --html night.html   the same as a page, with lanes over time
  gsd-code report --since 7d warden                 a week of one agent
  gsd-code report --since 22:00 --send              for the global status session of the registry

  22:00 – 07:00   9 h, 2 sessions, 22 turns, $11.40, 7 commits
  shop-main  ▆▆▆▆░░▆▆▆▆▆▆▆▆▆▆░░  14 turns · 3 questions (2 by warden, 1 open) · 7 h at work
                                 waited 55 min for its agent · $7.30
  docs       ▆▆▓▓▓▓▓▓▓▓▆▆▆▆▆▆··  8 turns · 3 h at work · 3 h 10 min limited · $4.10
  ▆ works   ░ waits for its agent   ▓ limited   · idle
  Median wait: 41 s for agents · nothing unsent · 1 unanswered
  Now: shop-main: waits for its agent for 31 min · Which database should we use?

Each sign of a bar is an equal part of the time. A session that has ended its turn waits for
the agent or person who gives the next instruction; without one it is idle. Costs are there where
Claude Code reports them. Commits are those on the local branches of the session's folder, made in
that time.

Options:
  --since <when>   a time (22:00), a date (2026-11-16) or an age (30min, 12h, 7d); 12h by default
  --html <file>    write a page; it needs no script and no network
  --send           send the report to the global status session
  --json           all figures as one JSON object
  --help           this text
`;

const COMMAND = {
  task: "report",
  help: HELP,
  flags: ["json", "send"],
  values: { since: SINCE_FORMS, html: "the name of a file" },
  words: 1,
} as const;

type Given = CommandLine<"json" | "send", "since" | "html">;

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  if (given.flags.send && isRefusedAsRoot("send the report", world)) return 1;
  try {
    return await report(given, world);
  } catch (error) {
    world.warn(`Cannot make the report: ${messageOf(error)}`);
    return 1;
  }
}

/** The records from before show in which state each session was. */
const BEFORE_MS = 86_400_000;

async function report({ flags, values, words: [name] }: Given, world: World): Promise<number> {
  const until = world.now();
  const asked = values.since?.at(-1) ?? "12h";
  const since = momentOf(asked, until);
  if (since === undefined || since.getTime() >= until.getTime()) {
    return refuse(`--since takes ${SINCE_FORMS}, not "${asked}"`, COMMAND, world);
  }
  const figures = await gather(name, since.getTime(), until.getTime(), world);
  if (name !== undefined && figures.sessions.length === 0) {
    const meant = meantBy(name, namesInStory(world.paths));
    world.warn(`Nothing is known of a session or agent "${name}" in that time${meant}`);
    return 1;
  }
  if (flags.json) world.say(JSON.stringify(figures, null, 1));
  else world.say(reportText(figures, width()));
  const page = values.html?.at(-1);
  if (page !== undefined) {
    const path = page.startsWith("/") ? page : `${world.cwd()}/${page}`;
    const folder = path.slice(0, path.lastIndexOf("/")) || "/";
    if (!isFolder(folder)) throw new Error(`there is no folder ${folder} for the page`);
    writeAtomic(path, reportPage(figures));
    world.warn(`The page is ${path}`);
  }
  if (flags.send) {
    const wakeId = sendToGlobal(world, "report", reportText(figures));
    world.warn(`Queued for the global status session: wake ${wakeId}`);
  }
  return 0;
}

async function gather(
  name: string | undefined,
  since: number,
  until: number,
  world: World,
): Promise<ReportFigures> {
  const problems: string[] = [];
  const wish = { name, since: since - BEFORE_MS };
  const records = storyOf(world.paths, wish, (why) => problems.push(why))
    .filter(({ agent_id, session }) => !isReport(String(agent_id), String(session)));
  if (problems.length > 0) world.warn(`Skipped, since it cannot be read: ${problems.join("; ")}`);
  const sessions = [...new Set(records.map((line) => String(line.session)))];
  const commits = new Map<string, Commit[]>();
  for (const session of sessions) {
    const memory = memoryIfReadable(world.paths, session);
    commits.set(session, await commitsIn(world.env, memory?.cwd ?? "", since, until));
  }
  return figuresOf(records, since, until, commits);
}

function width(): number | undefined {
  return Deno.stdout.isTerminal() ? Deno.consoleSize().columns : undefined;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
