/** Finds out which of an agent's sessions live, and how those are started that should. */

import { type LaunchWish, wayBack } from "./agent_launch.ts";
import { type Candidate, lookFor, tmuxWords } from "./candidates.ts";
import { comingBack, isToldOf, whyStaysOut } from "./comeback.ts";
import { knownConversation, unsaidFirst } from "./known_conversation.ts";
import { type Conversation, conversationFor, type Launch } from "./launch.ts";
import { launchFiles } from "./launch_files.ts";
import { conversationOpened, whoHolds } from "./open_conversations.ts";
import { type ProcessInfo, treeBelow } from "../doors/process_tree.ts";
import type { Agent, Registry } from "../registry.ts";
import { chooseSession, namesOfOthers, sessionNameOf } from "./session_names.ts";
import { shellQuote } from "../shell.ts";
import type { Place } from "./start_claude.ts";
import type { TmuxServer } from "./tmux_servers.ts";
import { panesOf } from "../doors/tmux_sessions.ts";
import type { World } from "../cli/world.ts";

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
  first: string;
  /** The tmux server as the record has it until the session is started. */
  at: LaunchWish["at"];
  found: string;
  /** The name it had before, when it cannot have that one again. */
  movedFrom: string | undefined;
}

export type Finding =
  | { kind: "alive"; session: string; pane: string; server: TmuxServer; launch?: Launch }
  | { kind: "lost"; plan: RecoveryPlan }
  | { kind: "failed"; session: string; reason: string }
  /** It stays as it is, on purpose. */
  | { kind: "left_out"; session: string; reason: string };

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
  const isTold = ({ seen }: Candidate) => isToldOf(seen, world.now().getTime());
  const back = comingBack(lost, { isNamed, anyLives: alive.length > 0 });
  for (const candidate of back) {
    const planned = planFor(world, registry, agent, candidate, taken);
    if (planned.kind === "failed") findings.push(planned);
    else {
      const finding = await once(world, agent, candidate, planned, alive, opened);
      if (finding.kind === "lost") taken.add(finding.plan.session);
      if (finding.kind !== "left_out" || isTold(candidate)) findings.push(finding);
    }
  }
  for (const candidate of lost) {
    // What lives under its name, on another server, is told of already.
    const isNamesake = alive.some(({ session }) => session === candidate.session);
    if (back.includes(candidate) || isNamesake || !isTold(candidate)) continue;
    findings.push(await leftOut(world, agent, candidate));
  }
  return findings;
}

async function leftOut(
  world: World,
  agent: Agent,
  { session: name, house, launch, seen }: Candidate,
): Promise<Finding> {
  const session = launch?.session ?? name;
  const reason = whyStaysOut(seen, {
    agentId: agent.agent_id,
    session,
    dir: launch?.working_directory ?? agent.working_directory,
    isRenamed: session !== name,
    tmux: await tmuxWords(world, house.facts?.socket ?? house.socket),
    record: launchFiles(world.paths, session).record,
  });
  return { kind: "left_out", session, reason };
}

/** No conversation is opened a second time; nothing is to be done for a second record of one. */
async function once(
  world: World,
  agent: Agent,
  { session, house, state, launch }: Candidate,
  { plan, opens }: Planned,
  alive: Candidate[],
  opened: Opened,
): Promise<Finding> {
  const goesOnIn = (other: string): Finding => {
    const name = launch?.session ?? session;
    const { record } = launchFiles(world.paths, name);
    const giveUp = state.kind === "gone" ? `; to give this one up, remove ${record}` : "";
    const reason = `its conversation ${opens} goes on in ${other}${giveUp}`;
    return { kind: "left_out", session: name, reason };
  };
  if (opens === "") return { kind: "lost", plan };
  const { claudeConfig } = plan.world.paths;
  const held = await whoHolds(opens, claudeConfig, world.warn);
  if (held !== undefined) {
    const { holder, processes } = held;
    for (const { session, house } of alive) {
      const panes = await panesOf(house.server.tmux, session);
      const below = panes.flatMap(({ pid }) => treeBelow(processes, pid));
      if (below.includes(holder)) return goesOnIn(session);
    }
    const tmux = await tmuxWords(world, house.facts?.socket);
    const holding = await sessionAround(house.server, holder, processes);
    const reason = isOpen({ id: opens, pid: holder.pid, session, launch, tmux, holding });
    return { kind: "failed", session, reason };
  }
  const key = `${claudeConfig}:${opens}`;
  const first = opened.get(key);
  if (first?.agentId === agent.agent_id) return goesOnIn(first.session);
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
  const opens = conversationOpened(conversation, { ...there.paths, command, dir });
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
      first: unsaidFirst(there.paths, launch, conversation),
      at: {
        ...(socket === undefined ? {} : { tmux_socket: socket }),
        ...(launch?.tmux_server === undefined ? {} : { tmux_server: launch.tmux_server }),
      },
      found: FOUND[state.kind],
      movedFrom: launch !== undefined && launch.session !== name.name ? launch.session : undefined,
    },
  };
}

/** The tmux session below whose panes a process runs; undefined when it runs elsewhere. */
async function sessionAround(
  { tmux }: TmuxServer,
  process: ProcessInfo,
  processes: ProcessInfo[],
): Promise<string | undefined> {
  const listed = await tmux.call("list-panes", "-a", "-F", "#{pane_pid} #{session_name}");
  const lines = listed.kind === "ok" ? listed.stdout.split("\n") : [];
  const around = lines.find((line) =>
    treeBelow(processes, Number.parseInt(line)).includes(process)
  );
  return around?.slice(around.indexOf(" ") + 1);
}

interface OpenElsewhere {
  id: string;
  pid: number;
  /** The name that the lost session would come back under. */
  session: string;
  launch: Launch | undefined;
  tmux: string;
  /** The tmux session that has it open. */
  holding: string | undefined;
}

function isOpen({ id, pid, session, launch, tmux, holding }: OpenElsewhere): string {
  const open = `its conversation ${id} is open already in process ${pid}`;
  if (holding === undefined) return `${open}: end that one first`;
  const there = shellQuote(`=${holding}`);
  const way = launch?.session === holding && holding !== session
    ? `give that the name "${session}": ${tmux} rename-session -t ${there} ${shellQuote(session)}`
    : `go on there: ${tmux} attach -t ${there}`;
  return `${open}: it is open in tmux session "${holding}"; ${way}`;
}

const FOUND = {
  alive: "its tmux session was gone",
  gone: "its tmux session was gone",
  shell: "its tmux session held only a shell",
  dead: "all that ran in its tmux session had ended",
  occupied: "another program ran in its tmux session, which was left alone",
};
