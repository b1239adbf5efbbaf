/** What the watch costs while many sessions are idle: processor time, memory, calls of tmux. */

import { readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { terminal } from "../lib/cli/speaker.ts";
import { table } from "../lib/cli/table.ts";
import { readTextIfThere } from "../lib/files.ts";
import { startOf } from "../lib/fleet/claude_entries.ts";
import { projectName } from "../lib/sessions/conversations.ts";
import { startProgram } from "../tests/support/child_process.ts";
import { writeExecutable } from "../tests/support/executable.ts";
import { fixturePane, fixtureTranscript } from "../tests/support/fixtures.ts";
import { TestHome } from "../tests/support/home.ts";
import { TmuxServer } from "../tests/support/tmux_server.ts";
import { pause, until } from "../tests/support/until.ts";
import { ROOT } from "../lib/paths.ts";

const HELP = `Measures what the watch costs while sessions are idle.

Usage: deno task bench-watch [--sessions <n>] [--minutes <n>] [--json]

The sessions are real, in a tmux server of their own. In each a stand-in shows the screen of an idle
Claude Code, and has an entry in its list and a transcript. tmux is called through a program that
counts the calls. Processor time is that of the watch and of all that it starts.

  --sessions <n>  how many (default 20)
  --minutes <n>   how long (default 10)
  --json          for programs
  --help          this text

Linux only. Exit code 1 when a budget is exceeded: 60 MB, 1 % of a core.
`;

const COMMAND = {
  task: "bench-watch",
  help: HELP,
  flags: ["json"],
  values: { sessions: "a whole number", minutes: "a whole number" },
} as const;

interface WatchFigures {
  sessions: number;
  minutes: number;
  /** Of one core, of the watch and what it has started. */
  percent: number;
  /** The same of the tmux server, which answers it. */
  serverPercent: number;
  megabytes: number;
  peakMegabytes: number;
  /** By command of tmux. */
  calls: Record<string, number>;
}

const MOST_MEGABYTES = 60;
const MOST_PERCENT = 1;

async function main(args: string[]): Promise<number> {
  const given = readCommandLine(args, COMMAND, terminal);
  if (typeof given === "number") return given;
  const sessions = Number(given.values.sessions?.at(-1) ?? 20);
  const minutes = Number(given.values.minutes?.at(-1) ?? 10);
  if (![sessions, minutes].every((one) => Number.isInteger(one) && one > 0)) {
    return refuse("--sessions and --minutes need whole numbers", COMMAND, terminal);
  }
  const figures = await measureWatch(sessions, minutes);
  console.log(given.flags.json ? JSON.stringify(figures, null, 1) : shown(figures));
  return figures.percent <= MOST_PERCENT && figures.megabytes <= MOST_MEGABYTES ? 0 : 1;
}

export async function measureWatch(sessions: number, minutes: number): Promise<WatchFigures> {
  await using home = new TestHome();
  await using server = new TmuxServer({ HOME: home.home });
  const calls = `${home.dir}/calls`;
  const tmux = server.writeProgram(home.dir);
  const counting = `${home.dir}/counting-tmux`;
  writeExecutable(counting, `#!/bin/sh\necho "$*" >>'${calls}'\nexec '${tmux}' "$@"\n`);
  const env = { ...home.env, GSD_TMUX: counting };
  const agents = Array.from({ length: Math.ceil(sessions / 5) }, (_, at) => `agent${at + 1}`);
  home.writeRegistry({
    agents: agents.map((agent) => ({
      agent_id: agent,
      tmux_session_name: `${agent}-main`,
      openclaw_session_key: `agent:${agent}:main`,
    })),
  });
  for (let at = 0; at < sessions; at++) {
    const number = Math.floor(at / agents.length);
    const name = `${agents[at % agents.length]}-main${number === 0 ? "" : `-${number + 1}`}`;
    await standIn(home, server, name, `c-${at}`);
  }
  // By its launcher, as systemd starts it.
  const registered = await startProgram(
    [Deno.execPath(), "run", "-A", "--quiet", `${ROOT}/register.ts`],
    env,
  ).done;
  if (registered.code !== 0) throw new Error(`register: ${registered.stderr}`);
  const { child, done } = startProgram([`${home.paths.data}/bin/gsd-code`, "watch"], env);
  try {
    const memory = `${home.paths.state}/watch/memory.json`;
    await until("the first look", () => readTextIfThere(memory)?.includes(`c-${sessions - 1}"`));
    // What it does at its start is not counted.
    await pause(10_000);
    const serverPid = Number(await server.tmux("display-message", "-p", "#{pid}"));
    const before = { own: ticksOf(child.pid), server: ticksOf(serverPid), at: performance.now() };
    Deno.writeTextFileSync(calls, "");
    await pause(minutes * 60_000);
    const seconds = (performance.now() - before.at) / 1000;
    const percent = (ticks: number) => Math.round(ticks / seconds * 100) / 100;
    return {
      sessions,
      minutes,
      percent: percent(ticksOf(child.pid) - before.own),
      serverPercent: percent(ticksOf(serverPid) - before.server),
      megabytes: megabytesOf(child.pid, "VmRSS"),
      peakMegabytes: megabytesOf(child.pid, "VmHWM"),
      calls: countedIn(readTextIfThere(calls) ?? ""),
    };
  } finally {
    child.kill("SIGTERM");
    await done;
  }
}

/** A tmux session that looks like one with an idle Claude Code, to all who do not type into it. */
export async function standIn(
  home: TestHome,
  server: TmuxServer,
  session: string,
  sessionId: string,
): Promise<void> {
  const cwd = `${home.dir}/work/${session}`;
  const config = home.paths.claudeConfig;
  const project = `${config}/projects/${projectName(cwd)}`;
  for (const dir of [cwd, project, `${config}/sessions`]) Deno.mkdirSync(dir, { recursive: true });
  const screen = `${home.dir}/screen`;
  Deno.writeTextFileSync(screen, fixturePane("04-idle-default-mode"));
  const program = `cat '${screen}'; exec -a claude sleep 100000`;
  const where = ["-d", "-s", session, "-x", "140", "-y", "50", "-c", cwd];
  await server.tmux("new-session", ...where, "bash", "-c", program);
  const shown = await server.tmux("list-panes", "-t", `=${session}:`, "-F", "#{pane_pid}");
  const pid = Number(shown);
  const now = Date.now();
  const entry = {
    ...{ pid, sessionId, cwd, startedAt: now, procStart: startOf(pid) ?? "" },
    ...{ kind: "interactive", status: "idle", statusUpdatedAt: now },
  };
  Deno.writeTextFileSync(`${config}/sessions/${pid}.json`, JSON.stringify(entry));
  const lines = fixtureTranscript("mixed-blocks-and-errors");
  Deno.writeTextFileSync(`${project}/${sessionId}.jsonl`, `${lines.join("\n")}\n`);
}

/** Its processor time and that of its children that have ended; in hundredths of a second. */
export function ticksOf(pid: number): number {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
}

export function megabytesOf(pid: number, field: string): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const kilobytes = Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  return Math.round(kilobytes / 102.4) / 10;
}

function countedIn(calls: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of calls.split("\n").filter(Boolean)) {
    const name = /(?:^| )([a-z]+-[a-z]+)/.exec(line)?.[1] ?? line;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function shown(figures: WatchFigures): string {
  const { sessions, minutes, percent, serverPercent, megabytes, peakMegabytes, calls } = figures;
  const kept = (isKept: boolean) => isKept ? "kept" : "EXCEEDED";
  const rows = [
    ["the watch and its children", `${percent} %`, `1 % ${kept(percent <= MOST_PERCENT)}`],
    ["the tmux server", `${serverPercent} %`, ""],
    ["memory", `${megabytes} MB`, `60 MB ${kept(megabytes <= MOST_MEGABYTES)}`],
    ["memory at most", `${peakMegabytes} MB`, ""],
    ...Object.entries(calls).map(([name, count]) => [
      `tmux ${name}`,
      `${count} calls`,
      `every ${(minutes * 60 / count).toFixed(1)} s`,
    ]),
  ];
  return table([`${sessions} IDLE SESSIONS, ${minutes} MIN`, "MEASURED", "BUDGET"], rows).trimEnd();
}

if (import.meta.main) Deno.exit(await main(Deno.args));
