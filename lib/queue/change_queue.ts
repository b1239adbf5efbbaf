/** Changes a queue on request: checks the caller, changes the file, records the change. */

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
import { whyTaken } from "../doors/holds.ts";
import { EMPTY_OPTIONS } from "../driver/menu_order.ts";
import { isFile } from "../files.ts";
import { loadRegistry } from "../gate.ts";
import { record } from "../journal.ts";
import { currentName, isKnownName, ownerOf, socketOfRecord } from "../known_sessions.ts";
import { newWakeId } from "../new_wake.ts";
import type { Paths } from "../paths.ts";
import { startRunner } from "../queue_runner.ts";
import { stepRecord } from "../queue_turns.ts";
import { type Giver, isHuman } from "../records.ts";
import { type Agent, findAgent } from "../registry.ts";
import { pausedFor, resumed } from "../step_endings.ts";
import { isOpen, isRepeatable, type Queue, type Step } from "../steps.ts";
import { changeQueue, readQueue } from "../steps_file.ts";
import type { QueueAction, QueueCallOptions } from "./queue_args.ts";
import { reportOf, STATUS } from "./queue_lines.ts";
import { otherSocket } from "../wake.ts";
import { added, cleared, dropped, moved, whyNotAdded } from "./step_list.ts";

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
  const socket = options.socket ??
    (queue === undefined ? await serverOf(world.paths, panes, session) : queue.socket);
  return { session, agent, ...(socket === undefined ? {} : { socket }) };
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
  const options = { ...EMPTY_OPTIONS, ...(socket === undefined ? {} : { socket }) };
  const panes = paneWorld(world, options);
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

/** Why no queue can be worked off here; undefined where one can. */
export function whyNoRunner({ data }: { data: string }): string | undefined {
  const isOld = isFile(`${data}/bin/hook`) && !isFile(`${data}/bin/queue-run`);
  return isOld
    ? "the hooks were registered by an earlier version: run gsd-code register first"
    : undefined;
}

/** Why an agent may not do this now. It may always list the steps and pause the queue. */
export function whyTakenByPerson(
  paths: Paths,
  session: string,
  { kind }: QueueAction,
  { by_kind }: Giver,
): string | undefined {
  return isHuman(by_kind) || kind === "list" || kind === "pause"
    ? undefined
    : whyTaken(paths, session);
}

export interface Changed {
  queue: Queue | undefined;
  /** The steps that were added, moved or dropped. */
  steps: Step[];
}

/** Throws where it cannot be done, and changes nothing then. */
export function carryOutAction(
  world: Pick<DriverWorld, "paths" | "now">,
  { session, agent, socket }: QueueTarget,
  action: Exclude<QueueAction, { kind: "list" }>,
  giver: Giver,
  dryRun: boolean,
): Changed {
  const now = world.now();
  const at = {
    session,
    agent_id: agent.agent_id,
    ...(socket === undefined ? {} : { socket }),
  };
  const decide = (before: Queue | undefined): Changed => {
    if (action.kind === "add") {
      const problem = whyNotAdded(before, action.steps.map(({ text }) => text));
      if (problem !== undefined) throw new Error(problem);
      const result = added(before, at, action.steps, giver, now);
      return { queue: result.queue, steps: result.added };
    }
    if (before === undefined) throw new Error("it is empty");
    return changed(before, action, giver, now);
  };
  if (dryRun) return decide(readQueue(world.paths, session));
  const result = changeQueue(world.paths, session, (before) => {
    const value = decide(before);
    return { queue: value.queue, value };
  });
  noteAction({ session, agent_id: agent.agent_id }, action, result, giver);
  return result;

  function noteAction(
    about: { session: string; agent_id: string },
    { kind }: QueueAction,
    { steps, queue }: Changed,
    { by, by_kind }: Giver,
  ): void {
    const status = STATUS[kind];
    const who = { by, by_kind };
    if (status.isOfStep) {
      for (const step of steps) {
        record(world.paths, stepRecord(about, status.name, step, who), now);
      }
      return;
    }
    const reason = kind === "pause" ? { reason: queue?.paused?.reason ?? "" } : {};
    record(world.paths, stepRecord(about, status.name, undefined, { ...who, ...reason }), now);
  }
}

function changed(
  before: Queue,
  action: Exclude<QueueAction, { kind: "list" | "add" }>,
  giver: Giver,
  now: Date,
): Changed {
  const of = (numbers: number[]) => before.steps.filter(({ n }) => numbers.includes(n));
  switch (action.kind) {
    case "drop":
      return { queue: must(dropped(before, action.numbers)), steps: of(action.numbers) };
    case "move":
      return { queue: must(moved(before, action.n, action.to)), steps: of([action.n]) };
    case "clear":
      return { queue: cleared(before), steps: before.steps.filter(isOpen) };
    case "pause": {
      const { paused } = before;
      // A pause that ends by itself is replaced.
      if (paused !== undefined && paused.until === undefined) {
        throw new Error(`it is paused: ${paused.reason}`);
      }
      const reason = action.reason || `${giver.by} has paused it`;
      const wakeId = newWakeId(now.getTime());
      const told = { told: true };
      const queue = pausedFor(before, "asked", reason, now.toISOString(), wakeId, told);
      return { queue, steps: [] };
    }
    case "resume": {
      const hasFailed = before.steps.some(isRepeatable);
      if (before.paused === undefined) throw new Error("it is not paused");
      if (action.isAgain && !hasFailed) throw new Error("no step has failed");
      const queue = resumed(before, { isAgain: action.isAgain });
      return { queue: isHuman(giver.by_kind) ? { ...queue, by_person: true } : queue, steps: [] };
    }
  }
}

function must(result: Queue | undefined | string): Queue | undefined {
  if (typeof result === "string") throw new Error(result);
  return result;
}

/** For `--after-turn`: one step more. Returns the line that says so. */
export async function addStep(
  world: DriverWorld,
  name: string,
  text: string,
  options: QueueCallOptions,
): Promise<string> {
  const target = await targetOf(world, name, options);
  const old = whyNoRunner(world.paths);
  if (old !== undefined) throw new Error(old);
  const action: QueueAction = { kind: "add", steps: [{ text }] };
  const giver = await giverFor(world, target, options);
  const result = carryOutAction(world, target, action, giver, options.dryRun);
  if (!options.dryRun) startRunner(world.paths, world.env, target.session);
  return reportOf(world.paths, target, action, result, options);
}
