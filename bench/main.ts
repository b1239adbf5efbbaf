/** What things cost here, with the budgets beside the figures. */

import { readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { terminal } from "../lib/cli/speaker.ts";
import { table } from "../lib/cli/table.ts";
import { type AnswerFigure, measureAnswers } from "./answers.ts";
import { type CrowdFigure, measureCrowd } from "./crowd.ts";
import { type DeliveryFigure, measureDelivery } from "./delivery.ts";
import { type HookFigure, measureHooks } from "./hooks.ts";
import { measureTyping } from "./typing.ts";
import { areCached } from "../tests/support/real_programs.ts";

const HELP = `Measures what things cost here.

Usage: deno task bench [--real | --hooks] [--rounds <n>] [--json]

  hooks      each against a bare deno run, in one interleaved run, with the budgets; Stop also with
             1,000 agents in the registry and with 1,000 open requests
  crowd      fifty sessions whose turns end in the same moment
  delivery   from an event to the gateway's ack, over its socket and over its command line; where
             the time goes, on a gateway just started and on one that is up for two minutes
  answers    from menu-driver to the hook's reply and to the answer, and the same with keys; from
             type to UserPromptSubmit by each road

Delivery and answers are measured on the real programs, where deno task e2e has got them already.

  --real        get them first, where they are missing
  --hooks       hooks and crowd only
  --rounds <n>  how often each hook is run (default 40)
  --json        for programs
  --help        this text

Ratios are of the lower quartiles: a busy machine slows what starts several programs more than what
starts one. Exit code 1 when a budget is exceeded; run it again before you believe it.
`;

interface Figures {
  hooks: HookFigure[];
  crowd: CrowdFigure;
  delivery?: DeliveryFigure[];
  answers?: AnswerFigure[];
}

const COMMAND = {
  task: "bench",
  help: HELP,
  flags: ["json", "real", "hooks"],
  values: { rounds: "a whole number" },
} as const;

async function main(args: string[]): Promise<number> {
  const given = readCommandLine(args, COMMAND, terminal);
  if (typeof given === "number") return given;
  const { flags } = given;
  const rounds = Number(given.values.rounds?.at(-1) ?? 40);
  if (!Number.isInteger(rounds) || rounds < 1) {
    return refuse("--rounds needs a whole number", COMMAND, terminal);
  }
  if (flags.real && flags.hooks) {
    return refuse("--real and --hooks exclude each other", COMMAND, terminal);
  }
  const isReal = flags.real || (!flags.hooks && areCached());
  if (!isReal && !flags.hooks) {
    terminal.warn(
      "Delivery and answers are left out: --real gets the real programs first (1.1 GB)",
    );
  }
  const figures: Figures = {
    hooks: await measureHooks(rounds, progressOf("hooks")),
    crowd: await measureCrowd(50),
    ...(isReal
      ? {
        delivery: await measureDelivery(10, progressOf("delivery")),
        answers: [
          ...await measureAnswers(5, progressOf("answers")),
          ...await measureTyping(20, progressOf("instructions")),
        ],
      }
      : {}),
  };
  console.log(flags.json ? JSON.stringify({ rounds, ...figures }, null, 1) : shown(figures));
  return figures.hooks.every(isKept) ? 0 : 1;
}

function isKept({ budget, ratio }: HookFigure): boolean {
  return budget === null || ratio <= budget;
}

function shown({ hooks, crowd, delivery = [], answers = [] }: Figures): string {
  const ms = (value: number) => `${value.toFixed(value < 100 ? 1 : 0)} ms`;
  const hookRows = hooks.map((one) => [
    one.name,
    ms(one.medianMs),
    ms(one.quietMs),
    `${one.ratio.toFixed(2)} ×`,
    one.budget === null ? "" : `${one.budget} × ${isKept(one) ? "kept" : "EXCEEDED"}`,
  ]);
  const rest = [
    ...delivery.map((one) => ({ ...one, of: `${one.ratio.toFixed(2)} ×` })),
    ...answers.map((one) => ({ ...one, of: "" })),
  ].map((one) => [one.name, ms(one.medianMs), ms(one.worstMs), one.of]);
  return [
    table(["HOOK", "MEDIAN", "QUIET", "OF BARE DENO", "BUDGET"], hookRows),
    `${crowd.sessions} sessions at once: the slowest hook ${ms(crowd.slowestMs)}, all ` +
    `${ms(crowd.totalMs)}, at most ${crowd.peakMb.toFixed(0)} MB together\n`,
    ...(rest.length === 0
      ? []
      : [table(["ON THE REAL PROGRAMS", "MEDIAN", "WORST", "OF BARE DENO"], rest)]),
  ].join("\n").trimEnd();
}

function progressOf(what: string): (done: number) => void {
  return (done) => {
    if (!Deno.stderr.isTerminal()) return;
    const text = done < 1 ? `\r\x1b[Kmeasuring ${what}: ${Math.round(done * 100)} %` : "\r\x1b[K";
    Deno.stderr.writeSync(new TextEncoder().encode(text));
  };
}

if (import.meta.main) Deno.exit(await main(Deno.args));
