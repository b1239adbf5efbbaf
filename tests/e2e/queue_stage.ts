/** Two sessions with queues on the real Claude Code, and what kills the parts that work them off. */

import { listRoads } from "../../lib/companion/road_file.ts";
import { allProcesses, treeBelow } from "../../lib/doors/process_tree.ts";
import { namesIn, readTextIfThere } from "../../lib/files.ts";
import { readJournal } from "../../lib/journal_read.ts";
import { isObject } from "../../lib/json.ts";
import { type Paths, pathsFrom, ROOT } from "../../lib/paths.ts";
import { run } from "../../lib/process.ts";
import type { Queue } from "../../lib/steps.ts";
import { readQueue } from "../../lib/steps_file.ts";
import { shellQuote } from "../../lib/text.ts";
import { isPrompt, textIn } from "../../lib/transcript.ts";
import type { Scene } from "../support/artefacts.ts";
import { ClaudeModel, type ModelRequest, type Step } from "../support/claude_model.ts";
import { writeExecutable } from "../support/executable.ts";
import { TestHome } from "../support/home.ts";
import {
  attach,
  claudeEnv,
  draftIn,
  prepareHome,
  type RealClaude,
} from "../support/real_claude.ts";
import { claudeProgram, type ClaudeVersion } from "../support/real_programs.ts";
import { TmuxServer } from "../support/tmux_server.ts";
import { pause, until } from "../support/until.ts";
import { DATABASE } from "./answers_scenarios.ts";

export const AGENTS = ["warden", "scout"] as const;
export type AgentName = typeof AGENTS[number];

/** The step of a request, by its words. */
const STEP = /^step [ws]-\d+\b/m;

export class QueueStage {
  readonly server: TmuxServer;
  readonly model: ClaudeModel;
  readonly env: Record<string, string>;
  readonly paths: Paths;
  /** What has failed once already. */
  readonly #failed = new Set<string>();
  #watch: Deno.ChildProcess | undefined;
  readonly #permits = new Map<string, PromiseWithResolvers<void>>();
  /** Before Claude Code's program, in the script that starts it. */
  script = "";
  /** What the model says to a prompt, before all else. */
  extra: (request: ModelRequest) => Step | undefined = () => undefined;
  /** From this step on the model answers only what `permit()` names. */
  heldFrom = Infinity;

