/** Recovery of one agent: decides about its sessions, starts those that come back, wakes the agent. */

import { taskCommand } from "../cli/task_command.ts";
import type { World } from "../cli/world.ts";
import { whyMarked } from "../doors/tmux_sessions.ts";
import type { SessionObservation } from "../fleet/observation.ts";
import { record } from "../journal.ts";
import { currentName } from "../known_sessions.ts";
import { newWakeId, receiverOf } from "../new_wake.ts";
import { messageOf } from "../process.ts";
import { startIfQueued } from "../queue_runner.ts";
import { type Registry, whyUnreachable } from "../registry.ts";
import { wayBack } from "../sessions/agent_launch.ts";
import { type Verdict, whyStaysOut } from "../sessions/comeback.ts";
import {
  conversationOpened,
  firstAgain,
  knownConversation,
  whoHolds,
  whyOpen,
} from "../sessions/conversations.ts";
import { launchOf } from "../sessions/find_session.ts";
import { conversationFor, type Launch, type PendingRecovery } from "../sessions/launch.ts";
import { moveQueue } from "../sessions/kept_files.ts";
import { writeLaunch } from "../sessions/launch_files.ts";
import { recoveredDraft, send } from "../sessions/recovery_wake.ts";
import {
  chooseSession,
  namesOfOthers,
  sessionNameOf,
  withEarlierNames,
} from "../sessions/session_names.ts";
import { awaitReady, dialogHelp, startClaude } from "../sessions/start_claude.ts";
import { serverAt, type TmuxServer, tmuxWords } from "../sessions/tmux_servers.ts";
import { maskScreen, shellQuote } from "../text.ts";
import { planFor, type PlanScope } from "./recovery_plan.ts";
import { type AgentResult, broughtBack, resultFor } from "./recovery_result.ts";

/** What the agents of one run share. */
export interface RecoveryRun extends Pick<PlanScope, "fleet"> {
  world: World;
  registry: Registry;
  /** The conversations that this run opens, and for whom: a process may not show them yet. */
  opened: Map<string, { agentId: string; session: string }>;
  /** The names of all tmux sessions, and of those that this run starts. */
  names: Set<string>;
}

interface RecoveryScope extends RecoveryRun, PlanScope {
  timeoutMs: number;
  dryRun: boolean;
}

/** What is left to do for a session when all are started. */
export type Ending = () => AgentResult | Promise<AgentResult>;

export async function startSessions(scope: RecoveryScope): Promise<Ending[]> {
  const { world, agent, names } = scope;
  const plan = planFor(scope, world.now().getTime());
  const all = (verdict: Verdict) =>
    plan.filter((one) => one.verdict === verdict).map(({ seen }) => seen);
  for (const { seen } of plan) names.add(seen.session);

  const endings = all("alive").map((one) => leave(scope, one));
  for (const one of all("comes_back")) {
    endings.push(
      await bringBack(scope, one, all("alive")).catch((error) => {
        const failed = resultFor(agent, "failed", one.session, messageOf(error));
        return () => failed;
      }),
    );
  }
  for (const one of all("stays_out")) {
    const reason = whyStaysOut(one, {
      recover: taskCommand(world, "recover", one.session),
      remove: taskCommand(world, "remove", one.session),
    });
    endings.push(() => resultFor(agent, "left out", one.session, reason));
  }
  return endings;
}

function tmuxFor({ fleet }: RecoveryScope, { socket }: SessionObservation): string {
  return tmuxWords(socket, fleet.servers[0]!.socket);
}

function serverOf({ world, fleet }: RecoveryScope, { socket }: SessionObservation): TmuxServer {
  return fleet.servers.find((one) => socket === undefined || one.socket === socket) ??
    serverAt(world, socket);
}

/** A session that runs; one that an interrupted recovery has started still waits for its wake. */
function leave(scope: RecoveryScope, one: SessionObservation): Ending {
  const { agent, dryRun } = scope;
  const { session, launch, renamedTo } = one;
  const name = renamedTo === undefined ? "" : `it runs as "${renamedTo}"`;
  if (launch?.recovery === undefined) return () => resultFor(agent, "alive", session, name);
  const { recovery } = launch;
  if (dryRun) return () => broughtBack(agent, "would recover", session, recovery);
  return () => awaitReturn(scope, one, { launch, recovery, isFound: true });
}

const FOUND: Record<SessionObservation["holds"], string> = {
  alive: "",
  gone: "its tmux session was gone",
  shell: "its tmux session held only a shell",
  dead: "all that ran in its tmux session had ended",
  occupied: "another program ran in its tmux session, which was left alone",
};

