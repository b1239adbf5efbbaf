/** A list of instructions that a session is given one after the other. */

import { isRefusedAsRoot } from "../lib/doors/as_root.ts";
import "../lib/cli/load_guards.ts";
import { onOneLine } from "../lib/cli/speaker.ts";
import { type DriverWorld, realDriverWorld } from "../lib/driver/driver_world.ts";
import { readTextIfThere } from "../lib/files.ts";
import { messageOf } from "../lib/process.ts";
import { startRunner, takeClaim } from "../lib/queue_runner.ts";
import { carryOutAction, whyNoRunner, whyTakenByPerson } from "../lib/queue/change_queue.ts";
import { type QueueAction, readQueueArgs } from "../lib/queue/queue_args.ts";
import { queueLines, reportOf } from "../lib/queue/queue_lines.ts";
import { giverFor, panesAt, targetOf } from "../lib/queue/queue_target.ts";
import { lookAt, serveQueue } from "../lib/queue/serve_queue.ts";

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
  if (action.kind !== "list" && isRefusedAsRoot("change a queue", world)) return 1;
  try {
    const target = await targetOf(world, session, options);
    if (action.kind === "list") {
      const look = await lookAt(panesAt(world, target.socket), target.session);
      const isGone = look.state === "gone" && !look.isUnknown;
      const shown = { json: options.json, isGone };
      for (const line of queueLines(world.paths, target.session, shown)) world.say(line);
      return 0;
    }
    const old = whyNoRunner(world.paths);
    if (old !== undefined) throw new Error(old);
    const giver = await giverFor(world, target, options);
    const taken = whyTakenByPerson(world.paths, target.session, action, giver);
    if (taken !== undefined) throw new Error(taken);
    const result = carryOutAction(world, target, action, giver, options.dryRun);
    if (!options.dryRun && action.kind !== "pause") start(target.session);
    world.say(reportOf(world.paths, target, action, result, options));
    return 0;
  } catch (error) {
    const reason = onOneLine(messageOf(error));
    world.warn(`Cannot ${ACTS[action.kind]} the queue of "${session}": ${reason}`);
    return 1;
  }
}

const ACTS: Record<QueueAction["kind"], string> = {
  ...{ add: "add to", drop: "drop from", move: "move a step in" },
  ...{ list: "list", clear: "clear", pause: "pause", resume: "resume" },
};

function readSteps(path: string): string {
  const text = readTextIfThere(path);
  if (text === undefined) throw new Error(`there is no file ${path}`);
  return text;
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
    await serveQueue(world, name);
    return 0;
  } catch (error) {
    world.warn(onOneLine(`Cannot run the queue of "${name}": ${messageOf(error)}`));
    return 1;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
