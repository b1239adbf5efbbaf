/** A stage for real hooks: a home of its own and a private tmux server. */

import { findProgram } from "../doors/programs.ts";
import { denoDir } from "../install/command_launcher.ts";
import { hookCommand } from "../install/hook_command.ts";
import { HOOKS } from "../install/hook_list.ts";
import { launcherPlaces } from "../install/installation.ts";
import type { Installation } from "../install/scope.ts";
import { type Env, pathsFrom, ROOT } from "../paths.ts";
import { type Ended, startProgram } from "./child_process.ts";
import type { PrivateTmux } from "./private_tmux.ts";

export interface HookOptions {
  session?: string;
  /** Variables beside those of the stage; undefined takes one away. */
  env?: Record<string, string | undefined>;
  /** Ends the hook. */
  signal?: AbortSignal;
}

export interface HookResult extends Ended {
  ms: number;
}

/** The variables of a home in `dir`. Of the real user only PATH and Deno's cache are in it. */
export function stageVariables(dir: string): Record<string, string> {
  const real = Deno.env.toObject();
  return {
    HOME: `${dir}/home`,
    PATH: real.PATH ?? "/usr/bin:/bin",
    LANG: "C.UTF-8",
    // The packages of our commands are cached there; a new home has none.
    DENO_DIR: denoDir({ home: real.HOME ?? "/", variables: real }),
    DENO_NO_UPDATE_CHECK: "1",
    GSD_REGISTRY: `${dir}/registry.json`,
    GSD_STATE_DIR: `${dir}/state`,
    GSD_DATA_DIR: `${dir}/data`,
  };
}

export class HookStage<Server extends PrivateTmux = PrivateTmux> {
  readonly panes = new Map<string, string>();

  constructor(
    readonly dir: string,
    readonly server: Server,
    private readonly variables: Record<string, string>,
  ) {}

  env(): Record<string, string> {
    return this.variables;
  }

  /** The pane of a session, which is started if necessary. */
  async pane(session: string): Promise<string> {
    const pane = this.panes.get(session) ?? await this.server.session(session);
    this.panes.set(session, pane);
    return pane;
  }

  installation(env: Env): Installation {
    return {
      paths: pathsFrom(env, ROOT),
      home: `${this.dir}/home`,
      deno: Deno.execPath(),
      tmux: findProgram(env, "GSD_TMUX", "tmux")!,
      transcripts: [`${this.dir}/home/.claude/projects`],
      allowAll: false,
      ...launcherPlaces(env, undefined),
    };
  }

  /** Runs a hook as Claude Code in that session would. */
  async hook(
    file: string,
    event: unknown,
    { session = "warden-main", env = {}, signal }: HookOptions = {},
  ): Promise<HookResult> {
    const tmux = await this.server.env(await this.pane(session));
    const all: Record<string, string | undefined> = { ...this.env(), ...tmux, ...env };
    const set = Object.entries(all).filter((entry): entry is [string, string] =>
      entry[1] !== undefined
    );
    const input = typeof event === "string" || event instanceof Uint8Array
      ? event
      : JSON.stringify(event);
    const started = performance.now();
    const words = this.words(file, (name) => all[name]);
    const ended = await startProgram(words, Object.fromEntries(set), input, signal).done;
    return { ...ended, ms: performance.now() - started };
  }

  /** The command that registration writes for this hook. */
  protected words(file: string, env: Env): string[] {
    const entry = HOOKS.find((hook) => hook.file === file)!;
    return ["/bin/sh", "-c", hookCommand(entry, pathsFrom(env, ROOT))];
  }
}
