/** Finds out which of an agent's sessions live, and how those are started that should. */

import { type LaunchWish, wayBack } from "./agent_launch.ts";
import { type Candidate, lookFor } from "./candidates.ts";
import { comingBack } from "./comeback.ts";
import { knownConversation } from "./known_conversation.ts";
import { type Conversation, conversationFor, type Launch } from "./launch.ts";
import { conversationOpened, whoHolds } from "./open_conversations.ts";
import { treeBelow } from "./process_tree.ts";
import type { Agent, Registry } from "../registry.ts";
import { chooseSession, namesOfOthers, sessionNameOf } from "./session_names.ts";
import type { Place } from "./start_claude.ts";
import type { TmuxServer } from "./tmux_servers.ts";
import { panesOf } from "./tmux_sessions.ts";
import type { World } from "./world.ts";

export interface RecoveryPlan {
  session: string;
  server: TmuxServer;
  place: Place;
  /** Where it finds programs and Claude Code's folder, as it had them. */
  world: World;
  dir: string;
  command: string;
  prompt: string;
  conversation: Conversation;
  /** The id it will have, as far as that is known before it starts. */
  claudeSessionId: string;
  /** The tmux server as the record has it until the session is started. */
  at: LaunchWish["at"];
  found: string;
  /** The name it had before, when it cannot have that one again. */
  movedFrom: string | undefined;
}

export type Finding =
  | { kind: "alive"; session: string; pane: string; server: TmuxServer; launch?: Launch }
  | { kind: "lost"; plan: RecoveryPlan }
  | { kind: "failed"; session: string; reason: string };

/** What this run opens, each with the session it is opened for: a process may not show it yet. */
export type Opened = Map<string, { agentId: string; session: string }>;

/** Looks, and changes nothing. `isNamed`: somebody asks for this very agent. */
export async function examine(
  world: World,
  registry: Registry,
  agent: Agent,
  isNamed: boolean,
  opened: Opened,
): Promise<Finding[]> {
  const { candidates, taken } = await lookFor(world, registry, agent);
  const alive = candidates.filter(({ state }) => state.kind === "alive");
  const findings: Finding[] = alive.map(({ session, state, house, launch }) => ({
    kind: "alive",
    session,
    pane: state.kind === "alive" ? state.pane : "",
    server: house.server,
    ...(launch === undefined ? {} : { launch }),
  }));
  const lost = candidates.filter((candidate) => !alive.includes(candidate));
  for (const candidate of comingBack(lost, { isNamed, anyLives: alive.length > 0 })) {
    const planned = planFor(world, registry, agent, candidate, taken);
    if (planned.kind === "failed") findings.push(planned);
    else {
      const finding = await once(world, agent, candidate, planned, alive, opened);
      if (finding?.kind === "lost") taken.add(finding.plan.session);
      if (finding !== undefined) findings.push(finding);
    }
  }
  return findings;
}

/** No conversation is opened a second time; nothing is to be done for a second record of one. */
async function once(
  world: World,
  agent: Agent,
  { session, launch }: Candidate,
  { plan, opens }: Planned,
  alive: Candidate[],
  opened: Opened,
): Promise<Finding | undefined> {
  if (opens === "") return { kind: "lost", plan };
  const { claudeConfig } = plan.world.paths;
  const held = await whoHolds(opens, claudeConfig, world.warn);
  if (held !== undefined) {
    const { holder, processes } = held;
    for (const { session, house } of alive) {
      const panes = await panesOf(house.server.tmux, session);
      const below = panes.flatMap(({ pid }) => treeBelow(processes, pid));
      if (below.includes(holder)) return undefined;
    }
    return { kind: "failed", session, reason: isOpen(opens, holder.pid, launch, session) };
  }
  const key = `${claudeConfig}:${opens}`;
  const first = opened.get(key);
  if (first?.agentId === agent.agent_id) return undefined;
  if (first !== undefined) {
    const reason = `its conversation ${opens} is opened for ${first.session} of ` +
      `${first.agentId} already: two agents cannot have the same one`;
    return { kind: "failed", session, reason };
  }
  opened.set(key, { agentId: agent.agent_id, session: plan.session });
  return { kind: "lost", plan };
}

interface Planned {
  kind: "planned";
  plan: RecoveryPlan;
  /** The conversation it will have open; "" when nobody can tell. */
  opens: string;
}

function planFor(
  world: World,
  registry: Registry,
  agent: Agent,
  { session, house, state, launch, needsName }: Candidate,
  taken: ReadonlySet<string>,
): Planned | Finding & { kind: "failed" } {
  const failed = (reason: string) => ({ kind: "failed" as const, session, reason });
  const choice = wayBack(world, agent, launch);
  if (choice.kind === "refused") return failed(choice.reason);
  const { world: there, dir, command } = choice.way;

  const others = namesOfOthers(registry, agent.agent_id);
  const isFree = state.kind !== "occupied" && !needsName;
  const name = isFree
    ? chooseSession(session, new Set(), others)
    : chooseSession(sessionNameOf(agent), taken, others);
  if (name.kind === "refused") return failed(name.reason);

  const known = knownConversation(there.paths, launch?.session ?? session, launch, dir);
  const resumeTarget = agent.claude_resume_target;
  const mode = agent.claude_post_launch_mode;
  const fresh = crypto.randomUUID();
  const conversation = conversationFor({ command, mode }, { ...known, resumeTarget }, fresh);
  const id = conversation.kind === "new" ? conversation.id : known.id;
  const { claudeConfig } = there.paths;
  const opens = conversationOpened(conversation, { command, dir, claudeConfig });
  const socket = house.facts?.socket ?? house.socket;
  return {
    kind: "planned",
    opens,
    plan: {
      session: name.name,
      server: house.server,
      place: state.kind === "shell"
        ? { kind: "pane", pane: state.pane }
        : state.kind === "dead"
        ? { kind: "dead_pane", pane: state.pane }
        : { kind: "new_session" },
      world: there,
      dir,
      command,
      prompt: launch?.system_prompt ?? agent.system_prompt,
      conversation,
      claudeSessionId: id,
      at: {
        ...(socket === undefined ? {} : { tmux_socket: socket }),
        ...(launch?.tmux_server === undefined ? {} : { tmux_server: launch.tmux_server }),
      },
      found: FOUND[state.kind],
      movedFrom: launch !== undefined && launch.session !== name.name ? launch.session : undefined,
    },
  };
}

function isOpen(id: string, pid: number, launch: Launch | undefined, session: string): string {
  const from = launch?.session ?? session;
  const way = from === session
    ? "end that one first"
    : `end that one, or give its tmux session "${from}" the name "${session}"`;
  return `its conversation ${id} is open already in process ${pid}: ${way}`;
}

const FOUND = {
  alive: "its tmux session was gone",
  gone: "its tmux session was gone",
  shell: "its tmux session held only a shell",
  dead: "all that ran in its tmux session had ended",
  occupied: "another program ran in its tmux session, which was left alone",
};
