/** Sends events through the registered hooks under all known faults: is each delivered once? */

import { readCommandLine, refuse } from "../../lib/cli/command_line.ts";
import { type Speaker, terminal } from "../../lib/cli/speaker.ts";
import { table } from "../../lib/cli/table.ts";
import { lifeOf } from "../../lib/delivery/wake_life.ts";
import { messageOf } from "../../lib/process.ts";
import { type Plan, planRun } from "./plan.ts";
import { play, type Run } from "./play.ts";
import { SoakStage } from "./stage.ts";
import { isClean, judgeRun, type Offence, type Verdict } from "./verdict.ts";

const HELP = `Puts events through the registered hooks while everything around them fails.

Usage: deno task soak [--events <n>] [--seed <n>] [--agents <n>] [--json]

Hooks are registered into a settings file of the run's own and run by sh, as Claude Code runs them,
in tmux sessions of its own. The gateway is a fake: it drops connections, takes its word back, loses
what it has accepted, falls silent, restarts, and forgets. Hooks and deliverers are killed. In the
end every wake that was queued must have arrived: once, and in order.

  --events <n>   how many events (default 500; 3000 took 11 minutes on two busy cores)
  --seed <n>     the same events and faults again
  --agents <n>   how many agents, with two sessions each (default 4)
  --json         for programs
  --help         this text

Exit code 1 when a wake was lost, doubled, dead or out of order; the folder of the run is kept.
`;

const COMMAND = {
  task: "soak",
  help: HELP,
  flags: ["json"],
  values: { events: "a whole number", seed: "a whole number", agents: "a whole number" },
} as const;

export interface SoakWorld extends Speaker {
  /** Shows the progress on one line; undefined without a terminal. */
  progress?: (line: string) => void;
  random(): number;
}

const SHOWN = 5;

export async function main(args: string[], world: SoakWorld): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const number = (name: "events" | "seed" | "agents", or: number) =>
    Number(given.values[name]?.at(-1) ?? or);
  const [events, agents] = [number("events", 500), number("agents", 4)];
  const seed = number("seed", Math.floor(world.random() * 1_000_000));
  for (const [name, value] of Object.entries({ events, agents, seed })) {
    const least = name === "seed" ? 0 : 1;
    if (!Number.isInteger(value) || value < least) {
      return refuse(`--${name} needs a whole number`, COMMAND, world);
    }
  }
  if (!given.flags.json) world.say(`seed ${seed}, ${events} events, ${agents} agents`);

  const plan = planRun(seed, events, agents);
  const dir = Deno.realPathSync(await Deno.makeTempDir({ prefix: "gsd-soak-" }));
  try {
    return await soak(plan, await SoakStage.set(dir, plan, seed), given.flags.json, world);
  } catch (error) {
    world.warn(`The run could not go on: ${messageOf(error)}`);
    return 1;
  }
}

async function soak(
  plan: Plan,
  stage: SoakStage,
  json: boolean,
  world: SoakWorld,
): Promise<number> {
  const began = performance.now();
  const interrupted = () => void stage.clear({ keep: false }).then(() => Deno.exit(130));
  Deno.addSignalListener("SIGINT", interrupted);
  let isKept = true;
  try {
    const run = await play(
      plan,
      stage,
      ({ played }) =>
        world.progress?.(`${played.length} events, ${stage.gateway.taken.length} arrived`),
    );
    const superseded = supersededIn(run);
    const verdict = judgeRun({
      played: run.played,
      taken: stage.gateway.taken,
      waiting: stage.waiting(),
      dead: stage.dead(),
      superseded,
    });
    isKept = !isClean(verdict);
    const seconds = (performance.now() - began) / 1000;
    const figures = figuresOf(run, verdict, superseded.length, seconds);
    if (json) {
      const { lost, doubledByKey, doubledByContent, outOfOrder } = verdict;
      const offences = { lost, doubledByKey, doubledByContent, outOfOrder };
      world.say(JSON.stringify({ seed: stage.seed, ...figures, offences }, null, 1));
    } else world.say(table(["", ""], Object.entries(figures).map(([k, v]) => [k, String(v)])));
    if (isKept) tellOffences(verdict, run, world);
    return isKept ? 1 : 0;
  } finally {
    Deno.removeSignalListener("SIGINT", interrupted);
    await stage.clear({ keep: isKept });
    if (isKept) world.warn(`State, journals and the gateway's log of this run: ${stage.dir}`);
  }
}

/** Wakes that were withdrawn because another wake says the same. */
function supersededIn({ journals }: Run): string[] {
  return [...journals.byWake].filter(([, lines]) =>
    lines.some((line) => line.kind === "suppressed")
  )
    .map(([id]) => id);
}

function figuresOf(run: Run, verdict: Verdict, superseded: number, seconds: number) {
  return {
    events: run.played.length,
    "hooks killed": run.hooksKilled,
    "deliverers killed": run.deliverersKilled,
    "gateway restarts": run.restarts,
    accepted: verdict.accepted,
    delivered: verdict.delivered,
    superseded,
    lost: verdict.lost.length,
    "doubled by key": verdict.doubledByKey.length,
    "doubled by content": verdict.doubledByContent.length,
    "out of order": verdict.outOfOrder.length,
    dead: verdict.dead.length,
    "slowest, s": Number((verdict.slowestMs / 1000).toFixed(1)),
    "duration, s": Math.round(seconds),
  };
}

function tellOffences(verdict: Verdict, { journals }: Run, world: SoakWorld): void {
  const tell = (what: string, offences: Offence[]) => {
    for (const { wakeId, why } of offences.slice(0, SHOWN)) {
      world.warn(`\n${what}: ${wakeId} ${why}`);
      for (const step of lifeOf(wakeId, journals.byWake.get(wakeId) ?? [])) {
        world.warn(`  ${step.at}  +${step.after_ms} ms  ${step.kind}  ${step.text}`);
      }
    }
  };
  tell("lost", verdict.lost);
  tell("doubled by key", verdict.doubledByKey);
  tell("doubled by content", verdict.doubledByContent);
  tell("out of order", verdict.outOfOrder);
  tell("dead", verdict.dead.map((wakeId) => ({ wakeId, why: "" })));
}

function realWorld(): SoakWorld {
  const isSeen = Deno.stderr.isTerminal();
  const write = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(text));
  const clean = () => isSeen && write("\r\x1b[K");
  return {
    say: (line) => (clean(), terminal.say(line)),
    warn: (line) => (clean(), terminal.warn(line)),
    ...(isSeen ? { progress: (line) => write(`\r\x1b[K${line}`) } : {}),
    random: Math.random,
  };
}

if (import.meta.main) Deno.exit(await main(Deno.args, realWorld()));
