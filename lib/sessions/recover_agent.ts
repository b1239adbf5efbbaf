/** Finds out which of an agent's sessions live, and how those are started that should. */

import { asLaunched, launchCommand, whyNoLaunch } from "./agent_launch.ts";
import { comesBack } from "./comeback.ts";
import { endedAt, holderOf, knownConversation, lastSign } from "./known_conversation.ts";
import { type Conversation, conversationFor, type Launch } from "./launch.ts";
import { launchesOf } from "./launch_files.ts";
import { allProcesses } from "./process_tree.ts";
import type { Agent, Registry } from "../registry.ts";
import { chooseSession, isOwn, namesOfOthers, sessionNameOf } from "./session_names.ts";
import { type SessionState, stateOfSession } from "./session_state.ts";
import type { Place } from "./start_claude.ts";
import { factsOf, serverAt, type ServerFacts, type TmuxServer } from "./tmux_servers.ts";
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
  found: string;
  /** The name it had before, when it cannot have that one again. */
  movedFrom: string | undefined;
}

export type Finding =
  | { kind: "alive"; session: string; pane: string; server: TmuxServer; launch?: Launch }
  | { kind: "lost"; plan: RecoveryPlan }
  | { kind: "failed"; session: string; reason: string };

/** A session of the agent's that runs, or that was started once. */
interface Candidate {
  session: string;
  house: House;
  state: SessionState;
  launch: Launch | undefined;
}

interface House {
  socket: string | undefined;
  server: TmuxServer;
  facts: ServerFacts | undefined;
}

/** Looks, and changes nothing. `isNamed`: somebody asks for this very agent. */
export async function examine(
  world: World,
  registry: Registry,
  agent: Agent,
  isNamed: boolean,
): Promise<Finding[]> {
  const launches = launchesOf(world.paths, agent.agent_id)
    .sort((a, b) => lastSign(world.paths, a) < lastSign(world.paths, b) ? 1 : -1);
  const houses = await housesOf(world, launches);
  const candidates = await candidatesOf(world, registry, agent, launches, houses);
  const alive = candidates.filter(({ state }) => state.kind === "alive");
  const findings: Finding[] = alive.map(({ session, state, house, launch }) => ({
    kind: "alive",
    session,
    pane: state.kind === "alive" ? state.pane : "",
    server: house.server,
    ...(launch === undefined ? {} : { launch }),
  }));
  const lost = candidates.filter((candidate) => !alive.includes(candidate));
  const newest = launches.length === 0 ? "" : lastSign(world.paths, launches[0]!);
  const taken = new Set(launches.map(({ session }) => session));
  for (const { facts } of houses) facts?.sessions.forEach((name) => taken.add(name));
  const opened = new Set<string>();
  for (const candidate of lost) {
    const { launch, house, state } = candidate;
    const back = launch === undefined ? alive.length === 0 : comesBack({
      state: state.kind,
      isServerThere: house.facts !== undefined &&
        [undefined, house.facts.server].includes(launch.tmux_server),
      endedAt: endedAt(world.paths, launch),
    }, {
      isLast: candidate === lost[0],
      anotherLives: alive.length > 0,
      isNamed,
      lastSign: newest,
    });
    if (!back) continue;
    const finding = await planFor(world, registry, agent, candidate, taken);
    const id = finding.kind === "lost" ? finding.plan.claudeSessionId : "";
    if (id !== "" && opened.has(id)) continue; // two records of one conversation
    opened.add(id);
    if (finding.kind === "lost") taken.add(finding.plan.session);
    findings.push(finding);
  }
  return findings;
}

/** The servers that may hold the agent's sessions: the one in reach, and those of its launches. */
async function housesOf(world: World, launches: Launch[]): Promise<House[]> {
  const houses: House[] = [];
  for (const socket of new Set([undefined, ...launches.map((launch) => launch.tmux_socket)])) {
    if (socket !== undefined && houses.some(({ facts }) => facts?.socket === socket)) continue;
    const server = serverAt(world, socket);
    houses.push({ socket, server, facts: await factsOf(server.tmux) });
  }
  return houses;
}

async function candidatesOf(
  world: World,
  registry: Registry,
  agent: Agent,
  launches: Launch[],
  houses: House[],
): Promise<Candidate[]> {
  const houseOf = (socket: string | undefined) =>
    houses.find((house) => socket === house.socket || socket === house.facts?.socket)!;
  const own = launches.filter(({ session }) => isOwn(registry, agent, session));
  const found: Candidate[] = [];
  for (const launch of own) {
    const house = houseOf(launch.tmux_socket);
    const state = await stateIn(house, launch.session, commandOf(world, agent, launch));
    found.push({ session: launch.session, house, state, launch });
  }
  for (const house of houses) {
    for (const session of house.facts?.sessions ?? []) {
      if (!isOwn(registry, agent, session)) continue;
      if (found.some((one) => one.house === house && one.session === session)) continue;
      const launch = own.find((one) => one.session === session);
      const state = await stateIn(house, session, commandOf(world, agent, launch));
      // A shell under the agent's name may be anybody's: only what lives there counts.
      if (state.kind === "alive") found.push({ session, house, state, launch: undefined });
    }
  }
  if (found.length > 0) return found;
  // Never started, or renamed in the registry since: the name is the registry's, the rest as it was.
  const [launch] = launches;
  const session = sessionNameOf(agent);
  const house = houseOf(launch?.tmux_socket);
  const state = await stateIn(house, session, commandOf(world, agent, launch));
  return [{ session, house, state, launch }];
}

async function stateIn(house: House, session: string, command: string): Promise<SessionState> {
  if (!house.facts?.sessions.has(session)) return { kind: "gone" };
  return await stateOfSession(house.server.tmux, session, command);
}

function commandOf(world: World, agent: Agent, launch: Launch | undefined): string {
  return agent.claude_launch_command.trim() || launch?.command || launchCommand(world, agent);
}

async function planFor(
  world: World,
  registry: Registry,
  agent: Agent,
  { session, house, state, launch }: Candidate,
  taken: ReadonlySet<string>,
): Promise<Finding> {
  const failed = (reason: string): Finding => ({ kind: "failed", session, reason });
  const command = commandOf(world, agent, launch);
  const there = asLaunched(world, launch, command);
  const dir = launch?.working_directory || agent.working_directory;
  if (dir === "") return failed("it has no working_directory in the registry");
  const refused = whyNoLaunch(there.env, dir, command);
  if (refused !== undefined) return failed(refused);

  const others = namesOfOthers(registry, agent.agent_id);
  const isFree = state.kind !== "occupied";
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
  const opened = conversation.kind === "target" ? conversation.target : id;
  const holder = holderOf(opened, await allProcesses(), there.paths.claudeConfig);
  if (holder !== undefined) return failed(isOpen(opened, holder.pid, launch, session));
  return {
    kind: "lost",
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
