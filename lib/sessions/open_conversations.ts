/** Which conversation a launch will open, and who has it open already. */

import { baseName, chosenIn } from "../doors/command_words.ts";
import { namesIn, readTextIfThere } from "../files.ts";
import { isObject } from "../json.ts";
import { latestOf } from "./known_conversation.ts";
import type { Conversation } from "./launch.ts";
import { allProcesses, isClaude, type ProcessInfo, treeBelow } from "../doors/process_tree.ts";
import { pause } from "../time.ts";

/** By id, or by a name, which means something in its folder only; "" when nobody tells before. */
export function conversationOpened(
  conversation: Conversation,
  { command, dir, claudeConfig }: { command: string; dir: string; claudeConfig: string },
): string {
  const latest = () => latestOf(claudeConfig, dir) || `the latest of ${dir}`;
  switch (conversation.kind) {
    case "new":
      return conversation.id;
    case "resume":
    case "target":
      return idOrName(conversation.target, dir);
    case "continue":
      return latest();
    case "picker":
      return "";
    case "chosen": {
      const chosen = chosenIn(command);
      return chosen.kind === "latest" ? latest() : idOrName(chosen.id, dir);
    }
  }
}

function idOrName(target: string, dir: string): string {
  return target === "" || IS_ID.test(target) ? target : `"${target}" of ${dir}`;
}

const IS_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Longer than Claude Code takes to end with its hooks on a busy machine. */
const ENDING_MS = 10_000;

/**
 * The process that has a conversation open. One that has lost its terminal, with its tmux session
 * or the whole server, is just ending: it is waited for.
 */
export async function whoHolds(
  id: string,
  claudeConfig: string,
  warn: (line: string) => void,
): Promise<{ holder: ProcessInfo; processes: ProcessInfo[] } | undefined> {
  const until = performance.now() + ENDING_MS;
  for (let isTold = false;; isTold = true) {
    const processes = await allProcesses();
    const holder = holderOf(id, processes, claudeConfig);
    if (holder === undefined) return undefined;
    if (!hasLostTerminal(holder) || performance.now() > until) return { holder, processes };
    if (!isTold) {
      warn(
        `Waiting for process ${holder.pid}: it has lost its terminal, and conversation ${id} open`,
      );
    }
    await pause(100);
  }
}

/** Not one that never had any, such as a `claude -p` of cron: that may go on for long. */
function hasLostTerminal({ pid, hasTerminal }: ProcessInfo): boolean {
  if (hasTerminal) return false;
  try {
    return Array.from(Deno.readDirSync(`/proc/${pid}/fd`))
      .some(({ name }) => LOST.test(Deno.readLinkSync(`/proc/${pid}/fd/${name}`)));
  } catch {
    return true; // just ended, or a system that does not tell
  }
}

const LOST = /^\/dev\/pts\/\d+ \(deleted\)$/;

/**
 * The process that has a conversation open. Claude Code's own list of its sessions follows /clear,
 * so that it decides where it has the process; else the words do that the process was started with.
 */
function holderOf(
  id: string,
  processes: ProcessInfo[],
  claudeConfig: string,
): ProcessInfo | undefined {
  if (!IS_ID.test(id)) return undefined; // a process does not tell in which folder a name is meant
  const listed = listedSessions(`${claudeConfig}/sessions`, processes);
  return processes.find((process) => {
    if (listed.get(process.pid) === id) return true;
    if (!opens(process.args, id) || isTmux(process)) return false;
    // A wrapper has the words too; the list has the Claude Code below it.
    return !treeBelow(processes, process.pid).some(({ pid }) => listed.has(pid));
  });
}

/** A server keeps the words of the first session it was asked for, long after that has ended. */
function isTmux({ args: [program = ""] }: ProcessInfo): boolean {
  return /^tmux\b/.test(baseName(program));
}

function opens(args: string[], id: string): boolean {
  return args.some((arg, at) =>
    arg === id && /^(-r|--resume|--session-id)$/.test(args[at - 1] ?? "") ||
    arg === `--resume=${id}` || arg === `--session-id=${id}`
  );
}

/** The conversations of processes that live: one that was killed leaves its own to whoever gets its pid. */
function listedSessions(folder: string, processes: ProcessInfo[]): Map<number, unknown> {
  const found = new Map<number, unknown>();
  for (const file of namesIn(folder)) {
    const process = processes.find(({ pid }) => file === `${pid}.json`);
    if (process === undefined) continue;
    try {
      const entry: unknown = JSON.parse(readTextIfThere(`${folder}/${file}`) ?? "");
      if (!isObject(entry) || !isOf(entry.procStart, process)) continue;
      found.set(process.pid, entry.sessionId);
    } catch {
      // It is just being written.
    }
  }
  return found;
}

/** Where one of both does not tell its start, the program has to do. */
function isOf(procStart: unknown, process: ProcessInfo): boolean {
  return typeof procStart === "string" && process.start !== undefined
    ? procStart === process.start
    : isClaude(process);
}
