/** What things cost here: the hooks against bare Deno, with the budgets beside the figures. */

import { parseArgs } from "@std/cli/parse-args";
import { table } from "../lib/table.ts";
import { measureHooks } from "./hooks.ts";

const HELP = `Measures the hooks against a bare deno run, in one interleaved run.

Usage: deno task bench [--rounds <n>] [--json]

  --rounds <n>  how often each is run (default 30)
  --json        for programs
  --help        this text

Exit code 1 when a budget is exceeded. On a busy machine run it again before you believe it.
`;

async function main(args: string[]): Promise<number> {
  const flags = parseArgs(args, { boolean: ["help", "json"], string: ["rounds"] });
  if (flags.help) {
    console.log(HELP.trimEnd());
    return 0;
  }
  const rounds = Number(flags.rounds ?? 30);
  if (!Number.isInteger(rounds) || rounds < 1) {
    console.error(`--rounds needs a whole number, not "${flags.rounds}"`);
    return 2;
  }
  const progress = (done: number) => {
    if (!Deno.stderr.isTerminal()) return;
    const text = done < 1 ? `\rmeasuring ${Math.round(done * 100)} %` : "\r\x1b[K";
    Deno.stderr.writeSync(new TextEncoder().encode(text));
  };
  const hooks = await measureHooks(rounds, progress);
  const over = hooks.filter((figure) => figure.budget !== null && figure.ratio > figure.budget);
  if (flags.json) {
    console.log(JSON.stringify({ rounds, hooks }, null, 1));
  } else {
    const rows = hooks.map(({ name, medianMs, ratio, budget }) => [
      name,
      `${medianMs.toFixed(1)} ms`,
      `${ratio.toFixed(2)} ×`,
      budget === null ? "" : `${budget.toFixed(1)} × ${ratio <= budget ? "kept" : "EXCEEDED"}`,
    ]);
    console.log(table(["HOOK", "MEDIAN", "OF BARE DENO", "BUDGET"], rows).trimEnd());
  }
  return over.length === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
