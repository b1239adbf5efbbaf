/** Recovery of one agent: looks at its sessions, starts those that come back, wakes the agent. */

import { taskCommand } from "../cli/task_command.ts";
import type { World } from "../cli/world.ts";
import { whyMarked } from "../doors/tmux_sessions.ts";
import { record } from "../journal.ts";
import { newWakeId, receiverOf } from "../new_wake.ts";
import { messageOf } from "../process.ts";
import { type Agent, type Registry, whyUnreachable } from "../registry.ts";
import { maskScreen, shellQuote } from "../text.ts";
import { wayBack } from "./agent_launch.ts";
import { type AgentSession, type AgentSessions, sessionsOf } from "./agent_sessions.ts";
import { type Verdict, verdictsOn, whyStaysOut } from "./comeback.ts";
import {
  claimConversation,
  conversationOpened,
  firstAgain,
  knownConversation,
  type Opened,
  whoHolds,
  whyOpen,
} from "./conversations.ts";
import { conversationFor, type Launch, type PendingRecovery } from "./launch.ts";
import { launchFiles, writeLaunch } from "./launch_files.ts";
import { launchingAlone } from "./launch_lock.ts";
import { type AgentResult, broughtBack, resultFor } from "./recovery_result.ts";
import { recoveredDraft, send } from "./recovery_wake.ts";
import { chooseSession, namesOfOthers, sessionNameOf } from "./session_names.ts";
import { awaitReady, dialogHelp, startClaude } from "./start_claude.ts";
import { tmuxWords } from "./tmux_servers.ts";

export interface RecoveryScope {
  world: World;
  registry: Registry;
  agent: Agent;
  /** `--agent` names this agent. */
  isNamed: boolean;
  /** Named by the caller: they come back however they ended, and no other one is looked at. */
  sessions: readonly string[];
  timeoutMs: number;
  dryRun: boolean;
  /** The conversations that this run opens: a process may not show them yet. */
  opened: Map<string, Opened>;
}

/** What is left to do for a session when all are started. */
type Ending = () => AgentResult | Promise<AgentResult>;

export async function recoverAgent(scope: RecoveryScope): Promise<AgentResult[]> {
  // Looked at and started under one lock: what was seen must still be so.
  const endings = scope.dryRun
    ? await startSessions(scope)
    : await launchingAlone(scope.world, () => startSessions(scope));
  return await Promise.all(endings.map((ending) => ending()));
}

async function startSessions(scope: RecoveryScope): Promise<Ending[]> {
  const { world, registry, agent, isNamed } = scope;
  const view = await sessionsOf(world, registry, agent);
  const verdicts = verdictsOn(view.sessions, { isNamed, now: world.now().getTime() })
    .map((verdict, at) => verdictFor(scope, view.sessions[at]!, verdict));
  const all = (verdict: string) => view.sessions.filter((_, at) => verdicts[at] === verdict);
  for (const { session } of view.sessions) view.names.add(session);

  const endings = all("alive").map((one) => leave(scope, one, view));
  for (const one of all("comes_back")) {
    endings.push(
      await bringBack(scope, one, view).catch((error) => {
        const failed = resultFor(agent, "failed", one.session, messageOf(error));
        return () => failed;
      }),
    );
  }
  for (const one of all("stays_out")) {
    const reason = whyStaysOut(one, {
      recover: taskCommand(world, "recover", "--agent", agent.agent_id),
      restart: taskCommand(world, "recover", one.session),
      tmux: tmuxFor(one, view),
      record: launchFiles(world.paths, one.session).record,
    });
    endings.push(() => resultFor(agent, "left out", one.session, reason));
  }
  return endings;
}

function verdictFor(
  { sessions }: RecoveryScope,
  { session, state }: AgentSession,
  verdict: Verdict,
): Verdict {
  if (sessions.length === 0) return verdict;
  if (!sessions.includes(session)) return "unlisted";
  return state === "alive" ? "alive" : "comes_back";
}

function tmuxFor({ server }: AgentSession, { servers }: AgentSessions): string {
  return tmuxWords(server.socket, servers[0]!.socket);
}

/** A session that runs; one that an interrupted recovery has started still waits for its wake. */
function leave(scope: RecoveryScope, one: AgentSession, view: AgentSessions): Ending {
  const { agent } = scope;
  const { session, launch } = one;
  if (launch?.recovery === undefined) return () => resultFor(agent, "alive", session, "");
  const { recovery } = launch;
  if (scope.dryRun) return () => broughtBack(agent, "would recover", session, recovery);
  return () => awaitReturn(scope, one, { launch, recovery, isFound: true }, tmuxFor(one, view));
}

