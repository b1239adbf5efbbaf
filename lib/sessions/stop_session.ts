/** Ends Claude Code in a session: after its turn, or now. Its conversation stays. */

import type { World } from "../cli/world.ts";
import { allProcesses } from "../doors/process_tree.ts";
import { recordCall } from "../driver/record_call.ts";
import { messageOf } from "../json.ts";
import { currentName, hasQueue } from "../known_sessions.ts";
import { readScreen } from "../pane.ts";
import type { Paths } from "../paths.ts";
import { startIfQueued } from "../queue_runner.ts";
import type { Agent } from "../registry.ts";
import { readMemory } from "../session_memory.ts";
import { withStop } from "../step_endings.ts";
import { currentStep } from "../steps.ts";
import { readQueue, updateQueue } from "../steps_file.ts";
import { pause } from "../time.ts";
import { ensureRecord } from "./adopt_session.ts";
import { launchCommandOf } from "./agent_launch.ts";
import { whoHolds, whyOpen } from "./conversations.ts";
import {
  claudeIn,
  findSession,
  type FoundSession,
  type RunningClaude,
  whyNotOurs,
} from "./find_session.ts";
import { memorySince } from "./launch.ts";
import { writeLaunch } from "./launch_files.ts";
import { launchingAlone } from "./launch_lock.ts";
import { stateOfSession } from "./session_state.ts";

export interface StopWish {
  session: string;
  /** Also in the middle of a turn. */
  now: boolean;
  /** How long to wait for the end of the turn. */
  waitMs: number;
  dryRun: boolean;
}

export interface StopResult {
  session: string;
  agent_id: string;
  /** `not running`: it had ended before; recover leaves it alone from now on. */
  state: "planned" | "stopped" | "not running";
}

const LOOK_EVERY_MS = 200;
const REPORT_EVERY_MS = 10_000;
/** Its SessionEnd hooks run first. */
const ENDS_WITHIN_MS = 30_000;

/** Throws the reason where it cannot be stopped; it goes on then. */
export async function stopSession(wish: StopWish, world: World): Promise<StopResult> {
  const found = await findSession(world, wish.session);
  const { session, agent, state } = found;
  const foreign = whyNotOurs(world, found);
  if (foreign !== undefined) throw new Error(foreign);
  if (agent === undefined) throw new Error("no enabled agent of the registry has it");
  const result = { session, agent_id: agent.agent_id };
  const isAlive = state.kind === "alive";
  const elsewhere = isAlive ? undefined : await whyElsewhere(found, world);
  if (elsewhere !== undefined) throw new Error(elsewhere);
  return await withoutSteps(world, wish, session, async () => {
    if (isAlive && !wish.now) {
      const claude = await claudeIn(found, world.paths);
      await turnEnd(found, claude?.pane ?? state.pane, wish, world);
    }
    if (wish.dryRun) return { ...result, state: "planned" };
    const stopped = await launchingAlone(world, async (): Promise<StopResult | undefined> => {
      // Once more: while it waited, it may have been recovered, or renamed.
      const now = await findSession(world, currentName(world.paths, session));
      const isToEnd = now.state.kind === "alive";
      if (isToEnd && !isAlive) return undefined;
      if (!isToEnd && now.launch === undefined) throw new Error("Claude Code does not run in it");
      await endAndMark({ ...now, agent }, agent, isToEnd, world);
      const ended = { ...result, session: now.session };
      await recordCall(world, { ...ended, reason: "stopped" });
      return { ...ended, state: isToEnd ? "stopped" : "not running" };
    });
    return stopped ?? await stopSession(wish, world);
  });
}

/** It goes on under a name, or on a tmux server, that its record does not have yet. */
async function whyElsewhere(
  { session, launch }: FoundSession,
  { paths, warn }: World,
): Promise<string | undefined> {
  const memory = memorySince(readMemory(paths, session), launch);
  // A person who left it may continue its conversation elsewhere.
  if (memory?.ended) return undefined;
  const id = memory?.claude_session_id || launch?.claude_session_id || "";
  const holder = await whoHolds(id, launch?.env.CLAUDE_CONFIG_DIR ?? paths.claudeConfig, [], warn);
  return holder && whyOpen(id, holder);
}

