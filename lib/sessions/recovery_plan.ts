/** What recovery does about each session of an agent: planned here, carried out in restart.ts. */

import { taskCommand } from "../cli/task_command.ts";
import { type AgentSession, type AgentSessions, sessionsOf } from "./agent_sessions.ts";
import { type LaunchWish, wayBack } from "./agent_launch.ts";
import { clashOf, type SessionWords, verdictsOn, whyStaysOut } from "./comeback.ts";
import { conversationOpened, firstAgain, knownConversation, whoHolds } from "./conversations.ts";
import { conversationFor, type PendingRecovery } from "./launch.ts";
import { launchFiles } from "./launch_files.ts";
import { newWakeId } from "../new_wake.ts";
import type { Agent, Registry } from "../registry.ts";
import { chooseSession, namesOfOthers, sessionNameOf } from "./session_names.ts";
import type { ReturningSession } from "./restart.ts";
import type { LaunchPlace } from "./start_claude.ts";
import { type SeenServer, tmuxWords } from "./tmux_servers.ts";
import type { World } from "../cli/world.ts";

export interface RecoveryPlan {
  wish: LaunchWish & { recovery: PendingRecovery };
  /** With the PATH and Claude Code's folder of the launch. */
  world: World;
  server: SeenServer;
  place: LaunchPlace;
  /** The name of its launch, when it comes back under another one. */
  movedFrom: string | undefined;
}

export interface AgentResult {
  agent_id: string;
  session: string;
  outcome: "alive" | "recovered" | "would recover" | "failed" | "left out";
  /** What was found or what went wrong, in words. */
  detail: string;
  conversation: string;
  wake_id: string;
}

export function resultFor(
  { agent_id }: Agent,
  outcome: AgentResult["outcome"],
  session: string,
  detail: string,
): AgentResult {
  return { agent_id, session, outcome, detail, conversation: "", wake_id: "" };
}

/** The result as a dry run shows it, and what is to be done: start the session, or await it. */
export interface RecoveryStep {
  result: AgentResult;
  plan?: RecoveryPlan;
  returning?: ReturningSession;
}

/** The conversations that this run opens, each with its session: a process may not show it yet. */
export type OpenedNow = Map<string, { agentId: string; session: string }>;

interface Scope {
  world: World;
  registry: Registry;
  agent: Agent;
  opened: OpenedNow;
}

/** Changes nothing. `isNamed`: `--agent` names this agent. */
export async function planRecovery(scope: Scope, isNamed: boolean): Promise<RecoveryStep[]> {
  const { world, registry, agent } = scope;
  const view = await sessionsOf(world, registry, agent);
  const verdicts = verdictsOn(view.sessions, { isNamed, now: world.now().getTime() });
  const all = (verdict: string) => view.sessions.filter((_, at) => verdicts[at] === verdict);
  const taken = new Set(view.running);
  for (const { launch } of view.sessions) if (launch !== undefined) taken.add(launch.session);

  const steps = all("alive").map((session) => aliveStep(agent, session));
  for (const session of all("comes_back")) {
    const step = await startOf(scope, session, view, taken);
    if (step.plan !== undefined) taken.add(step.plan.wish.session);
    steps.push(step);
  }
  for (const session of all("stays_out")) {
    const about = describe(scope, session, view);
    const reason = whyStaysOut(session, about);
    steps.push({ result: resultFor(agent, "left out", about.launched, reason) });
  }
  return steps;
}

/** What the words about a session need. */
function describe({ world, agent }: Scope, one: AgentSession, view: AgentSessions): SessionWords {
  const launched = one.launch?.session ?? one.session;
  return {
    agentId: agent.agent_id,
    launched,
    dir: one.launch?.working_directory ?? agent.working_directory,
    record: launchFiles(world.paths, launched).record,
    tmuxFor: ({ socket }) => tmuxWords(socket, view.servers[0]!.socket),
    command: (...words) => taskCommand(world, ...words),
    server: one.server,
  };
}

