/** Watches all sessions: reports what no hook reported, and starts lost sessions again. */

import { onOneLine } from "../lib/cli/speaker.ts";
import { realWorld } from "../lib/cli/world.ts";
import { whyNotAsRoot } from "../lib/doors/as_root.ts";
import { gatewayState } from "../lib/delivery/gateway_up.ts";
import { Changes } from "../lib/doors/changes.ts";
import { type HeldLock, isHeld } from "../lib/doors/held_lock.ts";
import type { FleetFinding } from "../lib/fleet/findings.ts";
import { tmuxName } from "../lib/fleet/session_commands.ts";
import type { SessionView } from "../lib/fleet/session_view.ts";
import { agoOf } from "../lib/fleet/ago.ts";
import { FleetWatch, type WatchWorld } from "../lib/fleet/watch.ts";
import { holdWatch } from "../lib/fleet/watch_lock.ts";
import { safeName } from "../lib/paths.ts";
import { messageOf, run } from "../lib/process.ts";
import { startIfQueued } from "../lib/queue_runner.ts";
import { listOpenClawAgents } from "../lib/sessions/openclaw_sessions.ts";
import { driverWords } from "../lib/sessions/tmux_servers.ts";
import { pause } from "../lib/time.ts";

export interface WatchCommandWorld extends WatchWorld {
  /** Ends the watch; the reason is the signal. */
  stop?: AbortSignal;
}

export const HELP = `Watches all sessions, and reports what no hook has reported.

Usage: gsd-code watch [--once]

  gsd-code watch          until it is ended; install-units lets systemd run it
  gsd-code watch --once   one look, for cron; ends within a minute

It compares what the sessions do with the wakes that their agents got:
  - Claude Code is gone without a word: session_lost, and it is started again (auto_recover)
  - a turn, failure, question, permission or Esc without a wake: the wake is made late
  - a dialog no hook speaks of: dialog_open
  - no sign of life for stall_after_s: stalled; the API fails again and again: retrying
  - an API limit has ended: limited, or Claude is sent on (resume_after_limit)
  - no answer for escalate_after_s: unanswered, to the global status session
  - a session was renamed or moved, or no hook of ours runs in it: session_changed
  - a limit of spending or of the context is near or reached: budget; the turn is stopped
  - OpenClaw does not know an agent: agent_unknown, to the global status session
  - wakes wait though the gateway is up: they are delivered

Each is reported once while it lasts, also when the watch is ended and started again. One watch runs per
user. docs/watch.md has more.

Options:
  --once      look once
  --help      this text
`;

const COMMAND = { task: "watch", help: HELP, flags: ["once"] } as const;

/** Without a change it looks this often. */
const EVERY_MS = 5000;
/** With changes it looks no more often. */
const AT_MOST_EVERY_MS = 1000;
/** How long `--once` waits for a finding that is about to be reported. */
const ONCE_MS = 45_000;

export async function main(
  args: string[],
  world: WatchCommandWorld = realWatchWorld(),
): Promise<number> {
  const given = await givenIn(args, world);
  if (typeof given === "number") return given;
  const refusal = whyNotAsRoot(world.paths.state, "watch");
  if (refusal !== undefined) {
    world.warn(refusal);
    return 1;
  }
  try {
    const lock = await lockFor(world);
    if (lock === undefined) {
      world.warn("Another watch runs already: nothing was done");
      return given.flags.once ? 0 : 1;
    }
    try {
      const watch = new FleetWatch(world);
      if (given.flags.once) await lookOnce(watch, world);
      else await lookOn(watch, lock, world);
      await watch.settled();
    } finally {
      lock.release();
    }
    // systemd ends it with SIGTERM: that is no failure.
    return world.stop?.reason === "SIGINT" ? 130 : 0;
  } catch (error) {
    world.warn(onOneLine(`Cannot watch: ${messageOf(error)}`));
    return 1;
  }
}

/** Without arguments, as systemd runs it, no parser is loaded. */
async function givenIn(args: string[], world: WatchCommandWorld) {
  if (args.length === 0) return { flags: { once: false } };
  const file = new URL("../lib/cli/command_line.ts", import.meta.url).href;
  const { readCommandLine }: typeof import("../lib/cli/command_line.ts") = await import(file);
  return readCommandLine(args, COMMAND, world);
}

/** A process that checks whether a watch runs holds the lock for a moment. */
async function lockFor({ paths }: WatchCommandWorld): Promise<HeldLock | undefined> {
  for (let tries = 0; tries < 5; tries++) {
    const lock = holdWatch(paths);
    if (lock !== undefined) return lock;
    await pause(100);
  }
  return undefined;
}

