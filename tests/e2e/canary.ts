/** `deno task canary`: what of this project works with the versions that are installed here. */

import { readCommandLine } from "../../lib/cli/command_line.ts";
import { terminal } from "../../lib/cli/speaker.ts";
import { realWorld } from "../../lib/cli/world.ts";
import { modSupport } from "../../lib/sessions/mod_support.ts";
import { shellQuote } from "../../lib/text.ts";
import { findProgram } from "../../lib/doors/programs.ts";
import { messageOf, run } from "../../lib/process.ts";
import { endScenesOnSignal, inScene } from "../support/artefacts.ts";
import { claudeProgram } from "../support/real_programs.ts";
import { openSharedGateway, type SharedGateway } from "./shared_gateway.ts";
import { Stage } from "./stage.ts";
import { STORIES } from "./stories.ts";
import type { Story } from "./story.ts";

const HELP = `Tries this project with the Claude Code and the OpenClaw that are installed here.

  deno task canary                              those on PATH (or in GSD_CLAUDE, GSD_OPENCLAW)
  deno task canary --claude ~/bin/claude-next   before an update becomes everyday life
  deno task canary --openclaw pinned            the version this project was tested with

Everything happens in a HOME, a tmux server and a gateway of its own, with scripted models: your
settings, sessions and accounts are not touched, and nothing is sent anywhere.

Options:
  --claude <path>     the program to try, or "pinned"
  --openclaw <path>   the program to try, or "pinned"
  --all               the slow stories too
  --json              the table as one JSON object
  --help              this text

Exit codes: 0 all of it works, 1 something does not, 2 wrong usage, 130 interrupted.
`;

interface Result {
  story: string;
  works: boolean;
  seconds: number;
  /** The first words of what went wrong, and where the rest is kept. */
  reason: string;
}

interface Program {
  /** Undefined: the pinned version, from the cache. */
  path: string | undefined;
  version: string;
}

const COMMAND = {
  task: "canary",
  help: HELP,
  flags: ["all", "json"],
  values: { claude: "a path", openclaw: "a path" },
} as const;

export async function main(args: string[]): Promise<number> {
  const given = readCommandLine(args, COMMAND, terminal);
  if (typeof given === "number") return given;
  const { flags, values } = given;
  try {
    const claude = await programFor("claude", "GSD_CLAUDE", values.claude?.at(-1));
    const openclaw = await programFor("openclaw", "GSD_OPENCLAW", values.openclaw?.at(-1));
    // What kills the gateway comes last: a killed one makes up for its turn in the next story.
    const stories = STORIES.filter((story) => flags.all || !story.slow)
      .sort((a, b) => Number(a.killsGateway ?? false) - Number(b.killsGateway ?? false));
    console.error(`Claude Code: ${claude.version}\nOpenClaw: ${openclaw.version}`);
    console.error("Starting a gateway of our own …");
    const shared = await openSharedGateway(["warden", "forge"], { program: openclaw.path });
    const results: Result[] = [await tryMod(claude)];
    try {
      for (const [index, story] of stories.entries()) {
        console.error(`${index + 1} of ${stories.length}: ${story.short} …`);
        results.push(await tryStory(story, shared, claude));
      }
    } finally {
      await shared.close();
    }
    const versions = { claude: claude.version, openclaw: openclaw.version };
    console.log(flags.json ? JSON.stringify({ ...versions, results }, null, 2) : table(results));
    return results.every((result) => result.works) ? 0 : 1;
  } catch (error) {
    console.error(`Cannot run the canary: ${messageOf(error)}`);
    return 1;
  }
}

/** Whether this version has all that the mod uses; without it only the extra road is missing. */
async function tryMod({ path }: Program): Promise<Result> {
  const began = performance.now();
  const program = path ?? await claudeProgram();
  const support = await modSupport(realWorld(), shellQuote(program), { dryRun: true });
  return {
    story: "the mod (without it, instructions go with keys)",
    works: support.kind === "yes",
    seconds: Math.round((performance.now() - began) / 1000),
    reason: support.kind === "yes" ? "" : support.reason,
  };
}

async function tryStory(story: Story, shared: SharedGateway, claude: Program): Promise<Result> {
  const began = performance.now();
  const result = (works: boolean, reason: string): Result => ({
    story: story.short,
    works,
    seconds: Math.round((performance.now() - began) / 1000),
    reason,
  });
  try {
    await inScene(`canary ${story.short}`, async (scene) => {
      const { scenarios, options } = story;
      const stage = new Stage(scene, { shared, program: claude.path, scenarios, ...options });
      shared.agentModel.answer = undefined;
      await story.play(stage, shared);
    });
    return result(true, "");
  } catch (error) {
    const lines = messageOf(error).split("\n");
    const kept = lines.findLast((line) => line.startsWith("Panes, journal")) ?? "";
    return result(false, [lines[0]!.slice(0, 160), kept.replace(/^.*: /, "see ")].join("; "));
  }
}

async function programFor(
  name: "claude" | "openclaw",
  variable: string,
  wanted: unknown,
): Promise<Program> {
  const env = (key: string) => Deno.env.get(key);
  const path = typeof wanted === "string" && wanted !== ""
    ? wanted
    : findProgram(env, variable, name);
  if (path === undefined) {
    throw new Error(
      `there is no ${name} on PATH; give its path with --${name}, or --${name} pinned for the ` +
        "version this project was tested with",
    );
  }
  if (path === "pinned") {
    if (name === "claude") await claudeProgram();
    return { path: undefined, version: "the pinned version" };
  }
  const real = findProgram((key) => key === "PATH" ? env("PATH") : absolute(path), "", name);
  if (real === undefined) throw new Error(`there is no program ${path}`);
  const home = Deno.makeTempDirSync({ prefix: "gsd-canary-" });
  try {
    const clean = { HOME: home, PATH: env("PATH") ?? "" };
    const asked = await run(real, ["--version"], { env: clean, timeoutMs: 60_000 });
    if (asked.kind === "finished" && asked.code === 0) {
      return { path: real, version: `${asked.stdout.trim().split("\n")[0]} (${path})` };
    }
    const why = asked.kind === "finished" ? asked.stderr.trim().split("\n")[0] : asked.kind;
    throw new Error(`${path} --version does not work: ${why}`);
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
}

function absolute(path: string): string {
  return path.startsWith("/") ? path : `${Deno.cwd()}/${path}`;
}

function table(results: Result[]): string {
  const width = Math.max(...results.map((result) => result.story.length));
  const rows = results.map(({ story, works, seconds, reason }) =>
    `${story.padEnd(width)}  ${works ? "works" : "DOES NOT WORK"}  ${seconds} s${
      works ? "" : `\n    ${reason}`
    }`
  );
  const working = results.filter((result) => result.works).length;
  return [...rows, "", `${working} of ${results.length} work`].join("\n");
}

if (import.meta.main) {
  endScenesOnSignal();
  Deno.exit(await main(Deno.args));
}
