/** The processes of the machine, and those below a pane. */

import { baseName, isShell } from "./command_words.ts";
import { run } from "../process.ts";

export interface ProcessInfo {
  pid: number;
  parent: number;
  /** The program with its arguments. */
  args: string[];
  /** Keys typed in its terminal go to it. */
  foreground: boolean;
  /** It has a terminal at all. */
  hasTerminal: boolean;
  /** Its start, in clock ticks since the boot; only from /proc. */
  start?: string;
}

/** Every process of the machine: from /proc where there is one, else from ps. */
export async function allProcesses(): Promise<ProcessInfo[]> {
  const listed = fromProc();
  if (listed !== undefined) return listed;
  const columns = ["-A", "-o", "pid=,ppid=,pgid=,tpgid=,command="];
  const outcome = await run("/bin/ps", columns, { env: {}, timeoutMs: 5000 });
  return outcome.kind === "finished" ? outcome.stdout.split("\n").flatMap(fromPsLine) : [];
}

function fromProc(): ProcessInfo[] | undefined {
  const found: ProcessInfo[] = [];
  try {
    for (const { name } of Deno.readDirSync("/proc")) {
      if (/^\d+$/.test(name)) found.push(...procEntry(Number(name)));
    }
  } catch {
    return undefined;
  }
  return found.length > 0 ? found : undefined;
}

function procEntry(pid: number): ProcessInfo[] {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    const args = Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0").slice(0, -1);
    // The name in brackets may hold blanks and brackets itself.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, parent, group, , , terminalGroup] = fields;
    const foreground = group === terminalGroup;
    const hasTerminal = Number(terminalGroup) > 0;
    const start = fields[19] ?? "";
    if (state === "Z") return [];
    return [{ pid, parent: Number(parent), args, foreground, hasTerminal, start }];
  } catch {
    return []; // It has just ended.
  }
}

function fromPsLine(line: string): ProcessInfo[] {
  const [pid, parent, group, terminalGroup, ...args] = line.trim().split(/\s+/);
  if (args.length === 0) return [];
  return [{
    pid: Number(pid),
    parent: Number(parent),
    args,
    foreground: group === terminalGroup,
    hasTerminal: Number(terminalGroup) > 0,
  }];
}

/** A process and all below it, itself first. */
export function treeBelow(processes: ProcessInfo[], pid: number): ProcessInfo[] {
  const self = processes.filter((process) => process.pid === pid);
  const children = processes.filter((process) => process.parent === pid && process.pid !== pid);
  return [...self, ...children.flatMap((child) => treeBelow(processes, child.pid))];
}

/** A process and all above it, itself first. */
export function ancestorsOf(processes: ProcessInfo[], pid: number): ProcessInfo[] {
  const byPid = new Map(processes.map((process) => [process.pid, process]));
  const found: ProcessInfo[] = [];
  for (let at = byPid.get(pid); at !== undefined; at = byPid.get(at.parent)) {
    found.push(at);
    byPid.delete(at.pid); // a list that was read while processes ended may have a loop
  }
  return found;
}

/**
 * The native program, Node with its package, or the program of the launch command. A shell does not
 * count: it also stays in the pane when Claude Code has ended.
 */
export function isClaude(process: ProcessInfo, launchProgram = ""): boolean {
  const [program = "", script = ""] = process.args;
  const name = baseName(program);
  if (name === "claude") return true;
  if (launchProgram !== "" && program === launchProgram && !isShell(launchProgram)) return true;
  return /^(node|bun)$/.test(name) && /\/claude-code\/|\/claude$/.test(script);
}

/** A shell at its prompt: no script, no command, no other program in the foreground. */
export function isIdleShell(tree: ProcessInfo[]): boolean {
  const [shell, ...below] = tree;
  if (!shell?.foreground || below.some((process) => process.foreground)) return false;
  const [program = "", ...args] = shell.args;
  return isShell(program) &&
    args.every((arg) => /^-[il]+$|^--(login|interactive)$/.test(arg));
}

/** The variables that a process was started with; undefined where that cannot be read. */
export function environmentOf(
  pid: number | undefined,
): Partial<Record<string, string>> | undefined {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/environ`);
    return Object.fromEntries(
      text.split("\0").filter((entry) => entry.includes("="))
        .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
    );
  } catch {
    return undefined;
  }
}
