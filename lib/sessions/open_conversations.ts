/** Which conversation a launch will open, and who has it open already. */

import { chosenIn } from "./command_words.ts";
import { namesIn, readTextIfThere } from "../files.ts";
import { isObject } from "../json.ts";
import { latestOf } from "./known_conversation.ts";
import type { Conversation } from "./launch.ts";
import { isClaude, type ProcessInfo, treeBelow } from "./process_tree.ts";

/** By id or by name; "" when that is told by nobody before it is open. */
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
      return conversation.target;
    case "continue":
      return latest();
    case "picker":
      return "";
    case "chosen": {
      const chosen = chosenIn(command);
      return chosen.kind === "latest" ? latest() : chosen.id;
    }
  }
}

/**
 * The process that has a conversation open. Claude Code's own list of its sessions follows /clear,
 * so that it decides where it has the process; else the words do that the process was started with.
 */
export function holderOf(
  id: string,
  processes: ProcessInfo[],
  claudeConfig: string,
): ProcessInfo | undefined {
  if (id === "") return undefined;
  const listed = listedSessions(`${claudeConfig}/sessions`, processes);
  const isName = !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
  return processes.find((process) => {
    const entry = listed.get(process.pid);
    if (entry !== undefined && (entry.id === id || entry.name === id)) return true;
    if (!opens(process.args, id)) return false;
    // A wrapper has the words too; the list has the Claude Code below it. It knows names by id only.
    return isName || !treeBelow(processes, process.pid).some(({ pid }) => listed.has(pid));
  });
}

function opens(args: string[], id: string): boolean {
  return args.some((arg, at) =>
    arg === id && /^(-r|--resume|--session-id)$/.test(args[at - 1] ?? "") ||
    arg === `--resume=${id}` || arg === `--session-id=${id}`
  );
}

interface Listed {
  id: unknown;
  name: unknown;
}

/** The entries of processes that live: one that was killed leaves its own to whoever gets its pid. */
function listedSessions(folder: string, processes: ProcessInfo[]): Map<number, Listed> {
  const found = new Map<number, Listed>();
  for (const file of namesIn(folder)) {
    const process = processes.find(({ pid }) => file === `${pid}.json`);
    if (process === undefined) continue;
    try {
      const entry: unknown = JSON.parse(readTextIfThere(`${folder}/${file}`) ?? "");
      if (!isObject(entry) || !isOf(entry.procStart, process)) continue;
      found.set(process.pid, { id: entry.sessionId, name: entry.name });
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