  constructor(readonly scene: Scene, readonly version: ClaudeVersion) {
    this.server = TmuxServer.in(scene);
    this.model = new ClaudeModel({ answer: (request) => this.#answer(request) });
    scene.atEnd(() => this.model.stop());
    scene.atEnd(() => this.#endWatch("SIGKILL"));
    this.env = {
      ...new TestHome(scene).env,
      GSD_TMUX: `${scene.dir}/tmux`,
      GSD_CLAUDE: `${scene.dir}/claude`,
    };
    this.paths = pathsFrom((name) => this.env[name], ROOT);
    this.writeRegistry({});
    for (const agent of AGENTS) prepareHome(scene, `${scene.dir}/${agent}`);
    scene.keep(
      "queues.json",
      () => JSON.stringify(AGENTS.map((agent) => this.queue(agent)), null, 1),
    );
  }

  writeRegistry(hook_settings: Record<string, unknown>): void {
    const delivery = { transport: "inbox" };
    const agents = AGENTS.map((agent) => ({
      agent_id: agent,
      tmux_session_name: `${agent}-main`,
      working_directory: `${this.scene.dir}/${agent}`,
      hook_settings,
      delivery,
    }));
    Deno.writeTextFileSync(this.paths.registry, JSON.stringify({ delivery, agents }));
  }

  #answer(request: ModelRequest): Step | undefined {
    const { prompt, toolResults, texts } = request;
    if (request.kind !== "main") return undefined;
    const extra = this.extra(request);
    if (extra !== undefined) return extra;
    const own = STEP.exec(prompt)?.[0] ?? "";
    if (/\bASK\b/.test(prompt) && toolResults.length === 0) {
      return { say: [{ tool: "AskUserQuestion", input: { questions: [DATABASE] } }] };
    }
    if (/\bLIMIT\b/.test(prompt) && !this.#failed.has(own)) {
      // Claude Code tries it twice.
      if (this.model.asked().filter((one) => one.prompt === prompt).length > 1) {
        this.#failed.add(own);
      }
      const message = "This request would exceed your rate limit. Try again in 3s";
      return { error: { status: 429, type: "rate_limit_error", message } };
    }
    const earlier = texts.map((text) => STEP.exec(text)?.[0]).findLast((one) => one !== undefined);
    const isHeld = Number(/\d+/.exec(own)?.[0] ?? 0) >= this.heldFrom;
    const hold = isHeld ? { hold: this.#permitOf(own).promise } : {};
    return { say: `Done: ${own || earlier || prompt.slice(0, 60)}`, ...hold };
  }

  #permitOf(step: string): PromiseWithResolvers<void> {
    const permit = this.#permits.get(step) ?? Promise.withResolvers<void>();
    this.#permits.set(step, permit);
    return permit;
  }

  /** Lets the model answer a step. */
  permit(agent: AgentName, n: number): void {
    this.#permitOf(`step ${agent[0]}-${n}`).resolve();
  }

  async start(agent: AgentName): Promise<RealClaude> {
    const set = Object.entries(claudeEnv(this.model.url))
      .map(([name, value]) => `${name}=${shellQuote(value)}`).join(" ");
    const program = await claudeProgram(this.version);
    const lines = ["#!/bin/sh", `export ${set}`, `program=${shellQuote(program)}`, this.script];
    writeExecutable(this.env.GSD_CLAUDE!, `${lines.join("\n")}\nexec "$program" "$@"\n`);
    await this.must("spawn", agent, `${this.scene.dir}/${agent}`, "--timeout", "300");
    return await this.attach(agent);
  }

  attach(agent: AgentName): Promise<RealClaude> {
    return attach({ server: this.server, session: `${agent}-main` }, "");
  }

  async ours(name: string, ...args: string[]) {
    const file = `commands/${name.replace("-", "_")}.ts`;
    const words = ["run", "-A", "--quiet", `${ROOT}/${file}`, ...args];
    const done = await run(Deno.execPath(), words, {
      ...{ env: this.env, timeoutMs: 600_000, cwd: "/" },
    });
    if (done.kind !== "finished") throw new Error(`${name} ${args.join(" ")}: ${done.kind}`);
    return done;
  }

  async must(name: string, ...args: string[]): Promise<string> {
    const done = await this.ours(name, ...args);
    if (done.code !== 0) throw new Error(`${name} ${args.join(" ")}: ${done.stderr}`);
    return done.stdout;
  }

  /** By a launcher of the installation. */
  async launched(name: string, ...args: string[]): Promise<string> {
    const program = `${this.paths.data}/bin/${name}`;
    const done = await run(program, args, { env: this.env, timeoutMs: 120_000, cwd: "/" });
    if (done.kind !== "finished" || done.code !== 0) {
      throw new Error(`${name} ${args.join(" ")}: ${JSON.stringify(done)}`);
    }
    return done.stdout;
  }

  /** As a command that Claude runs in its own pane. */
  async calledInside({ pane }: RealClaude, ...args: string[]) {
    const server = await this.server.tmux("display-message", "-p", "#{socket_path},#{pid},0");
    const env = { ...this.env, TMUX: server.trim(), TMUX_PANE: pane };
    const program = `${this.paths.data}/bin/gsd-code`;
    const done = await run(program, args, { env, timeoutMs: 120_000, cwd: "/" });
    if (done.kind !== "finished") throw new Error(`${args.join(" ")}: ${done.kind}`);
    return done;
  }

  /** As its agent would: the line of a wake. */
  async act(wake: string, part: RegExp, value = ""): Promise<string> {
    const offered = wake.split("\n").find((one) => part.test(one) && one.startsWith("/"));
    if (offered === undefined) throw new Error(`The wake has no line ${part}:\n${wake}`);
    const line = offered.replace(/<[a-z]+>/, shellQuote(value));
    const done = await run("/bin/sh", ["-c", line], { env: this.env, timeoutMs: 120_000 });
    if (done.kind !== "finished" || done.code !== 0) {
      throw new Error(`${line}: ${JSON.stringify(done)}`);
    }
    return done.stdout;
  }

  queue(agent: AgentName): Queue | undefined {
    return readQueue(this.paths, `${agent}-main`);
  }

  journal(agent: AgentName): Record<string, unknown>[] {
    return [...readJournal(this.paths, `${agent}-main`)];
  }

  wakes(agent: AgentName): string[] {
    const inbox = `${this.paths.state}/inbox/${agent}`;
    return namesIn(inbox).filter((name) => name.endsWith(".txt"))
      .map((name) => Deno.readTextFileSync(`${inbox}/${name}`));
  }

  wake(agent: AgentName, trigger: string, part = "", timeoutMs?: number): Promise<string> {
    return until(
      `a wake ${trigger} of ${agent} with "${part}"`,
      () =>
        this.wakes(agent).find((one) => one.includes(`type: ${trigger}\n`) && one.includes(part)),
      { present: () => this.present(agent), ...(timeoutMs === undefined ? {} : { timeoutMs }) },
    );
  }

  present(agent: AgentName): string {
    return [
      JSON.stringify(this.queue(agent), null, 1),
      ...this.journal(agent).slice(-25).map((line) => JSON.stringify(line)),
    ].join("\n");
  }

  triggers(agent: AgentName): string[] {
    return this.wakes(agent).map((wake) => /^type: (.+)$/m.exec(wake)?.[1] ?? "");
  }

  /** The steps as Claude Code's own transcripts have them, in the order of their time. */
  carriedOut(agent: AgentName, { isWithLocal = false } = {}): string[] {
    const letter = agent[0]!;
    const seen = new Map<string, { at: string; text: string }>();
    const projects = `${this.scene.home}/.claude/projects`;
    for (const folder of namesIn(projects)) {
      for (const file of namesIn(`${projects}/${folder}`)) {
        const path = `${projects}/${folder}/${file}`;
        if (!file.endsWith(".jsonl")) continue;
        for (const line of (readTextIfThere(path) ?? "").split("\n")) {
          const value = parsed(line);
          const isLocal = isWithLocal && value?.subtype === "local_command";
          if (value?.type !== "user" && !isLocal) continue;
          const message = isObject(value?.message) ? value.message : { content: value?.content };
          if (value === undefined || !isPrompt(value, message)) continue;
          const text = textIn(message.content).trim();
          const command = /<command-name>\/(\w+)<\/command-name>/.exec(text)?.[1];
          if (!text.startsWith(`step ${letter}-`) && command === undefined) continue;
          if (command !== undefined && !String(value.cwd).endsWith(`/${agent}`)) continue;
          const shown = command === undefined ? text : `/${command}`;
          seen.set(String(value.uuid), { at: String(value.timestamp), text: shown });
        }
      }
    }
    return [...seen.values()].sort((a, b) => a.at < b.at ? -1 : 1).map(({ text }) => text);
  }

  begun(agent: AgentName, n: number): Promise<unknown> {
    return until(
      `step ${n} of ${agent} to begin`,
      () =>
        this.journal(agent).some((line) =>
          line.kind === "step" && line.step === n &&
          (line.status === "begun" || line.status === "done")
        ),
      { present: () => this.present(agent) },
    );
  }

  /** Kills the next process of ours whose command has this text. Its number. */
  async killNext(part: string, delayMs = 0): Promise<number> {
    return await until(`a process of ${part}`, async () => {
      const pid = processesOf(part)[0];
      if (pid === undefined) return undefined;
      await pause(delayMs);
      return kill(pid) ? pid : undefined;
    }, { everyMs: 4 });
  }

  runner(agent: AgentName): number | undefined {
    const pid = Number(readTextIfThere(`${this.paths.state}/locks/queue-run-${agent}-main`));
    return pid > 0 && processesOf("commands/queue.ts").includes(pid) ? pid : undefined;
  }

  /** Kills the process that works a queue off. */
  async killRunner(agent: AgentName, delayMs = 0): Promise<number> {
    return await until(`a runner of ${agent}`, async () => {
      const pid = this.runner(agent);
      if (pid === undefined) return undefined;
      await pause(delayMs);
      return kill(pid) ? pid : undefined;
    }, { everyMs: 4, present: () => this.present(agent) });
  }

  companion(agent: AgentName): number | undefined {
    return listRoads(this.paths).find(({ session }) => session === `${agent}-main`)?.pid;
  }

  async killCompanion(agent: AgentName): Promise<void> {
    await until(`a companion of ${agent}`, () => {
      const pid = this.companion(agent);
      return pid !== undefined && kill(pid);
    });
  }

  startWatch(): void {
    const words = ["run", "-A", "--quiet", `${ROOT}/commands/watch.ts`];
    this.#watch = new Deno.Command(Deno.execPath(), {
      args: words,
      ...{ env: this.env, clearEnv: true, cwd: "/", stdout: "null", stderr: "null" },
    }).spawn();
  }

