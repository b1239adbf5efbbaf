/** The variable with which OpenClaw's exec tool marks everything that is started below it. */

import { allProcesses, environmentOf, isClaude, treeBelow } from "../doors/process_tree.ts";
import { panesOf } from "../doors/tmux_sessions.ts";
import type { Tmux } from "../tmux.ts";

const MARK = /^OPENCLAW_SHELL=./;

/** The server hands the mark to every new session. */
export async function markOfServer(tmux: Tmux): Promise<string | undefined> {
  return markIn(await tmux.call("show-environment", "-g", "OPENCLAW_SHELL"));
}

/**
 * A hook has the environment of Claude Code, not what tmux would hand out today. So the processes
 * count; without /proc, what tmux would hand out.
 */
export async function markOfSession(tmux: Tmux, session: string): Promise<string | undefined> {
  const processes = await allProcesses();
  const panes = await panesOf(tmux, session).catch(() => []);
  const below = panes.flatMap(({ pid }) => treeBelow(processes, pid));
  const claude = below.filter((process) => isClaude(process));
  const asked = claude.length > 0 ? claude.map(({ pid }) => pid) : panes.map(({ pid }) => pid);
  const environments = asked.map(environmentOf).filter((one) => one !== undefined);
  if (environments.length > 0) {
    const mark = environments.map((one) => one.OPENCLAW_SHELL).find((value) => value);
    return mark && `OPENCLAW_SHELL=${mark}`;
  }
  const own = await tmux.call("show-environment", "-t", `=${session}:`, "OPENCLAW_SHELL");
  return own.kind === "ok" ? markIn(own) : await markOfServer(tmux);
}

function markIn(answer: Awaited<ReturnType<Tmux["call"]>>): string | undefined {
  const line = answer.kind === "ok" ? answer.stdout.trim() : "";
  return MARK.test(line) ? line : undefined;
}
