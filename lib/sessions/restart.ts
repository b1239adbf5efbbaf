/** Carries out the plan for one session: starts it, waits for it, wakes its agent. */

import { prepareLaunch } from "./agent_launch.ts";
import { record } from "../journal.ts";
import type { Launch, PendingRecovery } from "./launch.ts";
import { readLaunch, writeLaunch } from "./launch_files.ts";
import { receiverOf } from "../new_wake.ts";
import { readScreen } from "../pane.ts";
import type { RecoveryPlan } from "./recovery_plan.ts";
import { recoveredDraft, send } from "./recovery_wake.ts";
import { type Agent, whyUnreachable } from "../registry.ts";
import { shellQuote } from "../text.ts";
import { awaitReady, dialogHelp, hasOurWords, launchInto, NO_WORDS } from "./start_claude.ts";
import type { Tmux } from "../tmux.ts";
import { type SeenServer, seeServer, tmuxWords } from "./tmux_servers.ts";
import { whyMarked } from "../doors/tmux_sessions.ts";
import type { World } from "../cli/world.ts";

/** A session that was started, or found started, and whose agent is still to be woken. */
export interface ReturningSession {
  kind: "returning";
  launch: Launch;
  recovery: PendingRecovery;
  pane: string;
  server: SeenServer;
  /** It ran already: somebody may work in it. */
  wasFound: boolean;
}

/** To be called while no other launch is under way. */
export async function restart(
  { paths, env }: World,
  { wish, world, server, place, movedFrom }: RecoveryPlan,
): Promise<ReturningSession | { kind: "failed"; reason: string }> {
  const marked = await whyMarked(server.tmux, env("OPENCLAW_SHELL"));
  if (marked !== undefined) return { kind: "failed", reason: marked };
  const launch = prepareLaunch(world, wish);
  const started = await launchInto(server, paths, launch, wish.recovery.conversation, place);
  if (started.kind === "failed") return started;
  const before = movedFrom === undefined ? undefined : readLaunch(paths, movedFrom);
  if (before !== undefined) writeLaunch(paths, { ...before, moved_to: wish.session });
  const { recovery } = wish;
  return { ...started, kind: "returning", recovery, server, wasFound: false };
}

export type SessionReturn =
  /** `wakeId` is "" where the agent could not be woken; `notes` says so, and which dialog waits. */
  | { kind: "back"; wakeId: string; notes: string[] }
  | { kind: "failed"; reason: string };

/** Waits until the session can be spoken to, and wakes its agent. */
export async function awaitReturn(
  world: World,
  agent: Agent,
  { launch, recovery, pane, server: { tmux }, wasFound }: ReturningSession,
  timeoutMs: number,
): Promise<SessionReturn> {
  const { session, agent_id } = launch;
  const arrival = wasFound && await isInUse(tmux, pane)
    ? { kind: "ready" as const }
    : await awaitReady(tmux, pane, session, { timeoutMs, progress: world.warn });
  if (arrival.kind === "failed") {
    const last = arrival.screen.split("\n").map((line) => line.trim())
      .filter((line) => line !== "").at(-2);
    const shown = last === undefined ? "" : `; its screen says: ${last}`;
    return { kind: "failed", reason: arrival.reason + shown };
  }
  const dialog = arrival.kind === "dialog" ? arrival.dialog : undefined;
  const notes: string[] = [];
  const unreachable = whyUnreachable(agent);
  const isWhole = dialog !== undefined || await hasOurWords(tmux, pane, launch);
  if (isWhole) {
    if (unreachable !== undefined) notes.push(`it was not woken: ${unreachable}`);
    else {
      const draft = recoveredDraft(world, agent, launch, recovery, dialog);
      send(world, receiverOf(agent), session, draft, recovery.wake_id);
    }
    if (dialog !== undefined) {
      const inReach = await seeServer(world);
      const attach = `${tmuxWords(launch.tmux_socket, inReach.socket)} attach -t`;
      notes.push(`it waits: ${dialogHelp(dialog)}; ${attach} ${shellQuote(`=${session}`)}`);
    }
  }
  const { recovery: _, ...done } = launch;
  writeLaunch(world.paths, done);
  const reason = `recovered: ${recovery.found}`;
  record(world.paths, { kind: "session", session, agent_id, reason });
  if (!isWhole) return { kind: "failed", reason: `it runs, but ${NO_WORDS}` };
  return { kind: "back", wakeId: unreachable === undefined ? recovery.wake_id : "", notes };
}

/** Somebody works in it already, or has begun to type: no empty prompt will come. */
async function isInUse(tmux: Tmux, pane: string): Promise<boolean> {
  const capture = await tmux.call("capture-pane", "-p", "-e", "-t", pane);
  if (capture.kind === "failed") return false;
  const { state, dialog } = readScreen(capture.stdout);
  return state !== "unknown" && dialog === undefined;
}
