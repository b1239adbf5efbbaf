/** The pane in which Claude Code runs. It is found by its screen and addressed by its id. */

import { readScreen, type Screen, stripCodes } from "../pane.ts";
import { plainSessionName } from "../registry.ts";
import { inputOf } from "./pane_input.ts";
import {
  allProcesses,
  isClaude,
  isIdleShell,
  type ProcessInfo,
  treeBelow,
} from "../doors/process_tree.ts";
import { saysGone } from "../doors/tmux_sessions.ts";
import type { Clock } from "../time.ts";
import type { Tmux } from "../tmux.ts";
import { otherSocket } from "../wake.ts";

export interface ClaudePane {
  id: string;
  look(): Promise<PaneScreen>;
  press(...keys: string[]): Promise<void>;
  paste(text: string): Promise<void>;
  /** The clock for waiting on its screen. */
  clock: Clock;
  /** Claude Code is gone: the pane is closed or dead, or a shell waits in it. */
  hasEnded(): Promise<boolean>;
}

export interface PaneScreen extends Screen {
  /** The screen as text without colours. */
  text: string;
}

export type FoundPane =
  /** `pid`: the first process of the pane. */
  | { kind: "pane"; pane: ClaudePane; pid: number; screen: PaneScreen }
  /** `isSeveral`: more than one runs Claude Code. `isUnknown`: tmux did not tell. */
  | { kind: "none"; reason: string; isSeveral?: true; isUnknown?: true };

export interface PaneWorld {
  tmux: Tmux;
  /** A call of tmux with text on its standard input. */
  feed(
    text: string,
    ...args: string[]
  ): Promise<{ kind: "ok" } | { kind: "failed"; reason: string }>;
  clock: Clock;
}

export async function findPane(
  world: PaneWorld,
  session: string,
  wanted: string | undefined,
  /** Which pane to accept when no screen can be read: an answer with an id needs no screen. */
  unreadable: "none" | "any" | "of Claude" = "none",
): Promise<FoundPane> {
  const format = "#{pane_id} #{pane_pid} #{pane_dead} #{session_name}\t#{pane_current_command}";
  const listed = await world.tmux.call("list-panes", "-s", "-t", `=${session}:`, "-F", format);
  if (listed.kind === "failed") {
    const reason = await whyNoSession(world, session, listed.reason);
    return { kind: "none", reason, ...(saysGone(listed.reason) ? {} : { isUnknown: true }) };
  }
  const panes = listed.stdout.split("\n").flatMap((line) => {
    const [, id, pid, dead, name, command] = /^(%\d+) (\d+) (\d) (.*)\t(.*)$/.exec(line) ?? [];
    // tmux accepts a session's id as its name, but our files are kept by name.
    if (id === undefined || name !== session) return [];
    return [{ id, pid: Number(pid), dead: dead === "1", command: command! }];
  });
  if (panes.length === 0) {
    return { kind: "none", reason: await whyNoSession(world, session, "it has no panes") };
  }
  const found: { pane: ClaudePane; pid: number; screen: PaneScreen }[] = [];
  const unread: typeof found = [];
  const ofClaude: typeof found = [];
  const processes = await allProcesses();
  for (
    const { id, pid, dead, command } of panes.filter((one) =>
      wanted === undefined || one.id === wanted
    )
  ) {
    if (dead || isAtShell(processes, pid, command)) continue;
    const isItsOwn = runsClaude(processes, pid);
    const pane = paneOf(world, id, () => hasEnded(world.tmux, id, isItsOwn));
    const one = { pane, pid, screen: await pane.look() };
    (one.screen.state === "unknown" ? unread : found).push(one);
    if (one.screen.state === "unknown" && isItsOwn) ofClaude.push(one);
  }
  if (found.length === 1) return { kind: "pane", ...found[0]! };
  const accepted = unreadable === "none" ? [] : unreadable === "any" ? unread : ofClaude;
  if (found.length === 0 && accepted.length === 1) return { kind: "pane", ...accepted[0]! };
  if (found.length > 1) {
    const ids = found.map(({ pane }) => pane.id).join(", ");
    return {
      kind: "none",
      reason: `several panes of it run Claude Code (${ids}); name one with --pane`,
      isSeveral: true,
    };
  }
  const shown = panes.map((pane) => `${pane.id} runs ${pane.dead ? "nothing" : pane.command}`).join(
    ", ",
  );
  if (wanted !== undefined && !panes.some((pane) => pane.id === wanted)) {
    return { kind: "none", reason: `it has no pane ${wanted} (${shown})` };
  }
  return {
    kind: "none",
    reason: `no pane of it shows Claude Code (${shown}); if that has ended, ` +
      "gsd-code recover brings it back",
  };
}

