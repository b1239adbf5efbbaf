/** An agent's sessions, running or lost: looked for on every tmux server that may hold them. */

import { commandOf } from "./agent_launch.ts";
import { comesBack, type Seen } from "./comeback.ts";
import { endedAt, lastSign } from "./known_conversation.ts";
import type { Launch } from "./launch.ts";
import { launchesOf } from "./launch_files.ts";
import type { Agent, Registry } from "../registry.ts";
import { isOwn, sessionNameOf } from "./session_names.ts";
import { shellQuote } from "../shell.ts";
import { type SessionState, stateOfSession } from "./session_state.ts";
import { factsOf, serverAt, type ServerFacts, type TmuxServer } from "./tmux_servers.ts";
import { otherSocket } from "../wake.ts";
import type { World } from "../cli/world.ts";

/** A session of the agent's that runs, or that was started once. */
export interface Candidate {
  session: string;
  house: House;
  state: SessionState;
  launch: Launch | undefined;
  seen: Seen;
  /** Its name is the agent's no more: it gets one that is free. */
  needsName: boolean;
}

export interface House {
  socket: string | undefined;
  server: TmuxServer;
  facts: ServerFacts | undefined;
}

export interface Look {
  /** The one that was heard of last comes first. */
  candidates: Candidate[];
  /** The names that cannot be given to another session. */
  taken: Set<string>;
}

export async function lookFor(world: World, registry: Registry, agent: Agent): Promise<Look> {
  const launches = launchesOf(world.paths, agent.agent_id)
    .sort((a, b) => lastSign(world.paths, a) < lastSign(world.paths, b) ? 1 : -1);
  const houses = await housesOf(world, launches);
  const candidates = await candidatesOf(world, registry, agent, launches, houses);
  const taken = new Set(launches.map(({ session }) => session));
  for (const { facts } of houses) facts?.sessions.forEach((name) => taken.add(name));
  return { candidates, taken };
}

/** The names that cannot be given away: they run, or a recovery will bring them back. */
export async function namesKept(
  world: World,
  registry: Registry,
  agent: Agent,
): Promise<string[]> {
  const { candidates } = await lookFor(world, registry, agent);
  return candidates.filter(({ state, seen }) => state.kind === "alive" || comesBack(seen, false))
    .flatMap(({ launch }) => launch?.session ?? []);
}

/** How a person calls tmux to reach the server behind a socket. */
export async function tmuxWords(world: World, socket: string | undefined): Promise<string> {
  const other = otherSocket(`${socket ?? ""},0,0`);
  if (other === undefined) return "tmux";
  const inReach = await factsOf(serverAt(world).tmux);
  return inReach?.socket === other ? "tmux" : `tmux -S ${shellQuote(other)}`;
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
  const candidate = (
    session: string,
    house: House,
    state: SessionState,
    launch: Launch | undefined,
    needsName = false,
  ): Candidate => {
    const seen = seenOf(world, launches, house, state, launch);
    return { session, house, state, launch, seen, needsName };
  };
  const own = launches.filter(({ session }) => isOwn(registry, agent, session));
  const found: Candidate[] = [];
  for (const launch of own) {
    const house = houseOf(launch.tmux_socket);
    const state = await stateIn(house, launch.session, commandOf(world, agent, launch));
    found.push(candidate(launch.session, house, state, launch));
  }
  for (const house of houses) {
    for (const session of house.facts?.sessions ?? []) {
      if (!isOwn(registry, agent, session)) continue;
      if (found.some((one) => one.house === house && one.session === session)) continue;
      const launch = own.find((one) => one.session === session);
      const state = await stateIn(house, session, commandOf(world, agent, launch));
      // A shell under the agent's name may be anybody's: only what lives there counts.
      if (state.kind === "alive") found.push(candidate(session, house, state, undefined));
    }
  }
  const renamed = launches.filter((launch) => !own.includes(launch));
  const session = sessionNameOf(agent);
  if (found.length === 0) {
    // Never started, or renamed in the registry since: the name is the registry's, the rest as was.
    const launch = renamed.shift();
    const house = houseOf(launch?.tmux_socket);
    const state = await stateIn(house, session, commandOf(world, agent, launch));
    found.push(candidate(session, house, state, launch));
  }
  for (const launch of renamed) {
    const house = houseOf(launch.tmux_socket);
    // What is there under a name that is the agent's no more is left to whoever renamed it.
    if (house.facts?.sessions.has(launch.session)) continue;
    found.push(candidate(session, house, { kind: "gone" }, launch, true));
  }
  return found;
}

function seenOf(
  { paths }: World,
  launches: Launch[],
  { facts }: House,
  { kind: state }: SessionState,
  launch: Launch | undefined,
): Seen {
  const other = launches.find((one) => one !== launch);
  return {
    state,
    isServerThere: facts !== undefined && [undefined, facts.server].includes(launch?.tmux_server),
    endedAt: launch === undefined ? "" : endedAt(paths, launch),
    isUntold: launch?.untold !== undefined,
    othersSign: other === undefined ? "" : lastSign(paths, other),
  };
}

async function stateIn(house: House, session: string, command: string): Promise<SessionState> {
  if (!house.facts?.sessions.has(session)) return { kind: "gone" };
  return await stateOfSession(house.server.tmux, session, command);
}
