/** The door to tmux. Panes are addressed by id, sessions by exact name. */

import { run } from "./process.ts";
import { CAPTURE_LAUNCHER, OWNER_FORMAT } from "./events.ts";
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
          return outcome.code === 0 ? { kind: "ok", stdout: outcome.stdout } : {
            kind: "failed",
            reason: `tmux ${args[0]}: ${outcome.stderr.trim() || `exit code ${outcome.code}`}`,
          };
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

export type PaneLook =
  /** `owner`: the line of OWNER_FORMAT. */
  | { kind: "seen"; owner: string; screen: string }
  | { kind: "failed"; reason: string };

/** Whose the pane is and what it shows: by bin/capture, where the hook may run nothing else. */
export async function lookAtPane(env: Env, pane: string): Promise<PaneLook> {
  const launcher = env(CAPTURE_LAUNCHER);
  const result = launcher ? await byLauncher(launcher, env, pane) : await tmuxFrom(env).call(
    ...["display-message", "-p", "-t", pane, OWNER_FORMAT],
    ...[";", "capture-pane", "-p", "-t", pane],
  );
  if (result.kind === "failed") return result;
  const [owner = "", ...screen] = result.stdout.split("\n");
  return { kind: "seen", owner, screen: screen.join("\n") };
}

async function byLauncher(launcher: string, env: Env, pane: string): Promise<TmuxResult> {
  const options = { env: { TMUX: env("TMUX") ?? "" }, timeoutMs: 2000, cwd: "/" };
  const outcome = await run(launcher, [pane], options);
  if (outcome.kind === "finished" && outcome.code === 0) {
    return { kind: "ok", stdout: outcome.stdout };
  }
  const why = outcome.kind === "finished"
    ? outcome.stderr.trim()
    : outcome.kind === "timeout"
    ? `no answer in ${outcome.afterMs} ms`
    : outcome.reason;
  return { kind: "failed", reason: `${launcher}: ${why}` };
}

/** The pane's screen with up to `lines` lines above it (bin/capture shows none), without colours. */
export async function capturePane(
  env: Env,
  pane: string,
  lines: number,
): Promise<string | undefined> {
  if (env(CAPTURE_LAUNCHER)) {
    const look = await lookAtPane(env, pane);
    return look.kind === "seen" ? look.screen : undefined;
  }
  const result = await tmuxFrom(env).call("capture-pane", "-p", "-t", pane, "-S", `-${lines}`);
  return result.kind === "ok" ? result.stdout : undefined;
}