const FOUND: Record<AgentSession["state"], string> = {
  alive: "",
  gone: "its tmux session was gone",
  shell: "its tmux session held only a shell",
  dead: "all that ran in its tmux session had ended",
  occupied: "another program ran in its tmux session, which was left alone",
};

/** Starts a session again; throws the reason why it cannot. */
async function bringBack(
  scope: RecoveryScope,
  one: AgentSession,
  view: AgentSessions,
): Promise<Ending> {
  const { world, registry, agent, opened } = scope;
  const { state, launch, server } = one;
  const way = wayBack(world, agent, launch);
  if (way.kind === "refused") throw new Error(way.reason);
  const { world: there, dir, command } = way;

  const others = namesOfOthers(registry, agent.agent_id);
  const keepsName = state !== "occupied";
  const session = keepsName
    ? chooseSession(one.session, new Set(), others)
    : chooseSession(sessionNameOf(agent), view.names, others);

  const known = knownConversation(there.paths, one.session, launch, dir);
  const { claude_resume_target: resumeTarget, claude_post_launch_mode: mode } = agent;
  const fresh = crypto.randomUUID();
  const conversation = conversationFor({ command, mode }, { ...known, resumeTarget }, fresh);
  const opens = conversationOpened(conversation, { ...there.paths, command, dir });
  if (opens !== "") {
    const { claudeConfig } = there.paths;
    const key = `${claudeConfig}:${opens}`;
    const mine = { agentId: agent.agent_id, session };
    const look = () => whoHolds(opens, claudeConfig, view.servers, world.warn);
    const { first, holder } = await claimConversation(opened, key, mine, look);
    const sibling = first?.agentId === agent.agent_id
      ? first
      : view.sessions.find((one) => one.state === "alive" && one.session === holder?.session);
    if (sibling !== undefined) {
      const { record } = launchFiles(world.paths, one.session);
      const reason = `its conversation ${opens} goes on in ${sibling.session}; ` +
        `to give this one up, remove ${record}`;
      return () => resultFor(agent, "left out", one.session, reason);
    }
    if (first !== undefined) {
      const where = `${first.session} of ${first.agentId}`;
      throw new Error(
        `its conversation ${opens} is opened for ${where} already: two agents cannot have the same one`,
      );
    }
    if (holder !== undefined) throw new Error(whyOpen(opens, holder));
  }
  view.names.add(session);
  const recovery = { wake_id: newWakeId(world.now().getTime()), found: FOUND[state], conversation };
  if (scope.dryRun) return () => broughtBack(agent, "would recover", session, recovery);

  const marked = await whyMarked(server.tmux, world.env("OPENCLAW_SHELL"));
  if (marked !== undefined) throw new Error(marked);
  const place = keepsName && state !== "gone"
    ? { pane: one.pane, isDead: state === "dead" }
    : "new";
  const started = await startClaude(there, server, place, {
    agent,
    session,
    dir,
    command,
    conversation,
    prompt: launch?.system_prompt ?? agent.system_prompt,
    claudeSessionId: conversation.kind === "new" ? conversation.id : known.id,
    first: firstAgain(there.paths, launch, conversation),
    at: {
      ...(server.socket === undefined ? {} : { tmux_socket: server.socket }),
      ...(launch?.tmux_server === undefined ? {} : { tmux_server: launch.tmux_server }),
    },
    recovery,
  });
  if (launch !== undefined && launch.session !== session) {
    writeLaunch(world.paths, { ...launch, moved_to: session });
  }
  const { pane } = started;
  const begun = { launch: started.launch, recovery, isFound: false };
  return () => awaitReturn(scope, { ...one, pane }, begun, tmuxFor(one, view));
}

/** Waits until the session can be spoken to, and wakes its agent. */
async function awaitReturn(
  { world, agent, timeoutMs }: RecoveryScope,
  { server: { tmux }, pane }: AgentSession,
  { launch, recovery, isFound }: { launch: Launch; recovery: PendingRecovery; isFound: boolean },
  tmuxCommand: string,
): Promise<AgentResult> {
  const { session, agent_id } = launch;
  const wait = { timeoutMs, isFound, progress: world.warn };
  const arrival = await awaitReady(tmux, pane, launch, wait);
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
    const attach = `${tmuxCommand} attach -t ${shellQuote(`=${session}`)}`;
    back.detail += `; it waits: ${dialogHelp(dialog)}; ${attach}`;
  }
  const { recovery: _, ...done } = launch;
  writeLaunch(world.paths, done);
  const reason = `recovered: ${recovery.found}`;
  record(world.paths, { kind: "session", session, agent_id, reason });
  return back;
}