/** Starts a session again; throws the reason why it cannot. */
async function bringBack(
  scope: RecoveryScope,
  one: SessionObservation,
  alive: SessionObservation[],
): Promise<Ending> {
  const { world, registry, agent, fleet, opened, names } = scope;
  const { holds, launch, socket } = one;
  const way = wayBack(world, agent, launch);
  if (way.kind === "refused") throw new Error(way.reason);
  const { world: there, dir, command } = way;

  const others = namesOfOthers(registry, agent.agent_id);
  const keepsName = holds !== "occupied";
  const session = keepsName
    ? chooseSession(one.session, new Set(), others)
    : chooseSession(sessionNameOf(agent), withEarlierNames(world.paths, names), others);

  const known = knownConversation(there.paths, one, dir);
  const { claude_resume_target: resumeTarget, claude_post_launch_mode: mode } = agent;
  const fresh = crypto.randomUUID();
  const conversation = conversationFor({ command, mode }, { ...known, resumeTarget }, fresh);
  const opens = conversationOpened(conversation, { ...there.paths, command, dir });
  if (opens !== "") {
    const { claudeConfig } = there.paths;
    const key = `${claudeConfig}:${opens}`;
    const first = opened.get(key);
    const panes = fleet.servers.flatMap((server) => server.panes);
    const holder = first ? undefined : await whoHolds(opens, claudeConfig, panes, world.warn);
    const sibling = first?.agentId === agent.agent_id
      ? first
      : alive.find(({ session }) => session === holder?.session);
    if (sibling !== undefined) {
      const remove = taskCommand(world, "remove", one.session);
      const reason =
        `its conversation ${opens} goes on in ${sibling.session}; ${remove} gives this one up`;
      return () => resultFor(agent, "left out", one.session, reason);
    }
    if (first !== undefined) {
      const where = `${first.session} of ${first.agentId}`;
      throw new Error(
        `its conversation ${opens} is opened for ${where} already: two agents cannot have the same one`,
      );
    }
    if (holder !== undefined) throw new Error(whyOpen(opens, holder));
    opened.set(key, { agentId: agent.agent_id, session });
  }
  names.add(session);
  const recovery = { wake_id: newWakeId(world.now().getTime()), found: FOUND[holds], conversation };
  if (scope.dryRun) return () => broughtBack(agent, "would recover", session, recovery);

  const server = serverOf(scope, one);
  const marked = await whyMarked(server.tmux, world.env("OPENCLAW_SHELL"));
  if (marked !== undefined) throw new Error(marked);
  const place = keepsName && holds !== "gone"
    ? { pane: one.pane!, isDead: holds === "dead" }
    : "new";
  const started = await startClaude(there, server, place, {
    agent,
    session,
    dir,
    command,
    conversation,
    prompt: launch?.system_prompt ?? agent.system_prompt,
    claudeSessionId: conversation.kind === "new" ? conversation.id : known.id,
    first: firstAgain(one, conversation),
    at: {
      ...(socket === undefined ? {} : { tmux_socket: socket }),
      ...(launch?.tmux_server === undefined ? {} : { tmux_server: launch.tmux_server }),
    },
    recovery,
  });
  if (launch !== undefined && launch.session !== session) {
    writeLaunch(world.paths, { ...launch, moved_to: session });
    moveQueue(world.paths, launch.session, session);
    startIfQueued(world.paths, world.env, session, world.now());
  }
  const { pane } = started;
  const begun = { launch: started.launch, recovery, isFound: false };
  return () => awaitReturn(scope, { ...one, pane }, begun);
}

/** Waits until the session can be spoken to, and wakes its agent. */
async function awaitReturn(
  scope: RecoveryScope,
  one: SessionObservation,
  { launch: begun, recovery, isFound }: {
    launch: Launch;
    recovery: PendingRecovery;
    isFound: boolean;
  },
): Promise<AgentResult> {
  const { world, agent, timeoutMs } = scope;
  const wait = { timeoutMs, isFound, progress: world.warn };
  const arrival = await awaitReady(serverOf(scope, one).tmux, one.pane!, begun, wait);
  // Meanwhile it may have been renamed, and the name is a part of the record.
  const launch = launchOf(world, currentName(world.paths, begun.session)) ?? begun;
  const { session, agent_id } = launch;
  if (arrival.kind === "failed") {
    const last = maskScreen(arrival.screen).split("\n").map((line) => line.trim())
      .filter((line) => line !== "").at(-2);
    const shown = last === undefined ? "" : `; its screen says: ${last}`;
    return resultFor(agent, "failed", session, arrival.reason + shown);
  }
  const dialog = arrival.kind === "dialog" ? arrival.dialog : undefined;
  const back = broughtBack(agent, "recovered", session, recovery);
  const unreachable = whyUnreachable(agent);
  if (unreachable !== undefined) back.detail += `; it was not woken: ${unreachable}`;
  else {
    const draft = recoveredDraft(world, agent, launch, recovery, dialog);
    send(world, receiverOf(agent), session, draft, recovery.wake_id);
    back.wake_id = recovery.wake_id;
  }
  if (dialog !== undefined) {
    const attach = `${tmuxFor(scope, one)} attach -t ${shellQuote(`=${session}`)}`;
    back.detail += `; it waits: ${dialogHelp(dialog)}; ${attach}`;
  }
  const { recovery: _, ...done } = launch;
  writeLaunch(world.paths, done);
  const reason = `recovered: ${recovery.found}`;
  record(world.paths, { kind: "session", session, agent_id, reason });
  return back;
}
