/** Which process has a conversation open. */

import { isId } from "./conversations.ts";
import { baseName } from "../doors/command_words.ts";
import { allProcesses, isClaude, type ProcessInfo, treeBelow } from "../doors/process_tree.ts";
import { namesIn, readTextIfThere } from "../files.ts";
import { isObject } from "../json.ts";
import { pause } from "../time.ts";
import type { SeenServer } from "./tmux_servers.ts";

/** Longer than Claude Code takes to end with its hooks on a busy machine. */
const ENDING_MS = 10_000;

export interface Holder {
  pid: number;
  /** The tmux session below whose panes it runs, where that is on one of the servers. */
  around: { server: SeenServer; session: string } | undefined;
}

/** The process that has a conversation open; one that has lost its terminal is waited for. */
export async function whoHolds(
  id: string,
  claudeConfig: string,
  servers: SeenServer[],
  warn: (line: string) => void,
): Promise<Holder | undefined> {
  const until = performance.now() + ENDING_MS;
  for (let hasWarned = false;; hasWarned = true) {
    const processes = await allProcesses();
    const holder = holderOf(id, processes, claudeConfig);
    if (holder === undefined) return undefined;
    if (!hasLostTerminal(holder) || performance.now() > until) {
      return { pid: holder.pid, around: await sessionAround(servers, holder, processes) };
    }
    if (!hasWarned) {
      warn(`Waiting for process ${holder.pid}: it is ending, and has conversation ${id} open`);
    }
    await pause(100);
  }
}

async function sessionAround(
  servers: SeenServer[],
  process: ProcessInfo,
  processes: ProcessInfo[],
): Promise<Holder["around"]> {
  for (const server of servers) {
    const listed = await server.tmux.call("list-panes", "-a", "-F", "#{pane_pid} #{session_name}");
    const lines = listed.kind === "ok" ? listed.stdout.split("\n") : [];
    const found = lines.find((line) =>
      treeBelow(processes, Number.parseInt(line)).includes(process)
    );
    if (found) return { server, session: found.slice(found.indexOf(" ") + 1) };
  }
  return undefined;
}

/** Not one that never had any: a `claude -p` of cron may run for long. */
function hasLostTerminal({ pid, hasTerminal }: ProcessInfo): boolean {
  if (hasTerminal) return false;
  try {
    return Array.from(Deno.readDirSync(`/proc/${pid}/fd`))
      .some(({ name }) => LOST.test(Deno.readLinkSync(`/proc/${pid}/fd/${name}`)));
  } catch {
    return true; // just ended, or a system without /proc
  }
}

const LOST = /^\/dev\/pts\/\d+ \(deleted\)$/;

/**
 * Claude Code's own list of its sessions decides for the processes in it, since it follows /clear;
 * for others the words decide that they were started with.
 */
export function holderOf(
  id: string,
  processes: ProcessInfo[],
  claudeConfig: string,
): ProcessInfo | undefined {
  if (!isId(id)) return undefined; // a name belongs to a folder, and a process does not show which
  const listed = listedSessions(`${claudeConfig}/sessions`, processes);
  return processes.find((process) => {
    if (listed.get(process.pid) === id) return true;
    if (!opens(process.args, id) || isTmux(process)) return false;
    // A wrapper has the words too; the list has the Claude Code below it.
    return !treeBelow(processes, process.pid).some(({ pid }) => listed.has(pid));
  });
}

/** A tmux server keeps the words of its first session, long after that has ended. */
function isTmux({ args: [program = ""] }: ProcessInfo): boolean {
  return /^tmux\b/.test(baseName(program));
}

function opens(args: string[], id: string): boolean {
  return args.some((arg, at) =>
    arg === id && /^(-r|--resume|--session-id)$/.test(args[at - 1] ?? "") ||
    arg === `--resume=${id}` || arg === `--session-id=${id}`
  );
}

/** The conversations of living processes. A killed one leaves its entry; its pid may be reused. */
function listedSessions(folder: string, processes: ProcessInfo[]): Map<number, unknown> {
  const found = new Map<number, unknown>();
  for (const file of namesIn(folder)) {
    const process = processes.find(({ pid }) => file === `${pid}.json`);
    if (process === undefined) continue;
    try {
      const entry: unknown = JSON.parse(readTextIfThere(`${folder}/${file}`) ?? "");
      if (isObject(entry) && isOf(entry.procStart, process)) {
        found.set(process.pid, entry.sessionId);
      }
    } catch {
      // It is being written.
    }
  }
  return found;
}

/** Compared by start time; by program where one of both has none. */
function isOf(procStart: unknown, process: ProcessInfo): boolean {
  return typeof procStart === "string" && process.start !== undefined
    ? procStart === process.start
    : isClaude(process);
}
