/** Who has called the driver: its parent processes. A Claude must not answer for itself. */

import { baseName } from "../doors/command_words.ts";
import { ancestorsOf, type ProcessInfo } from "../doors/process_tree.ts";
import type { Env } from "../paths.ts";
import type { Giver } from "../records.ts";

export type Caller = {
  /** "inside": below the pane of the Claude Code that it would answer. */
  kind: "inside" | "outside" | "unknown";
  /** For the journal: `systemd > openclaw > sh > menu-driver`. */
  chain: string;
};

export const UNKNOWN_CALLER: Caller = { kind: "unknown", chain: "unknown" };

export interface CallerSigns {
  processes: ProcessInfo[];
  /** Our parent process. */
  parent: number;
  /** The pane that would be answered. */
  pane: { id: string; pid: number };
  /** All panes of its server. */
  panes: { id: string; pid: number }[];
  env: Env;
}

export function callerFrom(signs: CallerSigns): Caller {
  const { processes, pane } = signs;
  const target = processes.find(({ pid }) => pid === pane.pid);
  // Without processes, or where tmux counts them in another namespace, the caller is unknown.
  if (target === undefined) return UNKNOWN_CALLER;
  const above = ancestorsOf(processes, signs.parent);
  const isBelow = above.some(({ pid }) => pid === pane.pid);
  return {
    kind: isBelow || hasPaneOf(signs.env, pane.id, target.parent) ? "inside" : "outside",
    chain: chainOf(above, signs.panes),
  };
}

/**
 * A process that left its parents still has the variables of its pane, unless it clears them. So a
 * match counts, but a missing match proves nothing. Ids of panes repeat on another server.
 */
function hasPaneOf(env: Env, id: string, server: number): boolean {
  return env("TMUX_PANE") === id && env("TMUX")?.split(",")[1] === String(server);
}

/** The programs above a process, as in `Caller.chain`. */
export function callChain(
  processes: ProcessInfo[],
  parent: number,
  program = "menu-driver",
): string {
  return chainOf(ancestorsOf(processes, parent), [], program);
}

const MOST_NAMES = 8;

/** The names of programs, the first one first, without arguments. */
function chainOf(
  above: ProcessInfo[],
  panes: CallerSigns["panes"],
  program = "menu-driver",
): string {
  const names: string[] = [];
  for (const process of above) {
    if (process.pid === 1 && names.length > 0) break;
    names.unshift(nameOf(process));
    const pane = panes.find(({ pid }) => pid === process.pid);
    if (pane === undefined) continue;
    names.unshift(`tmux pane ${pane.id}`);
    break;
  }
  const cut = names.length > MOST_NAMES ? ["…", ...names.slice(-MOST_NAMES)] : names;
  return [...cut, program].join(" > ");
}

/** Of a script that an interpreter runs, the script's name. */
function nameOf({ args: [program = "", script = ""] }: ProcessInfo): string {
  const isScript = /^(node|bun|deno|python[\d.]*)$/.test(baseName(program)) &&
    /^[^-].*\.(m?js|ts|py)$/.test(script);
  const name = baseName(isScript ? script : program).replace(/[^\w.+-]/g, "").replace(/^-/, "");
  return name.slice(0, 30) || "?";
}

/**
 * Who gives the order. OpenClaw is above the command of its agent. A person has a terminal. Without
 * either sign it counts as the agent's: agents run commands through shells of many kinds.
 */
export function giverOf(
  { chain }: Caller,
  { named, agentId, isTerminal, login = "" }: {
    /** By --by. */
    named?: string;
    agentId: string;
    isTerminal: boolean;
    login?: string;
  },
): Giver {
  const isAgents = /openclaw/i.test(chain);
  if (named !== undefined && named !== agentId) {
    return { by: named, by_kind: isAgents ? "agent" : isTerminal ? "person" : "program" };
  }
  if (named !== undefined || isAgents || !isTerminal) {
    return agentId === ""
      ? { by: "menu-driver", by_kind: "unknown" }
      : { by: agentId, by_kind: "agent" };
  }
  const isName = /^[\w.-]{1,40}$/.test(login) && login !== agentId;
  return { by: isName ? login : "person", by_kind: "person" };
}

export function whyNotInside({ kind }: Caller): string | undefined {
  return kind !== "inside" ? undefined : "this command runs inside the session that it would " +
    "answer: only its agent or a person may do that, from outside of this pane (snapshot works)";
}
