/** A list of instructions that a session is given one after the other. */

import "../lib/cli/load_guards.ts";
import { onOneLine } from "../lib/cli/speaker.ts";
import { listRoads } from "../lib/companion/road_file.ts";
import { holdLock } from "../lib/doors/held_lock.ts";
import { endOf, holdsOn, listHolds } from "../lib/doors/holds.ts";
import { findPane } from "../lib/driver/claude_pane.ts";
import { type DriverWorld, paneWorld, realDriverWorld } from "../lib/driver/driver_world.ts";
import { inTurn } from "../lib/driver/driver_turn.ts";
import { EMPTY_OPTIONS, type MenuOptions } from "../lib/driver/menu_args.ts";
import { readTextIfThere, removeIfThere, writeAtomic } from "../lib/files.ts";
import { loadRegistry } from "../lib/gate.ts";
import { ownerOf } from "../lib/owners.ts";
import { type Env, queueDir, safeName } from "../lib/paths.ts";
import { messageOf } from "../lib/process.ts";
import { startRunner, takeClaim } from "../lib/queue_runner.ts";
import {
  carryOutAction,
  giverFor,
  type QueueTarget,
  reportOf,
  targetOf,
  whyNoRunner,
} from "../lib/queue/change_queue.ts";
import { type QueueCallOptions, readQueueArgs } from "../lib/queue/queue_args.ts";
import { spanOf } from "../lib/queue/queue_wakes.ts";
import { QueueRunner, type RunnerWorld } from "../lib/queue/runner.ts";
import { lookOf, type SessionLook } from "../lib/queue/session_look.ts";
import { tellQueue } from "../lib/queue/tell_queue.ts";
import { findAgent } from "../lib/registry.ts";
import { brief, isOpen, type Queue, stateOfQueue, type Step } from "../lib/steps.ts";
import { readQueue } from "../lib/steps_file.ts";
import { carryOut } from "./menu_driver.ts";

export const HELP = `Gives a session a list of instructions, one after the other.

Usage: gsd-code queue <session> <action> [options]

  add <text>…      add steps at the end; each text is one step
  list             show the steps; also without an action
  drop <n>…        remove steps that wait
  move <n> <place> first, last, before <m> or after <m>
  clear            remove all that wait; the step that runs is finished
  pause [<why>]    give no further step
  resume           go on; --again: with the step that failed

  gsd-code queue warden-main add "Write the tests" "Make them pass" "/clear" "Write the docs"
  gsd-code queue warden-main add --file steps.txt
  gsd-code queue warden-main add "Deploy it" --if-last-matches "all tests pass"
  gsd-code queue warden-main add "Fix what is left" --stop-on "cannot"
  gsd-code queue warden-main add "Go on" --after 14:40
  gsd-code queue warden-main resume --again

When a turn ends, the next step is given at once; a session that is free gets the first one now. The
agent is not woken in between: at the end it gets one wake, queue_done, with the result of each step.
/clear, /compact and other commands are steps like any other. Every step is given once, also where a
program was killed, and the list survives a crash, a reboot and gsd-code recover.

The queue waits at a question until it is answered. It pauses, and a wake says so, after a failure or
a limit, when a person types, after any Esc, and at the conditions below. resume goes on. Steps also
wait while the session is paused (gsd-code pause) or taken.

Options:
  --after <when>             done (what is before it, the default), a time such as 14:40, or reset:
                             where a limit stops the queue, it goes on by itself when that ends
  --if-last-matches <text>   with add: given only if Claude's last words have this text
  --stop-on <text>           with add: the queue pauses if Claude's words at its end have this text
  --file <path>              with add: a step per line (# begins a note); lines of --- between
                             steps allow steps of several lines; - reads standard input
  --again                    with resume: give the step again that failed
  --by <name>                who adds it, for the journal (the session's agent)
  --socket <name>            the tmux server: a name or a path (also GSD_TMUX_SOCKET)
  --dry-run                  check everything, change nothing
  --json                     for programs
  --help                     this text

A text that begins with - comes after --. Exit codes: 0 done; 1 could not; 2 called wrongly.
`;

