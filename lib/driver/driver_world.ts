/** Where the menu driver works: the tmux server, the session's agent, what it may do. */

import { type Speaker, terminal } from "../cli/speaker.ts";
import { hookWaits, listPending } from "../answers.ts";
import { type Caller, callerFrom, giverOf } from "./caller.ts";
import { allProcesses, type ProcessInfo, treeBelow } from "../doors/process_tree.ts";
import { loadRegistry } from "../gate.ts";
import { allPanes, type PaneWorld } from "./claude_pane.ts";
import { inboxIn } from "./inbox_road.ts";
import type { MenuOptions } from "./menu_order.ts";
import { type ModRoad, modRoad } from "./mod_road.ts";
import type { DriverContext } from "./driver_context.ts";
import { ownerOf } from "../known_sessions.ts";
import { type Env, type Paths, pathsFrom, ROOT } from "../paths.ts";
import { newWakeId } from "../new_wake.ts";
import { findAgent } from "../registry.ts";
import { digestOf } from "../request_ids.ts";
import { type Clock, realClock } from "../time.ts";
import { tmuxFrom } from "../tmux.ts";
import { noteTyped } from "../typed.ts";

export interface DriverWorld extends Speaker {
  env: Env;
  paths: Paths;
  readStdin(): string;
  clock: Clock;
  now(): Date;
  /** The process that has started the driver. */
  parent(): number;
  processes(): Promise<ProcessInfo[]>;
  /** Its output or its input is a terminal. */
  isTerminal(): boolean;
}

export async function callerOf(
  world: DriverWorld,
  panes: PaneWorld,
  pane: { id: string; pid: number },
): Promise<Caller> {
  const [processes, all] = await Promise.all([world.processes(), allPanes(panes)]);
  return callerFrom({ processes, parent: world.parent(), pane, panes: all, env: world.env });
}

/** The roads beside keys into the Claude Code of this pane. */
export async function roadsInto(
  world: DriverWorld,
  session: string,
  pane: { id: string; pid: number },
): Promise<Pick<DriverContext, "mod" | "inbox">> {
  const below = treeBelow(await world.processes(), pane.pid);
  const inbox = inboxIn(world.paths, session, new Set(below.map(({ pid }) => pid)));
  const mod = modOf(world, pane, below);
  return { ...(inbox === undefined ? {} : { inbox }), ...(mod === undefined ? {} : { mod }) };
}

function modOf(
  { paths }: DriverWorld,
  pane: { id: string; pid: number },
  below: ProcessInfo[],
): ModRoad | undefined {
  // Panes are children of their tmux server, and ids of panes repeat on another one.
  const server = below.find(({ pid }) => pid === pane.pid)?.parent;
  const mod = server === undefined ? undefined : modRoad(paths, { pane: pane.id, server });
  // A companion that was killed leaves its file; its number may be another program's now.
  const isAlive = below.some(({ pid, parent }) =>
    pid === mod?.road.pid && parent === mod.road.claude_pid
  );
  return isAlive ? mod : undefined;
}