  async killWatch(): Promise<void> {
    await this.#endWatch("SIGKILL");
  }

  async #endWatch(signal: Deno.Signal): Promise<void> {
    try {
      this.#watch?.kill(signal);
      await this.#watch?.status;
    } catch {
      // It has ended.
    }
    this.#watch = undefined;
  }

  /** A call that the mod uses is not in what Claude Code's check lists: it runs without the mod. */
  withoutMod(): void {
    this.script = `case "$*" in
  "plugin validate"*) "$program" "$@" | sed 's/\\$\\.turn\\.abort/$.turn.ended/g'; exit ;;
esac`;
  }

  /** Types into the box without Enter. */
  async draft(claude: RealClaude, text: string): Promise<void> {
    await claude.keys("-l", text);
    await claude.waitForScreen("the draft", (screen) => draftIn(screen) === text);
  }

  /** As a machine that goes down: nothing has time to say a word. */
  async killServer(): Promise<void> {
    const panes = await this.server.tmux("list-panes", "-a", "-F", "#{pane_pid}");
    const all = await allProcesses();
    const below = panes.trim().split("\n").flatMap((pid) => treeBelow(all, Number(pid)));
    const server = Number(await this.server.tmux("display-message", "-p", "#{pid}"));
    for (const pid of [server, ...below.map((process) => process.pid)]) kill(pid);
    await until("the server's end", async () => (await this.server.sessions()).length === 0);
  }
}

function kill(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

/** Deno processes of this project: others may run the same test elsewhere. */
function processesOf(part: string): number[] {
  return namesIn("/proc").filter((name) => /^\d+$/.test(name)).filter((pid) => {
    try {
      const words = Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0");
      return words[0]!.endsWith("deno") && words.some((word) => word.endsWith(`${ROOT}/${part}`));
    } catch {
      return false;
    }
  }).map(Number);
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
