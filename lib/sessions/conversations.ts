/** A session's conversation: which one it had, which one a launch opens, who has that open. */

import { baseName, chosenIn } from "../doors/command_words.ts";
import { allProcesses, isClaude, type ProcessInfo, treeBelow } from "../doors/process_tree.ts";
import { isFile, namesIn, readJsonIfThere } from "../files.ts";
import { isObject } from "../json.ts";
import type { Conversation, KnownOfConversation, Launch } from "./launch.ts";
import type { Paths } from "../paths.ts";
import type { SessionMemory } from "../session_memory.ts";
import { pause } from "../time.ts";

/** `memory`: what hooks remember since the launch. */
export function knownConversation(
  paths: Paths,
  { launch, memory }: { launch?: Launch; memory?: SessionMemory },
  dir: string,
): Omit<KnownOfConversation, "resumeTarget"> {
  // It becomes a word of Claude Code's command line, so nothing but an id counts.
  const id = [memory?.claude_session_id, launch?.claude_session_id]
    .find((one) => isId(one ?? "")) ?? "";
  const projects = `${paths.claudeConfig}/projects`;
  const isWritten = memory?.claude_session_id === id && isFile(memory.transcript_path);
  return {
    id,
    hasTranscript: id !== "" &&
      (isWritten || namesIn(projects).some((name) => isFile(`${projects}/${name}/${id}.jsonl`))),
    hasOthers: latestOf(paths.claudeConfig, dir) !== "",
  };
}

/** The first command, where Claude Code never came to it: no hook has run since the launch. */
export function firstAgain(
  { launch, memory }: { launch?: Launch; memory?: SessionMemory },
  conversation: Conversation,
): string {
  if (conversation.kind !== "new" || conversation.id !== launch?.claude_session_id) return "";
  return memory === undefined ? launch.first_command ?? "" : "";
}

/**
 * The conversation that a launch opens: its id, else its name with the folder it belongs to; ""
 * when only Claude Code will know.
 */
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
  return target === "" || isId(target) ? target : `"${target}" of ${dir}`;
}

function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** The conversation of a folder that `--continue` opens: the one written to last; "" without any. */
function latestOf(claudeConfig: string, dir: string): string {
  const project = `${claudeConfig}/projects/${projectName(dir)}`;
  const written = (name: string) => Deno.statSync(`${project}/${name}`).mtime?.getTime() ?? 0;
  const names = namesIn(project).filter((name) => name.endsWith(".jsonl"))
    .sort((a, b) => written(b) - written(a));
  return names[0]?.replace(/\.jsonl$/, "") ?? "";
}

/** Claude Code names a folder's project after its path, with a dash for all but letters and digits. */
export function projectName(dir: string): string {
  let real = dir;
  try {
    real = Deno.realPathSync(dir);
  } catch {
    // The launch will report that it does not exist.
  }
  return real.replace(/[^A-Za-z0-9]/g, "-");
}

/** Longer than Claude Code takes to end: it gives its SessionEnd hooks a minute at most. */
const ENDING_MS = 75_000;

interface Holder {
  pid: number;
  /** The tmux session below whose panes it runs, where that is known. */
  session: string | undefined;
}

export function whyOpen(id: string, { pid, session }: Holder): string {
  const where = session === undefined ? "" : ` in tmux session "${session}"`;
  return `its conversation ${id} is open already in process ${pid}${where}: end that one first`;
}

/** The process that has a conversation open. Waits for one that has lost its terminal to end. */
export async function whoHolds(
  id: string,
  claudeConfig: string,
  panes: { pid: number; session: string }[],
  warn: (line: string) => void,
): Promise<Holder | undefined> {
  const until = performance.now() + ENDING_MS;
  for (let hasWarned = false;; hasWarned = true) {
    const processes = await allProcesses();
    const holder = holderOf(id, processes, claudeConfig);
    if (holder === undefined) return undefined;
    if (!hasLostTerminal(holder) || performance.now() > until) {
      const around = panes.find(({ pid }) => treeBelow(processes, pid).includes(holder));
      return { pid: holder.pid, session: around?.session };
    }
    if (!hasWarned) {
      warn(`Waiting for process ${holder.pid}: it is ending, and has conversation ${id} open`);
    }
    await pause(100);
  }
}

/** A process that never had a terminal does not count: a `claude -p` of cron may run for long. */
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
 * for other processes their command line decides.
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
    // A wrapper has the same arguments; the list has the Claude Code below it.
    return !treeBelow(processes, process.pid).some(({ pid }) => listed.has(pid));
  });
}

/** A tmux server keeps the arguments of its first session long after its end. */
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
export function listedSessions(
  folder: string,
  processes: ProcessInfo[],
): Map<number, unknown> {
  const found = new Map<number, unknown>();
  for (const file of namesIn(folder)) {
    const process = processes.find(({ pid }) => file === `${pid}.json`);
    if (process === undefined) continue;
    const entry = readJsonIfThere(`${folder}/${file}`);
    if (isObject(entry) && isOf(entry.procStart, process)) found.set(process.pid, entry.sessionId);
  }
  return found;
}

/** Compares the start times, or the programs where a start time is missing. */
function isOf(procStart: unknown, process: ProcessInfo): boolean {
  return typeof procStart === "string" && process.start !== undefined
    ? procStart === process.start
    : isClaude(process);
}
