/** Claude Code's own list of its processes: `sessions/<pid>.json`, changed as its state changes. */

import { environmentOf } from "../doors/process_tree.ts";
import { textOf } from "../events.ts";
import { isObject, parseIfJson } from "../json.ts";

export interface ClaudeEntry {
  pid: number;
  sessionId: string;
  cwd: string;
  /** "idle", "busy", "waiting"; "" where a version does not say. */
  status: string;
  /** "input needed", "permission prompt", "dialog open". */
  waitingFor: string;
  /** When the status last changed. */
  statusSince: number;
  startedAt: number;
  /** The start of the process in clock ticks: another process may have got its number since. */
  procStart: string;
}

export function parseEntryFile(text: string): ClaudeEntry | undefined {
  const value = parseIfJson(text);
  if (!isObject(value) || typeof value.pid !== "number") return undefined;
  // A `claude -p` beside the session is not the session.
  if (value.kind !== undefined && value.kind !== "interactive") return undefined;
  return {
    pid: value.pid,
    sessionId: textOf(value, "sessionId"),
    cwd: textOf(value, "cwd"),
    status: textOf(value, "status"),
    waitingFor: textOf(value, "waitingFor"),
    statusSince: Number(value.statusUpdatedAt ?? value.updatedAt ?? 0) || 0,
    startedAt: Number(value.startedAt ?? 0) || 0,
    procStart: textOf(value, "procStart"),
  };
}

/** The start of a process in clock ticks since the boot; undefined when it has ended. */
export function startOf(pid: number): string | undefined {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** The socket of the tmux server in which a process was started; undefined where it is not known. */
export function socketOf(pid: number): string | undefined {
  const [socket] = environmentOf(pid)?.TMUX?.split(",") ?? [];
  return socket?.startsWith("/") ? socket : undefined;
}

/** Its process runs, and is not another one with the same number. */
export function runs(entry: ClaudeEntry): boolean {
  const start = startOf(entry.pid);
  return start !== undefined && (entry.procStart === "" || entry.procStart === start);
}
