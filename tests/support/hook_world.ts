/** A place where hooks can run for real: own folders, own tmux server, nothing of the user's. */

import { namesIn } from "../../lib/files.ts";
import { hookCommand } from "../../lib/install/hook_command.ts";
import { HOOKS } from "../../lib/install/hook_list.ts";
import { hookLauncherText } from "../../lib/install/hook_launcher.ts";
import { writeInstallation } from "../../lib/install/install_file.ts";
import { launcherPlaces } from "../../lib/install/launcher_places.ts";
import { installLaunchers } from "../../lib/install/launchers.ts";
import { readWake } from "../../lib/outbox.ts";
import { type Env, pathsFrom, ROOT } from "../../lib/paths.ts";

export { ROOT } from "../../lib/paths.ts";
import { findProgram } from "../../lib/doors/programs.ts";
import type { Installation } from "../../lib/install/scope.ts";
import { TmuxServer } from "./tmux_server.ts";

export interface HookResult {
  code: number;
  stdout: string;
  stderr: string;
  ms: number;
}

export interface WorldOptions {
  /** Text as it stands, or a value to be written as JSON; absent: one agent `warden`. */
  registry?: unknown;
  /** Let wakes be delivered; otherwise they stay in the outbox, to be looked at. */
  deliver?: boolean;
  /** "registered": by the very command that registration writes; "all": with `deno run -A`. */
  permissions?: "registered" | "all";
}

export const WARDEN = {
  agent_id: "warden",
  enabled: true,
  tmux_session_name: "warden-main",
  openclaw_session_key: "agent:warden:main",
};

export class HookWorld {
  readonly server = new TmuxServer();
  readonly panes = new Map<string, string>();

  private constructor(readonly dir: string, private readonly permissions: "registered" | "all") {}

  static async create(options: WorldOptions = {}): Promise<HookWorld> {
    const dir = await Deno.makeTempDir({ prefix: "gsd-test-" });
    const world = new HookWorld(dir, options.permissions ?? "registered");
    await Deno.mkdir(`${world.dir}/home/.claude/projects/p`, { recursive: true });
    await Deno.mkdir(`${world.dir}/data/bin`, { recursive: true });
    await world.writeRegistry("registry" in options ? options.registry : { agents: [WARDEN] });
    const install = world.installation((name) => world.env()[name]);
    writeInstallation(install);
    if (options.deliver) {
      installLaunchers(install);
    } else {
      await Deno.writeTextFile(
        `${world.dir}/data/bin/deliver`,
        `#!/bin/sh\nrm -f ${world.dir}/state/locks/starts-*\n`, // as a real one does first
        { mode: 0o755 },
      );
    }
    return world;
  }

  get paths() {
    return pathsFrom((name) => this.env()[name], ROOT);
  }

  /** Where Claude Code would keep the transcript; hooks may read nothing of the kind elsewhere. */
  get transcript(): string {
    return `${this.dir}/home/.claude/projects/p/transcript.jsonl`;
  }

  async writeRegistry(registry: unknown): Promise<void> {
    if (registry === undefined) return;
    const text = typeof registry === "string" ? registry : JSON.stringify(registry);
    await Deno.writeTextFile(`${this.dir}/registry.json`, text);
  }

  /** The pane of a session, which is started when it is not there yet. */
  async pane(session: string): Promise<string> {
    const pane = this.panes.get(session) ?? await this.server.session(session);
    this.panes.set(session, pane);
    return pane;
  }

  env(): Record<string, string> {
    return {
      HOME: `${this.dir}/home`,
      PATH: Deno.env.get("PATH") ?? "",
      // Deno's own cache, which every hook of a user shares.
      DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
      DENO_NO_UPDATE_CHECK: "1",
      GSD_REGISTRY: `${this.dir}/registry.json`,
      GSD_STATE_DIR: `${this.dir}/state`,
      GSD_DATA_DIR: `${this.dir}/data`,
    };
  }

  /** Runs a hook as Claude Code in that session would. */
  async hook(
    file: string,
    event: unknown,
    { session = "warden-main", env = {} as Record<string, string | undefined> } = {},
  ): Promise<HookResult> {
    const tmux = await this.server.env(await this.pane(session));
    const all: Record<string, string | undefined> = { ...this.env(), ...tmux, ...env };
    const [program, ...args] = this.words(file, (name) => all[name]);
    const child = new Deno.Command(program!, {
      args,
      env: Object.fromEntries(
        Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
      ),
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const started = performance.now();
    const input = event instanceof Uint8Array
      ? event
      : new TextEncoder().encode(typeof event === "string" ? event : JSON.stringify(event));
    const fed = (async () => {
      const writer = child.stdin.getWriter();
      await writer.write(input);
      await writer.close();
    })().catch(() => {});
    const { code, stdout, stderr } = await child.output();
    await fed;
    const decoder = new TextDecoder();
    const ms = performance.now() - started;
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr), ms };
  }

  private words(file: string, env: Env): string[] {
    if (this.permissions === "all") {
      return [Deno.execPath(), "run", "-A", "--no-config", "--quiet", `${ROOT}/hooks/${file}`];
    }
    const entry = HOOKS.find((hook) => hook.file === file)!;
    const install = this.installation(env);
    const launcher = `${this.dir}/data/bin/hook`;
    Deno.writeTextFileSync(`${launcher}.new`, hookLauncherText(install), { mode: 0o755 });
    Deno.renameSync(`${launcher}.new`, launcher); // a hook may be running
    return ["/bin/sh", "-c", hookCommand(entry, install.paths)];
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

  /** The messages that wait for an agent, oldest first. */
  wakes(agentId = "warden"): string[] {
    const dir = `${this.dir}/state/outbox/${agentId}`;
    return namesIn(dir).filter((name) => name.endsWith(".json"))
      .map((name) => readWake(`${dir}/${name}`)!.message);
  }

  /** The journal of a session. */
  journal(session = "warden-main"): Record<string, unknown>[] {
    try {
      return Deno.readTextFileSync(`${this.dir}/state/journal/${session}.jsonl`).trim().split("\n")
        .map((line) => JSON.parse(line));
    } catch {
      return [];
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await Deno.remove(this.dir, { recursive: true }).catch(() => {});
  }
}

/** The body of one section of a message. */
export function section(message: string, name: string): string {
  const lines = message.split("\n");
  const start = lines.indexOf(`[${name}]`);
  if (start === -1) throw new Error(`The message has no [${name}]:\n${message}`);
  const header = /^\[[A-Z ]+\]$/;
  const length = lines.slice(start + 1).findIndex((line) => header.test(line));
  const body = lines.slice(start + 1, length === -1 ? undefined : start + 1 + length);
  return body.join("\n").replace(/\n+$/, "");
}
