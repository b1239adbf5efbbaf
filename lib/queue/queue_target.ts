/** Whose queue is meant, on which tmux server, and who asks. */

import { nearest } from "../cli/nearest.ts";
import { noRegistry } from "../cli/no_registry.ts";
import { callerFrom, giverOf, whyNotInside } from "../driver/caller.ts";
import {
  allPanes,
  findPane,
  nameInTmux,
  otherSocketOf,
  type PaneWorld,
} from "../driver/claude_pane.ts";
import { callerOf, type DriverWorld, paneWorld } from "../driver/driver_world.ts";
import { EMPTY_OPTIONS } from "../driver/menu_order.ts";
import { loadRegistry } from "../gate.ts";
import { currentName, isKnownName, ownerOf, socketOfRecord } from "../known_sessions.ts";
import type { Env, Paths } from "../paths.ts";
import type { Giver } from "../records.ts";
import { type Agent, findAgent } from "../registry.ts";
import { readQueue } from "../steps_file.ts";
import { otherSocket } from "../wake.ts";
import type { QueueCallOptions } from "./queue_args.ts";

export interface QueueTarget {
  session: string;
  agent: Agent;
  socket?: string;
}

/** A session of an agent, by its name; throws where there is none. */
export async function targetOf(
  world: DriverWorld,
  name: string,
  options: Pick<QueueCallOptions, "socket">,
): Promise<QueueTarget> {
  const panes = paneWorld(world, { ...EMPTY_OPTIONS, ...options });
  const inTmux = await nameInTmux(panes, name);
  const isThere = (session: string) => hasSession(panes, session);
  const session = await isThere(inTmux) ? inTmux : currentName(world.paths, inTmux);
  const registry = loadRegistry(world.paths.registry);
  if (registry.kind === "missing") throw new Error(noRegistry(world.paths));
  if (registry.kind === "broken") {
    const cannot = `the registry ${world.paths.registry} cannot be used: ${registry.reason}`;
    throw new Error(`${cannot}; gsd-code doctor says more`);
  }
  const match = findAgent(registry.registry, session, ownerOf(world.paths, session));
  const agent = match.kind === "agent" ? match.agent : undefined;
  const queue = readQueue(world.paths, session);
  const isKnown = queue !== undefined || isKnownName(world.paths, session) ||
    await isThere(session);
  if (!isKnown) {
    const near = nearest(session, await sessionsIn(panes));
    const meant = near === undefined ? "" : `; did you mean ${near}?`;
    throw new Error(`there is no session "${session}"${meant}`);
  }
  if (agent === undefined) {
    const why = match.kind === "refused" ? match.reason : "no agent of the registry has it";
    throw new Error(`${why}; without an agent the end of a turn is not noticed`);
  }
  const named = options.socket;
  const known = queue !== undefined
    ? queue.socket
    : await serverOf(world.paths, paneWorld(world, EMPTY_OPTIONS), session);
  const isElsewhere = named !== undefined && !await isThere(session) &&
    await hasSession(panesAt(world, known), session);
  const socket = isElsewhere ? known : named ?? known;
  return { session, agent, ...(socket === undefined ? {} : { socket }) };
}

/** What the runner sees, which is in no pane. */
export function panesAt(world: DriverWorld, socket: string | undefined): PaneWorld {
  if (socket !== undefined) return paneWorld(world, { ...EMPTY_OPTIONS, socket });
  const isOfCaller = (name: string) => name === "TMUX" || name === "GSD_TMUX_SOCKET";
  const env: Env = (name) => isOfCaller(name) ? undefined : world.env(name);
  return paneWorld({ ...world, env }, EMPTY_OPTIONS);
}

/** On another server than that of its record, a session of this name may be a person's. */
async function serverOf(
  paths: Paths,
  panes: PaneWorld,
  session: string,
): Promise<string | undefined> {
  const recorded = socketOfRecord(paths, session);
  if (recorded === undefined) return await otherSocketOf(panes, session);
  return otherSocket(`${recorded},0,0`);
}

async function sessionsIn({ tmux }: PaneWorld): Promise<string[]> {
  const listed = await tmux.call("list-sessions", "-F", "#{session_name}");
  return listed.kind === "ok" ? listed.stdout.trim().split("\n") : [];
}

async function hasSession({ tmux }: PaneWorld, session: string): Promise<boolean> {
  return (await tmux.call("has-session", "-t", `=${session}`)).kind === "ok";
}

/** Who asks. Throws for Claude itself, which must not give itself instructions. */
export async function giverFor(
  world: DriverWorld,
  { session, agent, socket }: QueueTarget,
  { by }: Pick<QueueCallOptions, "by">,
): Promise<Giver> {
  const panes = panesAt(world, socket);
  const found = await findPane(panes, session, undefined, "any");
  const caller = found.kind === "pane"
    ? await callerOf(world, panes, { id: found.pane.id, pid: found.pid })
    : undefined;
  const callers = caller === undefined ? await callersAt(world, panes, session) : [caller];
  const inside = callers.map(whyNotInside).find((why) => why !== undefined);
  if (inside !== undefined) throw new Error(inside);
  const { chain } = callers[0] ?? { chain: "" };
  return giverOf({ kind: "outside", chain }, {
    named: by,
    agentId: agent.agent_id,
    isTerminal: world.isTerminal(),
    login: world.env("USER") ?? world.env("LOGNAME"),
  });
}

/** Where Claude's pane cannot be identified, any pane of the session may be it. */
async function callersAt(world: DriverWorld, panes: PaneWorld, session: string) {
  const format = "#{pane_id} #{pane_pid}";
  const listed = await panes.tmux.call("list-panes", "-s", "-t", `=${session}`, "-F", format);
  if (listed.kind !== "ok") return [];
  const [processes, all] = await Promise.all([world.processes(), allPanes(panes)]);
  return listed.stdout.trim().split("\n").map((line) => line.split(" ")).map(([id = "", pid]) =>
    callerFrom({
      ...{ processes, parent: world.parent(), panes: all, env: world.env },
      pane: { id, pid: Number(pid) },
    })
  );
}
