/** What a tmux session holds: Claude Code, a shell, another program, nothing. */

import { programOf } from "../doors/command_words.ts";
import { readScreen } from "../pane.ts";
import {
  allProcesses,
  isClaude,
  isIdleShell,
  type ProcessInfo,
  treeBelow,
} from "../doors/process_tree.ts";
import { pause } from "../time.ts";
import type { Tmux } from "../tmux.ts";
import { type PaneInfo, panesOf } from "../doors/tmux_sessions.ts";

export type SessionState =
  | { kind: "alive"; pane: string }
  | { kind: "shell"; pane: string }
  /** Its programs have ended, and `remain-on-exit` keeps the pane. */
  | { kind: "dead"; pane: string }
  | { kind: "occupied" }
  | { kind: "gone" };

/**
 * Claude Code is alive where its process runs below a pane, or our script has just begun. Its screen
 * decides where no process can be seen: in a container, over ssh.
 */
export async function stateOfSession(
  tmux: Tmux,
  session: string,
  command: string,
  patience = 5,
): Promise<SessionState> {
  const panes = (await panesOf(tmux, session)).sort((a, b) => rank(a) - rank(b));
  if (panes.length === 0) return { kind: "gone" };
  const living = panes.filter((info) => !info.dead);
  if (living.length === 0) return { kind: "dead", pane: panes[0]!.pane };
  const processes = await allProcesses();
  const program = programOf(command);
  const trees = living.map((info) => ({ info, tree: treeBelow(processes, info.pid) }));
  // The script alone: Claude Code was just killed or is just starting. Look again soon.
  const isBetween = ({ tree }: { tree: ProcessInfo[] }) =>
    tree.length === 1 && isLaunchScript(tree[0]!);
  if (patience > 0 && trees.some(isBetween)) {
    await pause(200);
    return stateOfSession(tmux, session, command, patience - 1);
  }
  const now = ticksNow();
  const alive = trees.find(({ tree }) =>
    tree.some((process) => isClaude(process, program)) ||
    tree.slice(0, 1).some(isLaunchScript) && mayBeStarting(tree, now)
  );
  if (alive !== undefined) return { kind: "alive", pane: alive.info.pane };
  const shell = trees.find(({ tree }) => isIdleShell(tree));
  if (shell !== undefined) return { kind: "shell", pane: shell.info.pane };
  for (const { info } of trees) {
    const capture = await tmux.call("capture-pane", "-p", "-e", "-t", info.pane);
    if (capture.kind === "ok" && readScreen(capture.stdout).state !== "unknown") {
      return { kind: "alive", pane: info.pane };
    }
  }
  return { kind: "occupied" };
}

/** Long enough for a wrapper that fetches Claude Code first. */
const STARTING_TICKS = 120 * 100;

/** A young process may be a wrapper that is about to start Claude Code; an old one is not. */
export function mayBeStarting(tree: ProcessInfo[], now: number | undefined): boolean {
  if (now === undefined) return true;
  return tree.some(({ start }) => start === undefined || now - Number(start) < STARTING_TICKS);
}

/** Clock ticks since the boot, as in /proc; undefined where there is no /proc. */
function ticksNow(): number | undefined {
  try {
    return Number(Deno.readTextFileSync("/proc/uptime").split(" ")[0]) * 100;
  } catch {
    return undefined;
  }
}

function isLaunchScript({ args }: ProcessInfo): boolean {
  return /\/launches\/[^/]+\.sh$/.test(args[1] ?? "");
}

function rank(info: PaneInfo): number {
  return info.active ? 0 : 1;
}
