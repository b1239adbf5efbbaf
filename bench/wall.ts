/** What the wall costs with many sessions, and when a change is on the page: in a real browser. */

import { readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { terminal } from "../lib/cli/speaker.ts";
import { table } from "../lib/cli/table.ts";
import { ROOT } from "../lib/paths.ts";
import { inScene } from "../tests/support/artefacts.ts";
import { openPage, type Page } from "../tests/support/browser.ts";
import { startProgram } from "../tests/support/child_process.ts";
import { startWall } from "../tests/support/start_wall.ts";
import { TestHome } from "../tests/support/home.ts";
import { TmuxServer } from "../tests/support/tmux_server.ts";
import { pause } from "../tests/support/until.ts";
import { megabytesOf, standIn, ticksOf } from "./watch.ts";

const HELP = `Measures what the wall costs, and how soon a change is on the page.

Usage: deno task bench-wall [--sessions <n>] [--changes <n>] [--json]

The sessions are stand-ins in a tmux server of their own. Chromium shows the wall. A key is pressed in
one pane after the other, and the page says when it has drawn the change. Processor time is that of
the wall and of all that it starts; the browser's is not counted.

  --sessions <n>  how many (default 20)
  --changes <n>   how many, two a second (default 60)
  --json          for programs
  --help          this text

Linux only. Exit code 1 when a budget is exceeded: 500 ms, 80 MB, 5 % of a core.
`;

const COMMAND = {
  task: "bench-wall",
  help: HELP,
  flags: ["json"],
  values: { sessions: "a whole number", changes: "a whole number" },
} as const;

interface WallFigures {
  sessions: number;
  medianMs: number;
  worstMs: number;
  /** Of one core, with the calls of tmux. */
  percent: number;
  megabytes: number;
  /** While no page is open. */
  restPercent: number;
  restMegabytes: number;
}

const MOST = { ms: 500, megabytes: 80, percent: 5 };
const REST_MS = 20_000;

async function main(args: string[]): Promise<number> {
  const given = readCommandLine(args, COMMAND, terminal);
  if (typeof given === "number") return given;
  const sessions = Number(given.values.sessions?.at(-1) ?? 20);
  const changes = Number(given.values.changes?.at(-1) ?? 60);
  if (![sessions, changes].every((one) => Number.isInteger(one) && one > 0)) {
    return refuse("--sessions and --changes need whole numbers", COMMAND, terminal);
  }
  const figures = await measureWall(sessions, changes);
  console.log(given.flags.json ? JSON.stringify(figures, null, 1) : shown(figures));
  const { medianMs, megabytes, percent } = figures;
  return medianMs <= MOST.ms && megabytes <= MOST.megabytes && percent <= MOST.percent ? 0 : 1;
}

function measureWall(sessions: number, changes: number): Promise<WallFigures> {
  return inScene("bench-wall", async (scene) => {
    await using home = new TestHome();
    await using server = new TmuxServer({ HOME: home.home });
    const env = { ...home.env, GSD_TMUX: server.writeProgram(home.dir) };
    const names = Array.from({ length: sessions }, (_, at) => `agent${at + 1}-main`);
    home.writeRegistry({
      agents: names.map((name) => ({
        agent_id: name.replace("-main", ""),
        tmux_session_name: name,
        openclaw_session_key: `agent:${name}:main`,
      })),
    });
    for (const [at, name] of names.entries()) await standIn(home, server, name, `c-${at}`);
    const register = [Deno.execPath(), "run", "-A", "--quiet", `${ROOT}/register.ts`];
    const registered = await startProgram(register, env).done;
    if (registered.code !== 0) throw new Error(`register: ${registered.stderr}`);
    const program = [`${home.paths.data}/bin/gsd-code`, "wall"];
    const { address, pid } = await startWall(scene, program, env);
    const page = await openPage(scene);
    await page.size(1600, 1000);
    await page.open(address);
    const tiles = `document.querySelectorAll(".tile .screen span").length`;
    await page.waitFor("all tiles", `${tiles} >= ${sessions}`);
    await pause(5000); // what it does at its start is not counted
    const looked = new Measure(pid);
    const times: number[] = [];
    for (let at = 0; at < changes; at++) {
      const began = performance.now();
      times.push(await change(page, server, names[at % sessions]!, `k${at}k`));
      await pause(Math.max(0, 500 - (performance.now() - began)));
    }
    const percent = looked.percent();
    const megabytes = megabytesOf(pid, "VmRSS");
    await page.open("about:blank");
    await pause(2000);
    const rested = new Measure(pid);
    await pause(REST_MS);
    times.sort((a, b) => a - b);
    return {
      ...{ sessions, percent, megabytes },
      medianMs: Math.round(times[Math.floor(times.length / 2)]!),
      worstMs: Math.round(times.at(-1)!),
      restPercent: rested.percent(),
      restMegabytes: megabytesOf(pid, "VmRSS"),
    };
  });
}

/** Presses keys in a pane; the milliseconds until the page has drawn them. */
async function change(page: Page, server: TmuxServer, name: string, text: string): Promise<number> {
  const wall = `document.getElementById("wall")`;
  const drawn = page.value<number>(`new Promise((resolve) => {
    const look = () => ${wall}.textContent.includes(${JSON.stringify(text)}) &&
      requestAnimationFrame(() => resolve(Date.now()));
    new MutationObserver(look).observe(${wall}, { childList: true, subtree: true });
  })`);
  const began = Date.now();
  await server.tmux("send-keys", "-t", `=${name}:`, "-l", text);
  return await drawn - began;
}

class Measure {
  readonly #ticks: number;
  readonly #at = performance.now();

  constructor(private readonly pid: number) {
    this.#ticks = ticksOf(pid);
  }

  percent(): number {
    const seconds = (performance.now() - this.#at) / 1000;
    return Math.round((ticksOf(this.pid) - this.#ticks) / seconds * 100) / 100;
  }
}

function shown(figures: WallFigures): string {
  const { sessions, medianMs, worstMs, percent, megabytes, restPercent, restMegabytes } = figures;
  const kept = (isKept: boolean) => isKept ? "kept" : "EXCEEDED";
  const rows = [
    ["a change is on the page, median", `${medianMs} ms`, `500 ms ${kept(medianMs <= MOST.ms)}`],
    ["the slowest", `${worstMs} ms`, ""],
    ["processor while a page is open", `${percent} %`, `5 % ${kept(percent <= MOST.percent)}`],
    ["memory then", `${megabytes} MB`, `80 MB ${kept(megabytes <= MOST.megabytes)}`],
    ["processor while none is", `${restPercent} %`, ""],
    ["memory then", `${restMegabytes} MB`, ""],
  ];
  return table([`${sessions} SESSIONS`, "MEASURED", "BUDGET"], rows).trimEnd();
}

if (import.meta.main) Deno.exit(await main(Deno.args));