export async function contextFor(
  world: DriverWorld,
  session: string,
  options: MenuOptions,
  pane: DriverContext["pane"],
  caller: Caller,
  given: Pick<DriverContext, "mod" | "inbox"> & {
    instructionId?: string;
    /** Lists the processes again: those of the world are from the start. */
    listAgain?: DriverWorld["processes"];
  } = {},
): Promise<DriverContext> {
  const registry = loadRegistry(world.paths.registry);
  const match = registry.kind === "registry"
    ? findAgent(registry.registry, session, ownerOf(world.paths, session))
    : undefined;
  const agent = match?.kind === "agent" ? match.agent : undefined;
  const whyNoDecision = agent?.settings.answer_permissions
    ? caller.kind === "unknown" ? WHY_UNKNOWN : undefined
    : agent === undefined
    ? `no enabled agent of the registry ${world.paths.registry} owns this session, so no agent may decide`
    : `agent "${agent.agent_id}" may not decide: answer_permissions is not true in its hook_settings`;
  let isAlive = await aliveNow(world, session);
  const {
    instructionId = newWakeId(world.now().getTime()),
    listAgain: processes = world.processes,
    ...roads
  } = given;
  const agentId = agent?.agent_id ?? "";
  const { by, by_kind: byKind } = options.giver ?? giverOf(caller, {
    named: options.by,
    agentId,
    isTerminal: world.isTerminal(),
    login: world.env("USER") ?? world.env("LOGNAME"),
  });
  const digest = options.secret === undefined ? undefined : await digestOf(options.secret);
  const seen = options.seen === undefined ? undefined : await digestOf(options.seen);
  return {
    paths: world.paths,
    session,
    pane,
    agentId,
    by,
    byKind,
    caller: caller.chain,
    whyNoDecision,
    waitMs: options.waitMs,
    dryRun: options.dryRun,
    anyway: options.anyway,
    ...roads,
    ...(options.road === undefined ? {} : { road: options.road }),
    voice: agent?.settings.voice ?? "user",
    now: world.now,
    beforePrompt(text) {
      const giver = { by, by_kind: byKind, instruction_id: instructionId };
      noteTyped(world.paths, session, text, giver, world.now().getTime());
    },
    isWaiting: (pending) => hookWaits(pending, world.now().getTime(), isAlive),
    async lookForHooks() {
      isAlive = await aliveNow({ ...world, processes }, session);
    },
    ...(options.secret === undefined ? {} : { secret: options.secret }),
    opens: ({ id, secret_sha256 }) => id === options.question && digest === secret_sha256,
    hasRead: ({ cut }) => cut === undefined || cut.code_sha256 === seen,
  };
}

/** Questions and prompts do not need it: they grant nothing. */
const WHY_UNKNOWN =
  "the processes of this machine cannot be read (/bin/ps), so Claude itself may be asking";

/** When its dialog is closed by esc, Claude Code kills the hook, whose file stays. */
async function aliveNow(world: DriverWorld, session: string): Promise<(pid: number) => boolean> {
  if (listPending(world.paths, session).length === 0) return () => false;
  const processes = await world.processes();
  const pids = new Set(processes.map((process) => process.pid));
  // Processes cannot be listed here: assume that the hook is alive, it must take the answer anyway.
  return (pid) => pids.size === 0 || pids.has(pid);
}

export function paneWorld(world: DriverWorld, options: MenuOptions): PaneWorld {
  const socket = options.socket ?? world.env("GSD_TMUX_SOCKET");
  const path = socket?.includes("/") ? socket : undefined;
  // tmux also takes the path of a server's socket from $TMUX.
  const env: Env = (name) => name === "TMUX" && path ? `${path},0,0` : world.env(name);
  const folder = world.env("TMUX_TMPDIR");
  const common = {
    ...(socket && !path ? { socket } : {}),
    ...(folder ? { env: { TMUX_TMPDIR: folder } } : {}),
    timeoutMs: 10_000,
  };
  return {
    tmux: tmuxFrom(env, common),
    feed: (text, ...args) => tmuxFrom(env, { ...common, stdin: text }).call(...args),
    clock: world.clock,
  };
}

/** A variable that the launcher's permissions do not name counts as not set. */
function envOf(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined;
  }
}

function readStdin(): string {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  for (let count; (count = Deno.stdin.readSync(buffer)) !== null;) {
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
  }
  return text + decoder.decode();
}

export function hasTerminal(): boolean {
  return [Deno.stdin, Deno.stdout, Deno.stderr].some((one) => one.isTerminal());
}

export function realDriverWorld(): DriverWorld {
  return {
    env: envOf,
    paths: pathsFrom(envOf, ROOT),
    ...terminal,
    readStdin,
    clock: realClock,
    now: () => new Date(),
    parent: () => Deno.ppid,
    processes: allProcesses,
    isTerminal: hasTerminal,
  };
}
