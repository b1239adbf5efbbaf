/** tmux sessions: list them, make one, type at a shell in one. */

import { pause } from "../time.ts";
import type { Tmux, TmuxResult } from "../tmux.ts";

export interface PaneInfo {
  pane: string;
  pid: number;
  /** The first pane of the first window comes first. */
  active: boolean;
  /** Its program has ended, and `remain-on-exit` keeps the pane. */
  dead: boolean;
}

/** What tmux says where no server runs. Every other failure says nothing about its sessions. */
const NO_SERVER =
  /no server running|error (connecting to|creating) .*\((No such|Not a)|server exited|lost server|no sessions/;

export function runsNoServer(reason: string): boolean {
  return NO_SERVER.test(reason);
}

/** The server has answered that there is no such session or pane, or there is no server. */
export function saysGone(reason: string): boolean {
  return runsNoServer(reason) || reason.includes("can't find");
}

/** None where the session is gone; throws where tmux does not tell. */
export async function panesOf(tmux: Tmux, session: string): Promise<PaneInfo[]> {
  const format = "#{pane_id} #{pane_pid} #{window_active}#{pane_active} #{pane_dead}";
  const result = await tmux.call("list-panes", "-s", "-t", `=${session}:`, "-F", format);
  if (result.kind === "failed") {
    if (saysGone(result.reason)) return [];
    throw new Error(result.reason);
  }
  return result.stdout.split("\n").filter((line) => line !== "").map((line) => {
    const [pane = "", pid = "", active = "", dead = ""] = line.split(" ");
    return { pane, pid: Number(pid), active: active === "11", dead: dead === "1" };
  });
}

/** Wide enough that Claude Code cuts neither its footer nor a menu. */
const SIZE = { columns: "200", rows: "50" };

/**
 * The folder for tmux's `-c`. tmux runs `#(…)` in it and takes a `;` at its end for the end of the
 * command; no escape holds in every version. There the program must enter the folder itself.
 */
function startFolder(dir: string): string {
  return /#|;$/.test(dir) ? "/" : dir;
}

/** Makes a session that runs a program without a shell, and gives the id of its pane. */
export async function newSession(
  tmux: Tmux,
  session: string,
  dir: string,
  program: string[],
): Promise<TmuxResult> {
  const { columns, rows } = SIZE;
  const result = await tmux.call(
    ...["new-session", "-d", "-P", "-F", "#{pane_id}", "-s", session],
    ...["-x", columns, "-y", rows, "-c", startFolder(dir), "--", ...program],
  );
  if (result.kind === "failed") return result;
  const pane = result.stdout.trim();
  if (/^%\d+$/.test(pane)) return { kind: "ok", stdout: pane };
  const said = pane === "" ? "nothing" : pane;
  const reason = `tmux new-session named no pane for ${session}, but said: ${said}`;
  return { kind: "failed", reason };
}

/** Starts a program in a dead pane. */
export async function respawnPane(
  tmux: Tmux,
  pane: string,
  dir: string,
  program: string[],
): Promise<TmuxResult> {
  const where = ["-t", pane, "-c", startFolder(dir)];
  const result = await tmux.call("respawn-pane", ...where, "--", ...program);
  return result.kind === "ok" ? { kind: "ok", stdout: pane } : result;
}

/** The terminal drops keys that follow a C-c at once. */
const AFTER_INTERRUPT_MS = 500;

/**
 * Types a line at a shell prompt. C-u drops a half-typed line; input over several lines needs C-c.
 * Leaves copy mode first.
 */
export async function typeAtShell(
  tmux: Tmux,
  pane: string,
  line: string,
  clear: "C-u" | "C-c" = "C-u",
): Promise<TmuxResult> {
  await tmux.call("copy-mode", "-q", "-t", pane, ";", "send-keys", "-t", pane, clear);
  if (clear === "C-c") await pause(AFTER_INTERRUPT_MS);
  const typed = await tmux.call("send-keys", "-t", pane, "-l", "--", line);
  return typed.kind === "failed" ? typed : await tmux.call("send-keys", "-t", pane, "Enter");
}

/**
 * Why a new session could not wake an agent: OpenClaw refuses messages from below its own exec tool,
 * and a tmux server hands the environment it was started in to all its sessions.
 */
export async function whyMarked(
  tmux: Tmux,
  ownMark: string | undefined,
): Promise<string | undefined> {
  const answer = await tmux.call("show-environment", "-g", "OPENCLAW_SHELL");
  if (answer.kind === "ok") {
    return answer.stdout.trim() === "OPENCLAW_SHELL=exec"
      ? "the tmux server was started from OpenClaw's exec tool and hands OPENCLAW_SHELL=exec to " +
        "every session, from where OpenClaw takes no message; start a tmux server elsewhere first"
      : undefined;
  }
  const serverRuns = (await tmux.call("list-sessions")).kind === "ok";
  return ownMark === "exec" && !serverRuns
    ? "no tmux server runs, and one started from here would carry OPENCLAW_SHELL=exec, from where " +
      "OpenClaw takes no message; start one outside of OpenClaw first, for example with: " +
      "systemd-run --user --unit=gsd-tmux --property=Type=forking tmux new-session -d -s keep"
    : undefined;
}
