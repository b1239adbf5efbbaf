/** Where a story plays: Claude Code with our hooks in tmux, a gateway, and a model on either side. */

import { HOOKS } from "../../lib/install/hook_list.ts";
import { readJournal } from "../../lib/journal_read.ts";
import { type Paths, pathsFrom, ROOT } from "../../lib/paths.ts";
import { run } from "../../lib/process.ts";
import { shellQuote } from "../../lib/text.ts";
import type { AgentRequest } from "../support/agent_model.ts";
import type { Scene } from "../support/artefacts.ts";
import { TestHome } from "../support/home.ts";
import { section } from "../support/hook_world.ts";
import { ClaudeModel, type Scenario } from "../support/claude_model.ts";
import {
  attach,
  claudeEnv,
  type ClaudeOptions,
  prepareHome,
  type RealClaude,
  startClaude,
} from "../support/real_claude.ts";
import { claudeProgram, type ClaudeVersion } from "../support/real_programs.ts";
import { TmuxServer } from "../support/tmux_server.ts";
import { until } from "../support/until.ts";
import type { SharedGateway } from "./shared_gateway.ts";
import { writeExecutable } from "../support/executable.ts";

export interface Wake {
  trigger: string;
  message: string;
  wakeId: string;
  request: AgentRequest;
}

export interface StageOptions {
  shared: SharedGateway;
  /** The pinned version by default. */
  version?: ClaudeVersion;
  /** A program to try instead of the pinned version. */
  program?: string;
  scenarios?: Record<string, Scenario>;
  hookSettings?: Record<string, unknown>;
  agents?: string[];
}

export class Stage {
  readonly server: TmuxServer;
  readonly claudeModel: ClaudeModel;
  readonly paths: Paths;
  readonly env: Record<string, string>;
  /** Makes the names of this story's sessions its own. */
  readonly tag = crypto.randomUUID().slice(0, 6);

