/** Carries out what was planned for one session: starts it, waits for it, has its agent told. */

import { prepareLaunch } from "./agent_launch.ts";
import { tmuxWords } from "./candidates.ts";
import { record } from "../journal.ts";
import type { Launch, Untold } from "./launch.ts";
import { readLaunch, writeLaunch } from "./launch_files.ts";
import { newWakeId, receiverOf } from "../new_wake.ts";
import { type Dialog, readScreen } from "../pane.ts";
import type { RecoveryPlan } from "./recover_agent.ts";
import { recoveredDraft, send } from "./recovery_wake.ts";
import { type Agent, whyUnreachable } from "../registry.ts";
import { shellQuote } from "../shell.ts";
import { awaitReady, dialogHelp, hasOurWords, launchInto, NO_WORDS } from "./start_claude.ts";
import type { Tmux } from "../tmux.ts";
import { factsOf, type TmuxServer } from "./tmux_servers.ts";
import type { World } from "../cli/world.ts";

/** A session that was started, or found started, and whose agent is still to be told. */
export interface Returning {
  launch: Launch;
  untold: Untold;
  pane: string;
  server: TmuxServer;
  /** It ran already: somebody may work in it. */
  wasFound: boolean;
}

export type Started = { kind: "started"; returning: Returning } | {
  kind: "failed";
  reason: string;
};

/** To be called while no other launch is under way. */
export async function start(world: World, agent: Agent, plan: RecoveryPlan): Promise<Started> {
  const { session, conversation, found, movedFrom, server } = plan;
  // Kept before anything is started: whoever finds the session alive knows that nobody was told.
  const untold = { wake_id: newWakeId(world.now().getTime()), found, conversation };
  const launch = prepareLaunch(plan.world, {
    agent,
    session,
    dir: plan.dir,
    command: plan.command,
    prompt: plan.prompt,
    claudeSessionId: plan.claudeSessionId,
    first: plan.first,
    at: plan.at,
    untold,
  });
  const started = await launchInto(server, world.paths, launch, conversation, plan.place);
  if (started.kind === "failed") return started;
  const placed = await noteServer(world, server.tmux, launch);
  const before = movedFrom === undefined ? undefined : readLaunch(world.paths, movedFrom);
  if (before !== undefined) writeLaunch(world.paths, { ...before, moved_to: session });
  const returning = { launch: placed, untold, pane: started.stdout, server, wasFound: false };
  return { kind: "started", returning };
}

/** Where a launch has come to be, so that it is looked for there. */
export async function noteServer(world: World, tmux: Tmux, launch: Launch): Promise<Launch> {
  const facts = await factsOf(tmux);
  if (facts === undefined) return launch;
  const placed = { ...launch, tmux_socket: facts.socket, tmux_server: facts.server };
  writeLaunch(world.paths, placed);
  return placed;
}

/** `waits`: the dialog it stands before, in words, with the way there; "" when it is ready. */
export type Return =
  | { kind: "told"; wakeId: string; waits: string }
  | { kind: "mute"; reason: string; waits: string }
  | { kind: "failed"; reason: string };

/** Waits until the session can be spoken to, and tells its agent. */
export async function awaitReturn(
  world: World,
  agent: Agent,
  { launch, untold, pane, server, wasFound }: Returning,
  timeoutMs: number,
): Promise<Return> {
  const { session, agent_id } = launch;
  const { tmux } = server;
  const arrival = wasFound && await isSpokenTo(tmux, pane)
    ? { kind: "ready" as const }
    : await awaitReady(tmux, pane, session, { timeoutMs, progress: world.warn });
  if (arrival.kind === "failed") {
    const last = arrival.screen.split("\n").map((line) => line.trim())
      .filter((line) => line !== "").at(-2);
    const shown = last === undefined ? "" : `; its screen says: ${last}`;
    return { kind: "failed", reason: arrival.reason + shown };
  }
  const dialog = arrival.kind === "dialog" ? arrival.dialog : undefined;
  const isWhole = dialog !== undefined || await hasOurWords(tmux, pane, launch);
  const told = isWhole
    ? {
      ...tell(world, agent, launch, untold, dialog),
      waits: dialog === undefined ? "" : await whatWaits(world, launch, dialog),
    }
    : { kind: "failed" as const, reason: `it runs, but ${NO_WORDS}` };
  const { untold: _, ...done } = launch;
  writeLaunch(world.paths, done);
  const reason = `recovered: ${untold.found}`;
  record(world.paths, { kind: "session", session, agent_id, reason });
  return told;
}

/** Where somebody works already, or has begun to type, no empty prompt is waited for. */
async function isSpokenTo(tmux: Tmux, pane: string): Promise<boolean> {
  const capture = await tmux.call("capture-pane", "-p", "-e", "-t", pane);
  if (capture.kind === "failed") return false;
  const { state, dialog } = readScreen(capture.stdout);
  return state !== "unknown" && dialog === undefined;
}

async function whatWaits(world: World, launch: Launch, dialog: Dialog): Promise<string> {
  const tmux = await tmuxWords(world, launch.tmux_socket);
  return `${dialogHelp(dialog)}; ${tmux} attach -t ${shellQuote(`=${launch.session}`)}`;
}

function tell(
  world: World,
  agent: Agent,
  { session, first_command: first = "", tmux_socket: socket = "" }: Launch,
  { wake_id, found, conversation }: Untold,
  dialog: Dialog | undefined,
): { kind: "told"; wakeId: string } | { kind: "mute"; reason: string } {
  const reason = whyUnreachable(agent);
  if (reason !== undefined) return { kind: "mute", reason };
  const mayDecide = agent.settings.answer_permissions;
  const what = { session, found, conversation, first, mayDecide };
  const draft = recoveredDraft(
    world,
    dialog === undefined ? what : { ...what, dialog },
    socket,
  );
  send(world, receiverOf(agent), session, draft, wake_id);
  return { kind: "told", wakeId: wake_id };
}