async function lookOnce(watch: FleetWatch, world: WatchCommandWorld): Promise<void> {
  const end = performance.now() + ONCE_MS;
  for (;;) {
    const { told, nextAt } = await watch.look();
    for (const finding of told) world.say(lineOf(finding, world));
    if (nextAt === undefined || performance.now() > end) return;
    await pause(Math.min(EVERY_MS, Math.max(50, nextAt - world.now().getTime())));
  }
}

async function lookOn(watch: FleetWatch, lock: HeldLock, world: WatchCommandWorld): Promise<void> {
  const { state, claudeConfig } = world.paths;
  const isOurs = (path: string) => /^\/(watch|locks)(\/|$)/.test(path.slice(state.length));
  using changes = new Changes([
    { path: state, recursive: true },
    { path: `${claudeConfig}/sessions`, recursive: false },
  ], (path) => path.startsWith(`${state}/`) && isOurs(path));
  const { stop } = world;
  stop?.addEventListener("abort", () => changes.wake());
  while (!stop?.aborted) {
    if (!lock.isOurs()) throw new Error("its lock was removed, and another watch may run");
    const begun = performance.now();
    let waitMs = EVERY_MS;
    try {
      const { told, nextAt } = await watch.look();
      for (const finding of told) world.say(lineOf(finding, world));
      if (nextAt !== undefined) waitMs = Math.min(waitMs, nextAt - world.now().getTime());
    } catch (error) {
      world.warn(onOneLine(`Cannot look: ${messageOf(error)}`));
    }
    await changes.next(waitMs);
    const passed = performance.now() - begun;
    if (passed < AT_MOST_EVERY_MS && !stop?.aborted) await pause(AT_MOST_EVERY_MS - passed);
  }
}

function lineOf({ kind, since, view }: FleetFinding, world: WatchCommandWorld): string {
  const ago = agoOf(world.now().getTime() - since);
  return onOneLine(`${view.session} of ${view.agent_id}: ${kind} for ${ago}: ${view.evidence}`);
}

/** Recovery is a program of its own: it needs more memory, and may take minutes. */
async function recover(agentId: string, world: WatchWorld): Promise<number> {
  const script = `${world.paths.root}/commands/recover.ts`;
  const words = ["--agent", agentId, "--unattended", "--skip-sync"];
  const flags = ["run", "-A", "--quiet", "--cached-only", "--no-prompt"];
  const env = world.environment();
  const outcome = await run(world.deno, [...flags, script, ...words], { env, timeoutMs: 600_000 });
  if (outcome.kind === "finished") return outcome.code;
  throw new Error(`recover: ${outcome.kind === "timeout" ? "no end in 10 min" : outcome.reason}`);
}

/** Each look may find a turn that runs: a runner that has nothing to do is not started again at once. */
const QUEUE_EVERY_MS = 15_000;
const queueStarts = new Map<string, number>();

function startUnlessServed(
  { paths, env }: Pick<WatchWorld, "paths" | "env">,
  session: string,
  now: Date,
): void {
  const started = queueStarts.get(session);
  if (started !== undefined && performance.now() - started < QUEUE_EVERY_MS) return;
  if (isHeld(`${paths.state}/locks/queue-run-${safeName(session)}`)) return;
  queueStarts.set(session, performance.now());
  startIfQueued(paths, env, session, now);
}

/** Has the driver do something in a session; why it could not. */
async function drive(
  view: SessionView,
  action: string[],
  world: WatchWorld,
): Promise<string | undefined> {
  const [program = "", ...words] = driverWords(world.paths, view.seen.socket);
  const args = [...words, "--by", "watch", tmuxName(view.seen), ...action];
  const outcome = await run(program, args, { env: world.environment(), timeoutMs: 120_000 });
  if (outcome.kind === "finished") return outcome.code === 0 ? undefined : outcome.stderr.trim();
  return outcome.kind === "timeout" ? "the driver did not end in 2 min" : outcome.reason;
}

function realWatchWorld(): WatchCommandWorld {
  const world = realWorld();
  const stopping = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => stopping.abort(signal));
  }
  const watchWorld: WatchCommandWorld = {
    ...world,
    gateway: () => gatewayState(world.env),
    startQueue: (session, now) => startUnlessServed(world, session, now),
    recover: (agentId) => recover(agentId, watchWorld),
    type: (view, text) => drive(view, ["type", text], watchWorld),
    stopTurn: (view) => drive(view, ["esc"], watchWorld),
    openclawAgents: () => listOpenClawAgents(watchWorld),
    stop: stopping.signal,
  };
  return watchWorld;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