  constructor(readonly scene: Scene, readonly options: StageOptions) {
    this.server = TmuxServer.in(scene);
    this.claudeModel = new ClaudeModel({ scenarios: options.scenarios });
    scene.atEnd(() => this.claudeModel.stop());
    const { shared } = options;
    this.env = {
      ...new TestHome(scene).env,
      GSD_TMUX: `${scene.dir}/tmux`,
      GSD_OPENCLAW: shared.gateway.program,
    };
    this.paths = pathsFrom((name) => this.env[name], ROOT);
    Deno.mkdirSync(`${scene.home}/.openclaw`, { recursive: true });
    Deno.copyFileSync(shared.gateway.config, `${scene.home}/.openclaw/openclaw.json`);
    scene.keep("claude-model.json", () => JSON.stringify(this.claudeModel.requests, null, 1));
    scene.keep("agent-model.json", () => JSON.stringify(this.#requests(), null, 1));
    this.writeRegistry();
    // Before the first start: a running Claude Code writes its own list of trusted folders.
    for (const agent of this.#agents) prepareHome(scene, `${scene.dir}/${agent}`);
  }

  get #agents(): string[] {
    return this.options.agents ?? ["warden"];
  }

  session(agent: string): string {
    return `${agent}-${this.tag}`;
  }

  writeRegistry(more: Record<string, Record<string, unknown>> = {}): void {
    const agents = this.#agents.map((agent) => ({
      agent_id: agent,
      tmux_session_name: this.session(agent),
      openclaw_session_key: `agent:${agent}:main`,
      working_directory: `${this.scene.dir}/${agent}`,
      ...more[agent],
    }));
    const registry = { hook_settings: this.options.hookSettings ?? {}, agents };
    Deno.writeTextFileSync(this.paths.registry, JSON.stringify(registry, null, 2));
  }

  async startClaude(agent = "warden", more: Partial<ClaudeOptions> = {}): Promise<RealClaude> {
    const { version, program } = this.options;
    const hooks = await this.settingsFile();
    return await startClaude({
      scene: this.scene,
      server: this.server,
      modelUrl: this.claudeModel.url,
      session: this.session(agent),
      project: `${this.scene.dir}/${agent}`,
      version,
      program,
      ...more,
      args: ["--settings", hooks, ...more.args ?? []],
      env: { ...this.env, ...more.env },
    });
  }

  /** A launcher that recovery and spawn can use as `claude`, with our model behind it. */
  async claudeLauncher(): Promise<string> {
    const program = this.options.program ?? await claudeProgram(this.options.version);
    const path = `${this.scene.dir}/claude`;
    const set = Object.entries(claudeEnv(this.claudeModel.url))
      .map(([name, value]) => `${name}=${shellQuote(value)}`).join(" ");
    writeExecutable(path, `#!/bin/sh\nexport ${set}\nexec ${program} "$@"\n`);
    return path;
  }

  /** Starts the agent's session as a person would, by `spawn`. */
  async spawn(agent: string, first: string): Promise<RealClaude> {
    this.env.GSD_CLAUDE = await this.claudeLauncher();
    const folder = `${this.scene.dir}/${agent}`;
    const done = await this.ours("commands/spawn.ts", agent, folder, first);
    if (done.code !== 0) throw new Error(`spawn ended with ${done.code}: ${done.stderr}`);
    return await this.attach(agent);
  }

  attach(agent: string): Promise<RealClaude> {
    return attach({ server: this.server, session: this.session(agent) }, "");
  }

  /** Our hooks as `register.ts --print` writes them, launchers included. */
  async settingsFile(): Promise<string> {
    const file = `${this.scene.dir}/hooks.json`;
    const printed = await this.ours("register.ts", "--print");
    if (printed.code !== 0) throw new Error(`register --print failed: ${printed.stderr}`);
    const hooks: unknown = JSON.parse(printed.stdout).hooks;
    for (const { event } of HOOKS) {
      if (!printed.stdout.includes(`"${event}"`)) throw new Error(`No hook for ${event}`);
    }
    Deno.writeTextFileSync(file, JSON.stringify({ hooks }, null, 1));
    return file;
  }

  /** Runs one of this project's programs as a person would. */
  async ours(file: string, ...args: string[]) {
    // Three Claude Codes that start at once take more than their minute on a busy machine.
    const patience = /\/(spawn|recover)\.ts$/.test(file) ? ["--timeout", "300"] : [];
    const words = ["run", "-A", "--quiet", `${ROOT}/${file}`, ...args, ...patience];
    return await this.#run(Deno.execPath(), words);
  }

  /** Does what the agent would: takes a line of the wake's actions, fills it in, runs it. */
  async act(wake: Wake, verb: string, ...values: string[]) {
    const line = this.action(wake, verb, ...values);
    const done = await this.#run("/bin/sh", ["-c", line]);
    if (done.code !== 0) throw new Error(`${line} ended with ${done.code}: ${done.stderr}`);
    return done;
  }

  action(wake: Wake, verb: string, ...values: string[]): string {
    const actions = section(wake.message, "AVAILABLE ACTIONS").split("\n");
    const line = actions.find((line) => new RegExp(` ${verb}( |$)`).test(line));
    if (line === undefined) {
      throw new Error(`The wake offers no ${verb}, only:\n${actions.join("\n")}`);
    }
    return values.length === 0 ? line : line.replace(/<.*>/, values.map(shellQuote).join(" "));
  }

  /** What the agent's model was asked about this story's sessions, each wake once. */
  wakes(agent = "warden"): Wake[] {
    const seen = new Map<string, Wake>();
    for (const request of this.#requests()) {
      const { message } = request;
      if (!message.includes(`\ntmux_session_name: ${this.session(agent)}\n`)) continue;
      const wakeId = /^wake_id: (.+)$/m.exec(message)?.[1] ?? "";
      const trigger = /^\[TRIGGER\]\ntype: (.+)$/m.exec(message)?.[1] ?? "";
      if (!seen.has(wakeId)) seen.set(wakeId, { trigger, message, wakeId, request });
    }
    return [...seen.values()];
  }

  /** How often the agent was given this wake as a new message. */
  timesTold(wake: Wake): number {
    const told = this.#requests().filter((request) => request.message === wake.message);
    const last = told.at(-1);
    if (last === undefined) return 0;
    return last.texts.filter(({ role, text }) =>
      role === "user" && text.includes(`wake_id: ${wake.wakeId}`)
    ).length;
  }

  waitForWake(trigger: string, part = "", agent = "warden"): Promise<Wake> {
    return until(
      `a wake ${trigger} for ${agent}${part ? ` with "${part}"` : ""}`,
      () => this.wakes(agent).find((w) => w.trigger === trigger && w.message.includes(part)),
      { present: () => this.#present(agent) },
    );
  }

  journal(agent = "warden"): Record<string, unknown>[] {
    return [...readJournal(this.paths, this.session(agent))];
  }

  /** Waits until Claude's model is asked a prompt that holds `part`. */
  waitForPrompt(part: string) {
    return until(
      `Claude's model to be asked "${part}"`,
      () => this.claudeModel.asked().find((request) => request.prompt.includes(part)),
      { present: () => this.claudeModel.requests.map(({ kind, prompt }) => ({ kind, prompt })) },
    );
  }

  #present(agent: string): string {
    const wakes = this.wakes(agent).map((wake) => `--- the agent was told:\n${wake.message}`);
    const records = this.journal(agent).map((record) => JSON.stringify(record));
    return [...wakes, "--- the journal:", ...records].join("\n");
  }

  #requests(): AgentRequest[] {
    return this.options.shared.agentModel.requests
      .filter((request) => request.message.includes(`-${this.tag}`));
  }

  async #run(program: string, args: string[]) {
    const done = await run(program, args, { env: this.env, timeoutMs: 600_000, cwd: "/" });
    if (done.kind !== "finished") throw new Error(`${program} ${args.join(" ")}: ${done.kind}`);
    return done;
  }
}