/** The name by which tmux knows a session: it may have written a "$" in it as "\$". */
export async function nameInTmux({ tmux }: PaneWorld, session: string): Promise<string> {
  if (!session.includes("$")) return session;
  const listed = await tmux.call("list-sessions", "-F", "#{session_name}");
  const names = listed.kind === "ok" ? listed.stdout.split("\n") : [];
  if (names.includes(session)) return session;
  const same = names.filter((name) => plainSessionName(name) === plainSessionName(session));
  return same.length === 1 ? same[0]! : session;
}

/** The socket of its server, where plain `tmux` does not find it: other processes need it. */
export async function otherSocketOf(
  { tmux }: PaneWorld,
  session: string,
): Promise<string | undefined> {
  const listed = await tmux.call("list-panes", "-s", "-t", `=${session}:`, "-F", "#{socket_path}");
  return listed.kind === "ok" ? otherSocket(`${listed.stdout.split("\n")[0]},0,0`) : undefined;
}

/** All panes of the server, and the first process of each. */
export async function allPanes({ tmux }: PaneWorld): Promise<{ id: string; pid: number }[]> {
  const listed = await tmux.call("list-panes", "-a", "-F", "#{pane_id} #{pane_pid}");
  if (listed.kind === "failed") return [];
  return listed.stdout.trim().split("\n").map((line) => line.split(" "))
    .map(([id = "", pid]) => ({ id, pid: Number(pid) }));
}

/** A screen can outlive its program. A script's shell that runs a program is not at a prompt. */
function isAtShell(processes: ProcessInfo[], pid: number, command: string): boolean {
  return /^-?(ba|z|da|k|mk|fi|a)?sh$/.test(command) && isIdleShell(treeBelow(processes, pid));
}

function runsClaude(processes: ProcessInfo[], pid: number): boolean {
  return treeBelow(processes, pid).some((process) => process.foreground && isClaude(process));
}

/** `isItsOwn`: Claude Code's process was seen in the pane. Without it, Claude Code has ended. */
async function hasEnded(tmux: Tmux, id: string, isItsOwn: boolean): Promise<boolean> {
  const format = "#{pane_dead} #{pane_pid} #{pane_current_command}";
  const shown = await tmux.call("display-message", "-p", "-t", id, format);
  // No answer from tmux proves nothing.
  if (shown.kind === "failed") return saysGone(shown.reason);
  const [dead, pid, ...command] = shown.stdout.trim().split(" ");
  if (!pid || dead === "1") return true;
  const processes = await allProcesses();
  return isAtShell(processes, Number(pid), command.join(" ")) ||
    (isItsOwn && processes.length > 0 && !runsClaude(processes, Number(pid)));
}

async function whyNoSession(world: PaneWorld, session: string, failure: string): Promise<string> {
  const names = await world.tmux.call("list-sessions", "-F", "#{session_name}");
  if (names.kind === "failed") {
    return /no server running|error connecting/.test(names.reason)
      ? "no tmux server runs on this socket (--socket names another)"
      : failure;
  }
  const similar = names.stdout.split("\n").filter((name) => name.startsWith(session));
  const hint = similar.length > 0
    ? `; there is ${similar.map((name) => `"${name}"`).join(", ")}`
    : "";
  return `there is no tmux session of that name${hint}`;
}

function paneOf(world: PaneWorld, id: string, ended: () => Promise<boolean>): ClaudePane {
  const { tmux, clock } = world;
  return {
    id,
    clock,
    look: async () => {
      // -e: only colours distinguish a suggestion in the input box from a draft.
      const result = await tmux.call("capture-pane", "-e", "-p", "-t", id);
      const capture = result.kind === "ok" ? result.stdout : "";
      return { ...readScreen(capture), text: stripCodes(capture) };
    },
    ...inputOf(world, id),
    hasEnded: ended,
  };
}