export async function main(
  args: string[],
  world: DriverWorld = realDriverWorld(),
  start: (session: string) => void = (session) => startRunner(world.paths, world.env, session),
): Promise<number> {
  let order: ReturnType<typeof readQueueArgs>;
  try {
    const readFile = (path: string) => path === "-" ? world.readStdin() : readSteps(path);
    order = readQueueArgs(args, { now: world.now(), readFile });
  } catch (error) {
    world.warn(onOneLine(`Cannot read the steps: ${messageOf(error)}`));
    return 1;
  }
  if (order.kind === "help") {
    world.say(HELP.trimEnd());
    return 0;
  }
  if (order.kind === "usage") {
    world.warn(`${order.problem}; see gsd-code queue --help`);
    return 2;
  }
  if (order.kind === "run") return await runAll(world, order);
  const { session, action, options } = order;
  try {
    const target = await targetOf(world, session, options);
    if (action.kind === "list") return list(world, target, options);
    const old = whyNoRunner(world.paths);
    if (old !== undefined) throw new Error(old);
    const giver = await giverFor(world, target, options);
    const result = carryOutAction(world, target, action, giver, options.dryRun);
    if (!options.dryRun && action.kind !== "pause") start(target.session);
    world.say(reportOf(target, action, result, options));
    return 0;
  } catch (error) {
    const reason = onOneLine(messageOf(error));
    world.warn(`Cannot ${action.kind} in the queue of "${session}": ${reason}`);
    return 1;
  }
}

function readSteps(path: string): string {
  const text = readTextIfThere(path);
  if (text === undefined) throw new Error(`there is no file ${path}`);
  return text;
}

function list(world: DriverWorld, { session }: QueueTarget, { json }: QueueCallOptions): number {
  const queue = readQueue(world.paths, session);
  if (json) {
    const state = queue === undefined ? "empty" : stateOfQueue(queue);
    world.say(JSON.stringify({ session, state, ...queue }, null, 2));
    return 0;
  }
  if (queue === undefined) {
    world.say(`The queue of ${session} is empty`);
    return 0;
  }
  world.say(onOneLine(`${session}: ${stateOfQueue(queue)}`));
  for (const step of queue.steps) world.say(onOneLine(lineOf(step)));
  return 0;
}

const WORDS: Record<Step["state"], string> = {
  waiting: "waits",
  giving: "is given",
  begun: "runs",
  done: "done",
  failed: "failed",
  skipped: "skipped",
  unsure: "unsure",
};

function lineOf(step: Step): string {
  const took = Date.parse(step.ended_at ?? "") - Date.parse(step.began_at ?? "");
  const notes = [
    Number.isFinite(took) ? spanOf(took) : "",
    step.why ?? "",
    step.after === undefined || !isOpen(step) ? "" : `after ${step.after}`,
    step.if_last_matches === undefined ? "" : `if the last words have "${step.if_last_matches}"`,
    step.stop_on === undefined ? "" : `stops the queue on "${step.stop_on}"`,
  ].filter((note) => note !== "");
  const number = `${step.n}.`.padEnd(4);
  const note = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
  return `${number} ${WORDS[step.state].padEnd(8)}  ${brief(step.text, 90)}${note}`;
}

function runnerLock({ paths }: DriverWorld, session: string): string {
  return `${paths.state}/locks/queue-run-${safeName(session)}`;
}

/** A runner that finds another one at work leaves this, so that it looks once more. */
function againFile({ paths }: DriverWorld, session: string): string {
  return `${queueDir(paths, session)}/again`;
}

async function runAll(
  world: DriverWorld,
  { session, claim }: { session?: string; claim?: string },
): Promise<number> {
  const name = session ?? (claim === undefined ? undefined : takeClaim(world.paths, claim));
  if (name === undefined) {
    world.warn("Whose queue? Give the session: gsd-code queue run <session>");
    return 2;
  }
  try {
    await run(world, name);
    return 0;
  } catch (error) {
    world.warn(onOneLine(`Cannot run the queue of "${name}": ${messageOf(error)}`));
    return 1;
  }
}