/** Pauses the queue: it would give its next step right after the turn that we wait for. */
async function withoutSteps<T>(
  { paths, env, now, warn }: World,
  { waitMs, dryRun }: StopWish,
  session: string,
  work: () => Promise<T>,
): Promise<T> {
  if (dryRun || !hasQueue(paths, session)) return await work();
  const mark = (until: string | undefined) => {
    try {
      updateQueue(paths, currentName(paths, session), (queue) => withStop(queue, until));
    } catch (error) {
      warn(`Cannot hold the steps of its queue: ${messageOf(error)}`);
    }
  };
  // This pause ends by itself, in case this process is killed.
  mark(new Date(now().getTime() + waitMs + ENDS_WITHIN_MS).toISOString());
  let isStopped = false;
  try {
    const result = await work();
    isStopped = true;
    return result;
  } finally {
    mark(undefined);
    if (!isStopped) startIfQueued(paths, env, currentName(paths, session), now());
  }
}

async function endAndMark(
  found: FoundSession,
  agent: Agent,
  isAlive: boolean,
  world: World,
): Promise<void> {
  const launch = await ensureRecord(world, found, agent);
  const claude = isAlive ? await claudeIn({ ...found, launch }, world.paths) : undefined;
  // Before the end, so that the wake of the end can say so.
  writeLaunch(world.paths, { ...launch, stopped_at: world.now().toISOString() });
  const reason = isAlive ? await end(found, claude, world).catch(messageOf) : undefined;
  if (reason === undefined) return;
  writeLaunch(world.paths, launch);
  throw new Error(reason);
}

/** Waits until Claude is idle and the input box is empty; throws after the time limit. */
async function turnEnd(
  { session, server: { tmux } }: FoundSession,
  pane: string,
  { waitMs, dryRun }: StopWish,
  world: World,
): Promise<void> {
  const began = performance.now();
  for (let noted = began;; await pause(LOOK_EVERY_MS)) {
    const capture = await tmux.call("capture-pane", "-p", "-e", "-t", pane);
    const screen = capture.kind === "ok" ? whyBusy(capture.stdout) : capture.reason;
    const why = screen ?? whyStep(world.paths, currentName(world.paths, session));
    if (why === undefined) return;
    const now = performance.now();
    if (dryRun || now - began >= waitMs) {
      const how = "--now ends it nevertheless, --wait <seconds> waits longer";
      throw new Error(`${why}; ${how}`);
    }
    if (now - noted < REPORT_EVERY_MS) continue;
    noted = now;
    world.warn(`Waiting for the end of the turn: ${why}, ${Math.round((now - began) / 1000)} s`);
  }
}

/** A step is on its way, or its end is not noted yet: ended now, it would be continued later. */
function whyStep(paths: Paths, session: string): string | undefined {
  try {
    const queue = hasQueue(paths, session) ? readQueue(paths, session) : undefined;
    const step = queue === undefined ? undefined : currentStep(queue);
    const isOver = step === undefined || step.cut !== undefined || step.goes_on === true;
    return isOver ? undefined : `step ${step.n} of its queue runs`;
  } catch {
    return undefined; // the file cannot be read: doctor says so
  }
}

/** Why Claude Code should not be ended now; undefined when it waits for a prompt. */
export function whyBusy(capture: string): string | undefined {
  const { state, dialog, draft, ready } = readScreen(capture);
  if (dialog !== undefined && dialog.kind !== "slash_menu") {
    return "an unanswered dialog is open in it";
  }
  if (draft !== "") return "a draft is in its input box";
  if (state === "working") return "Claude is working";
  return ready || state === "idle" || state === "error" ? undefined : "its prompt cannot be found";
}

/** By SIGTERM: Claude Code keeps its conversation and runs its SessionEnd hooks. */
async function end(
  { session, agent, launch, server }: FoundSession,
  claude: RunningClaude | undefined,
  world: World,
): Promise<string | undefined> {
  if (claude === undefined) return "its process cannot be found: end it there with /exit";
  try {
    Deno.kill(claude.process.pid, "SIGTERM");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const command = launchCommandOf(world, agent!, launch);
  const until = performance.now() + ENDS_WITHIN_MS;
  for (;; await pause(LOOK_EVERY_MS)) {
    const isThere = await isRunning(claude.process.pid, claude.process.start);
    // A tmux that does not tell brings no process back: look again, and take it for ended at last.
    const look = () => stateOfSession(server.tmux, session, command).catch(() => undefined);
    const state = isThere ? undefined : await look();
    // A person may have one of their own in another pane.
    const isAlive = isThere || state?.kind === "alive" && state.pane === claude.pane;
    if (state !== undefined && !isAlive) return undefined;
    if (performance.now() <= until) continue;
    return isAlive
      ? `Claude Code (process ${claude.process.pid}) was asked to end, and has not`
      : undefined;
  }
}

async function isRunning(pid: number, start: string | undefined): Promise<boolean> {
  return (await allProcesses()).some((process) => process.pid === pid && process.start === start);
}
