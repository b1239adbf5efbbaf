/** How long an answer takes on the real Claude Code: through the waiting hook, and with keys. */

import { parseArgs } from "@std/cli/parse-args";
import { table } from "../lib/table.ts";
import { inScene } from "../tests/support/artefacts.ts";
import { VERSIONS } from "../tests/support/real_programs.ts";
import { pause } from "../tests/support/until.ts";
import { AnswersStage } from "../tests/e2e/answers_stage.ts";

export interface AnswerFigure {
  name: string;
  medianMs: number;
  worstMs: number;
}

const HELP = `Measures an answer from the start of menu-driver until it has arrived.

Usage: deno run -A bench/answers.ts [--rounds <n>] [--json]

  --rounds <n>  how many questions on each road (default 10)
  --json        for programs
  --help        this text
`;

export async function measureAnswers(
  rounds: number,
  progress: (done: number) => void = () => {},
): Promise<AnswerFigure[]> {
  const [hook, keys] = [
    await measureRoad(true, rounds, (done) => progress(done / 2)),
    await measureRoad(false, rounds, (done) => progress(0.5 + done / 2)),
  ];
  return [
    figure("choose, until the waiting hook replies", hook.map((one) => one.reply)),
    figure("choose through the hook, until PostToolUse", hook.map((one) => one.arrived)),
    figure("choose with keys, until PostToolUse", keys.map((one) => one.arrived)),
  ];
}

interface Times {
  reply: number;
  arrived: number;
}

function measureRoad(
  hookRoad: boolean,
  rounds: number,
  progress: (done: number) => void,
): Promise<Times[]> {
  return inScene(`bench answers ${hookRoad ? "hook" : "keys"}`, async (scene) => {
    const stage = new AnswersStage(scene, { version: VERSIONS.claude[0], hookRoad });
    const claude = await stage.start();
    const times: Times[] = [];
    for (let round = 0; round < rounds; round++) {
      await stage.ask(claude, "single");
      await pause(1000); // in its first instants a dialog does not take every key
      const began = Date.now();
      await stage.must(stage.session, "choose", "2");
      await stage.next("PostToolUse", round);
      const entry = stage.journal().findLast((one) => one.kind === "answered");
      times.push({
        reply: Date.parse(String(entry?.at)) - began,
        arrived: stage.arrivals("PostToolUse")[round]! - began,
      });
      await claude.waitUntilIdle();
      progress((round + 1) / rounds);
    }
    return times;
  });
}

function figure(name: string, times: number[]): AnswerFigure {
  const sorted = times.toSorted((a, b) => a - b);
  return { name, medianMs: sorted[Math.floor(sorted.length / 2)]!, worstMs: sorted.at(-1)! };
}

async function main(args: string[]): Promise<number> {
  const flags = parseArgs(args, { boolean: ["help", "json"], string: ["rounds"] });
  if (flags.help) {
    console.log(HELP.trimEnd());
    return 0;
  }
  const rounds = Number(flags.rounds ?? 10);
  if (!Number.isInteger(rounds) || rounds < 1) {
    console.error(`--rounds needs a whole number, not "${flags.rounds}"`);
    return 2;
  }
  const figures = await measureAnswers(rounds);
  if (flags.json) console.log(JSON.stringify({ rounds, answers: figures }, null, 1));
  else {
    const rows = figures.map((one) => [one.name, `${one.medianMs} ms`, `${one.worstMs} ms`]);
    console.log(table(["ANSWER", "MEDIAN", "WORST"], rows).trimEnd());
  }
  return 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