async function run(world: DriverWorld, session: string): Promise<void> {
  const again = againFile(world, session);
  for (;;) {
    const lock = holdLock(runnerLock(world, session), String(Deno.pid));
    if (lock === undefined) {
      // Before the other one leaves it looks for this file.
      if (readQueue(world.paths, session) !== undefined) {
        writeAtomic(again, "", { inFolder: true });
      }
      if (await isServed(world, session)) return;
      continue;
    }
    try {
      removeIfThere(again);
      await new QueueRunner(runnerWorld(world, session), session).run();
    } finally {
      lock.release();
    }
    if (readTextIfThere(again) === undefined) return;
  }
}

/** The other runner may have looked for the file just before it was there. */
async function isServed(world: DriverWorld, session: string): Promise<boolean> {
  for (let looks = 0; looks < 10; looks++) {
    const lock = holdLock(runnerLock(world, session));
    if (lock !== undefined) {
      lock.release();
      return false;
    }
    if (readTextIfThere(againFile(world, session)) === undefined) return true;
    await world.clock.sleep(100);
  }
  return true;
}

function runnerWorld(world: DriverWorld, session: string): RunnerWorld {
  const { paths, env } = world;
  const optionsFor = ({ socket }: Queue): MenuOptions => ({
    ...EMPTY_OPTIONS,
    ...(socket === undefined ? {} : { socket }),
  });
  return {
    paths,
    now: () => world.now(),
    sleep: (ms) => world.clock.sleep(ms),
    look: async (queue) => await lookAt(world, session, optionsFor(queue)),
    async give(queue, text, giver) {
      const options: MenuOptions = { ...optionsFor(queue), promptOnly: true, giver };
      const verb = { kind: "type", text } as const;
      return await inTurn(world, session, options, () => carryOut(world, session, verb, options));
    },
    async clear(queue) {
      const options = optionsFor(queue);
      const verb = { kind: "clear" } as const;
      await inTurn(world, session, options, () => carryOut(world, session, verb, options));
    },
    held({ agent_id }) {
      // In quiet hours Claude works on.
      const holding = listHolds(paths).filter(({ kind }) => kind !== "quiet");
      const holds = holdsOn(holding, { agent_id, session, trigger: "" });
      const open = holds.map((hold) => endOf(hold)).filter((end) =>
        end === undefined || end > world.now().getTime()
      );
      if (open.length === 0) return undefined;
      const ends = open.filter((end) => end !== undefined);
      return ends.length < open.length ? {} : { until: Math.max(...ends) };
    },
    async tell(queue, what, wakeId) {
      const registry = loadRegistry(paths.registry);
      // The runner leaves, and the next one tells it: the queue is kept until then.
      if (registry.kind !== "registry") {
        throw new Error(`Cannot tell it: the registry is ${registry.kind}`);
      }
      const match = findAgent(registry.registry, session, ownerOf(paths, session));
      const agent = match.kind === "agent" ? match.agent : undefined;
      await tellQueue(
        { paths, env: withoutPane(env), now: world.now() },
        queue,
        agent,
        what,
        wakeId,
      );
    },
    hasCompanion: () => listRoads(paths).some((road) => road.session === session),
  };
}

/** The runner is in no pane, whoever started it. */
function withoutPane(env: Env): Env {
  return (name) => /^(TMUX|TMUX_PANE|GSD_SHELL_DELIVERS)$/.test(name) ? undefined : env(name);
}

async function lookAt(
  world: DriverWorld,
  session: string,
  options: MenuOptions,
): Promise<SessionLook> {
  const panes = paneWorld(world, options);
  const found = await findPane(panes, session, undefined, "of Claude");
  const look = lookOf(found);
  if (look.state !== "gone") return look;
  // Between two screens none may show Claude Code.
  await world.clock.sleep(1000);
  const second = lookOf(await findPane(panes, session, undefined, "of Claude"));
  return second.state === "gone" || second.state === "several" ? second : { state: "starting" };
}

if (import.meta.main) Deno.exit(await main(Deno.args));
