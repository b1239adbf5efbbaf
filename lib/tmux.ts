/** The door to tmux. Panes are addressed by id, sessions by exact name. */

import { run } from "./process.ts";
import { OWNER_FORMAT, type PaneOwner, paneOwner } from "./events.ts";
import type { Env } from "./paths.ts";

export type TmuxResult = { kind: "ok"; stdout: string } | { kind: "failed"; reason: string };

export interface Tmux {
  call(...args: string[]): Promise<TmuxResult>;
}

export interface TmuxOptions {
  /** A server by name (`-L`), for callers outside of tmux; inside a pane `$TMUX` names it. */
  socket?: string;
  timeoutMs?: number;
  /** What tmux is given beside `$TMUX`. A client of a running server needs nothing. */
  env?: Record<string, string>;
  /** Text for the standard input of every call. */
  stdin?: string;
}

export function tmuxFrom(env: Env, options: TmuxOptions = {}): Tmux {
  const program = env("GSD_TMUX") ?? "tmux";
  const timeoutMs = options.timeoutMs ?? 2000;
  const passed = { ...options.env };
  for (const name of ["TMUX", "TMUX_PANE"]) {
    const value = env(name);
    if (value !== undefined) passed[name] = value;
  }
  // -u: without a UTF-8 locale tmux prints `_` for every character it thinks we cannot read.
  const prefix = options.socket ? ["-u", "-L", options.socket] : ["-u"];
  return {
    async call(...args) {
      const outcome = await run(program, [...prefix, ...args], {
        env: passed,
        timeoutMs,
        stdin: options.stdin,
      });
      switch (outcome.kind) {
        case "finished":
          return outcome.code === 0
            ? { kind: "ok", stdout: outcome.stdout }
            : { kind: "failed", reason: `tmux ${args[0]}: ${outcome.stderr.trim()}` };
        case "timeout":
          return { kind: "failed", reason: `tmux ${args[0]} did not answer in ${timeoutMs} ms` };
        case "missing":
          return {
            kind: "failed",
            reason:
              `Cannot run ${program}: install tmux, or set GSD_TMUX to its path (${outcome.reason})`,
          };
      }
    },
  };
}

/** The session a pane belongs to; "none" when the pane or its server is gone. */
export async function sessionOfPane(tmux: Tmux, pane: string): Promise<PaneOwner> {
  const result = await tmux.call("display-message", "-p", "-t", pane, OWNER_FORMAT);
  if (result.kind === "failed") return { kind: "none", reason: result.reason };
  return paneOwner(result.stdout.replace(/\n$/, ""));
}

/** The pane's screen with up to `lines` lines above it, as text without colours. */
export async function capturePane(
  tmux: Tmux,
  pane: string,
  lines: number,
): Promise<string | undefined> {
  const result = await tmux.call("capture-pane", "-p", "-t", pane, "-S", `-${lines}`);
  return result.kind === "ok" ? result.stdout : undefined;
}
