/** The stage of the hooks for tests: wakes stay in the outbox, and records are checked at the end. */

import { type HookResult, HookStage } from "../../lib/demo/hook_stage.ts";
import { readTextIfThere } from "../../lib/files.ts";
import { captureLauncherText } from "../../lib/install/capture_launcher.ts";
import { hookLauncherText } from "../../lib/install/hook_launcher.ts";
import { writeInstallation } from "../../lib/install/install_file.ts";
import { installLaunchers } from "../../lib/install/launchers.ts";
import { type Env, ROOT } from "../../lib/paths.ts";
import { writeExecutable } from "./executable.ts";
import { TestHome } from "./home.ts";
import { TmuxServer } from "./tmux_server.ts";

export { type HookResult, ROOT };

export interface WorldOptions {
  /** Text, or a value that is written as JSON. Default: one agent `warden`. */
  registry?: unknown;
  /** Deliver wakes. By default they stay in the outbox, where a test can read them. */
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

export class HookWorld extends HookStage<TmuxServer> {
  private constructor(
    private readonly permissions: "registered" | "all",
    readonly home = new TestHome(),
  ) {
    super(home.dir, new TmuxServer(), home.env);
  }

  static async create(options: WorldOptions = {}): Promise<HookWorld> {
    const world = new HookWorld(options.permissions ?? "registered");
    await Deno.mkdir(`${world.dir}/home/.claude/projects/p`, { recursive: true });
    await Deno.mkdir(`${world.dir}/data/bin`, { recursive: true });
    world.writeRegistry("registry" in options ? options.registry : { agents: [WARDEN] });
    const install = world.installation(world.home.variable);
    writeInstallation(install);
    if (options.deliver) {
      installLaunchers(install);
    } else {
      const script = `#!/bin/sh\nrm -f ${world.dir}/state/locks/starts-*\n`; // as a real one does first
      writeExecutable(`${world.dir}/data/bin/deliver`, script);
    }
    return world;
  }

  get paths() {
    return this.home.paths;
  }

  /** Where Claude Code keeps the transcript. Hooks may read transcripts nowhere else. */
  get transcript(): string {
    return `${this.dir}/home/.claude/projects/p/transcript.jsonl`;
  }

  writeRegistry(registry: unknown): void {
    if (registry !== undefined) this.home.writeRegistry(registry);
  }

  /** A test may change the environment of a hook: its launchers are written anew for each call. */
  protected override words(file: string, env: Env): string[] {
    if (this.permissions === "all") {
      return [Deno.execPath(), "run", "-A", "--no-config", "--quiet", `${ROOT}/hooks/${file}`];
    }
    const install = this.installation(env);
    this.launcher("hook", hookLauncherText(install));
    this.launcher("capture", captureLauncherText(install));
    return super.words(file, env);
  }

  private launcher(name: string, text: string): void {
    const path = `${this.dir}/data/bin/${name}`;
    if (readTextIfThere(path) !== text) writeExecutable(path, text);
  }

  /** The messages that wait for an agent, oldest first. */
  wakes(agentId = "warden"): string[] {
    return this.home.wakes(agentId).map(({ message }) => message);
  }

  journal(session = "warden-main"): Record<string, unknown>[] {
    return this.home.journal(session);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.home[Symbol.asyncDispose]();
  }
}

/** The body of one section of a message, without its fence. */
export function section(message: string, name: string): string {
  const lines = message.split("\n");
  const start = lines.indexOf(`[${name}]`);
  if (start === -1) throw new Error(`The message has no [${name}]:\n${message}`);
  const header = /^\[[A-Z ]+\]$/;
  const length = lines.slice(start + 1).findIndex((line) => header.test(line));
  const body = lines.slice(start + 1, length === -1 ? undefined : start + 1 + length);
  const text = body.join("\n").replace(/\n+$/, "");
  return /^<<<EXTERNAL_UNTRUSTED_CONTENT id="(\w+)">>>\n([^]*)\n<<<END_.* id="\1">>>$/.exec(text)
    ?.[2] ??
    text;
}