/** It is let alone; one that an interrupted recovery has started still waits for its wake. */
function aliveStep(agent: Agent, { session, launch, pane, server }: AgentSession): RecoveryStep {
  if (launch?.recovery === undefined) return { result: resultFor(agent, "alive", session, "") };
  const { recovery } = launch;
  return {
    result: wouldRecover(agent, session, recovery),
    returning: { kind: "returning", launch, recovery, pane, server, wasFound: true },
  };
}

function wouldRecover(
  agent: Agent,
  session: string,
  { found, conversation: opens }: PendingRecovery,
): AgentResult {
  const conversation = "target" in opens ? `resume ${opens.target}` : opens.kind;
  return { ...resultFor(agent, "would recover", session, found), conversation };
}

/** How a session is started again; refused where its conversation is open already. */
async function startOf(
  scope: Scope,
  one: AgentSession,
  view: AgentSessions,
  taken: ReadonlySet<string>,
): Promise<RecoveryStep> {
  const { world, registry, agent, opened } = scope;
  const { session, server, state, launch } = one;
  const refused = (reason: string) => ({ result: resultFor(agent, "failed", session, reason) });
  const choice = wayBack(world, agent, launch);
  if (choice.kind === "refused") return refused(choice.reason);
  const { world: there, dir, command } = choice.way;

  const others = namesOfOthers(registry, agent.agent_id);
  const name = state === "occupied" || one.needsName
    ? chooseSession(sessionNameOf(agent), taken, others)
    : chooseSession(session, new Set(), others);
  if (name.kind === "refused") return refused(name.reason);

  const known = knownConversation(there.paths, launch?.session ?? session, launch, dir);
  const { claude_resume_target: resumeTarget, claude_post_launch_mode: mode } = agent;
  const fresh = crypto.randomUUID();
  const conversation = conversationFor({ command, mode }, { ...known, resumeTarget }, fresh);

  const opens = conversationOpened(conversation, { ...there.paths, command, dir });
  const key = `${there.paths.claudeConfig}:${opens}`;
  if (opens !== "") {
    const held = await whoHolds(opens, there.paths.claudeConfig, view.servers, world.warn);
    const living = view.sessions.filter((other) => other.state === "alive");
    const about = describe(scope, one, view);
    const clash = clashOf(one, about, { opens, held, living, first: opened.get(key) });
    if (clash !== undefined) {
      const name = clash.outcome === "failed" ? session : about.launched;
      return { result: resultFor(agent, clash.outcome, name, clash.reason) };
    }
    opened.set(key, { agentId: agent.agent_id, session: name.name });
  }
  const wake_id = newWakeId(world.now().getTime());
  const wish = {
    agent,
    session: name.name,
    dir,
    command,
    prompt: launch?.system_prompt ?? agent.system_prompt,
    claudeSessionId: conversation.kind === "new" ? conversation.id : known.id,
    first: firstAgain(there.paths, launch, conversation),
    at: {
      ...(server.socket === undefined ? {} : { tmux_socket: server.socket }),
      ...(launch?.tmux_server === undefined ? {} : { tmux_server: launch.tmux_server }),
    },
    recovery: { wake_id, found: FOUND[state], conversation },
  };
  const movedFrom = launch?.session === name.name ? undefined : launch?.session;
  return {
    result: wouldRecover(agent, wish.session, wish.recovery),
    plan: { wish, world: there, server, place: placeFor(one), movedFrom },
  };
}

function placeFor({ state, pane }: AgentSession): LaunchPlace {
  if (state === "shell") return { kind: "pane", pane };
  return state === "dead" ? { kind: "dead_pane", pane } : { kind: "new_session" };
}

const FOUND = {
  alive: "its tmux session was gone",
  gone: "its tmux session was gone",
  shell: "its tmux session held only a shell",
  dead: "all that ran in its tmux session had ended",
  occupied: "another program ran in its tmux session, which was left alone",
};
