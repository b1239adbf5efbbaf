/** Where the night plays: six Claude Codes, two agents, two tmux servers, a small disk, the watch. */

import { allProcesses, isClaude, treeBelow } from "../../../lib/doors/process_tree.ts";
import { namesIn } from "../../../lib/files.ts";
import { ROOT } from "../../../lib/paths.ts";
import { run } from "../../../lib/process.ts";
import { shellQuote } from "../../../lib/text.ts";
import type { AgentRequest } from "../../support/agent_model.ts";
import type { Scene } from "../../support/artefacts.ts";
import { startProgram } from "../../support/child_process.ts";
import type { ModelRequest, Step } from "../../support/claude_model.ts";
import { writeExecutable } from "../../support/executable.ts";
import { attach, claudeEnv, prepareHome, type RealClaude } from "../../support/real_claude.ts";
import { claudeProgram, VERSIONS } from "../../support/real_programs.ts";
import { TmuxServer } from "../../support/tmux_server.ts";
import { pause, until } from "../../support/until.ts";
import type { SharedGateway } from "../shared_gateway.ts";
import { Stage } from "../stage.ts";
import { reactTo } from "./agent.ts";
import type { Fact, Heard, Outage } from "../../support/night_truth.ts";

/** The verdict is about a minute; this is only for a machine that is far too busy. */
export const PATIENCE_MS = 300_000;

export const AGENTS = ["warden", "forge"];

/** What the scripted API does with a session's requests. */
export type Api =
  | { kind: "works" }
  | { kind: "hangs" }
  | { kind: "overloaded" }
  | { kind: "limited"; until: number; inWords: boolean }
  | { kind: "asks" };

export class NightSession {
  api: Api = { kind: "works" };
  /** The fault that is played now, for the table. */
  fault = "none";
  claude!: RealClaude;
  /** How many answers its model has given. */
  answers = 0;
  /** Its names, the newest last. */
  readonly names: string[];
  /** What was started again counts: the watch does so three times an hour. */
  losses = 0;

  constructor(
    readonly agent: string,
    readonly name: string,
    readonly server: TmuxServer,
    /** Without the mod, and with the hooks of settings.json alone. */
    readonly isPlain: boolean,
  ) {
    this.names = [name];
  }

  get present(): string {
    return this.names.at(-1)!;
  }

  async claudePid(): Promise<number> {
    const target = `=${this.present}:`;
    const pane = await this.server.tmux("list-panes", "-t", target, "-F", "#{pane_pid}");
    const found = treeBelow(await allProcesses(), Number(pane.split("\n")[0])).find((one) =>
      isClaude(one)
    );
    if (found === undefined) throw new Error(`No Claude Code runs in ${this.present}`);
    return found.pid;
  }

  /** Takes the pane of a Claude Code that was started again. */
  async attach(): Promise<void> {
    this.claude = await attach({ server: this.server, session: this.present }, "");
  }
}

export class Night {
  readonly stage: Stage;
  readonly facts: Fact[] = [];
  readonly heard: Heard[] = [];
  readonly outages: Outage[] = [];
  readonly sessions: NightSession[] = [];
  /** What an agent or a person tried and could not do. */
  readonly refused: string[] = [];
  /** The disk of the state folder is small, and can be filled. */
  readonly hasOwnDisk: boolean;
  readonly #hanging = Promise.withResolvers<void>();
  readonly #tokens = new Map<string, NightSession>();
  readonly #seen = new Set<string>();
  #lastToken = 0;
  readonly #answered = new Map<string, string>();
  #endWatch: (() => Promise<unknown>) | undefined;

  constructor(readonly scene: Scene, readonly shared: SharedGateway) {
    this.hasOwnDisk = mountDisk(`${scene.dir}/state`);
    this.stage = new Stage(scene, { shared, version: VERSIONS.claude[0], agents: AGENTS });
    const settings = { stall_after_s: 40, resume_after_limit: true };
    const entries = AGENTS.map((agent) => ({
      agent_id: agent,
      tmux_session_name: this.stage.session(agent),
      openclaw_session_key: `agent:${agent}:main`,
      working_directory: `${scene.dir}/${agent}`,
    }));
    const registry = {
      hook_settings: settings,
      global_status_openclaw_session_key: "agent:main:main",
      agents: entries,
    };
    Deno.writeTextFileSync(this.stage.paths.registry, JSON.stringify(registry, null, 2));
    this.stage.claudeModel.answer = (request) => this.#answer(request);
    shared.agentModel.answer = (request) => this.#hear(request);
    scene.atEnd(() => this.#hanging.resolve());
    scene.keep("facts.json", () => JSON.stringify(this.facts, null, 1));
    scene.keep("heard.json", () => JSON.stringify(this.heard, null, 1));
    scene.keep("refused.txt", () => this.refused.join("\n"));
    scene.keep("outages.json", () => JSON.stringify(this.outages));
  }

  /** Three sessions an agent; the last of forge is plain, and three are on a second server. */
  async begin(): Promise<void> {
    const { scene, stage } = this;
    const second = new TmuxServer({ HOME: scene.home });
    scene.atEnd(() => second[Symbol.asyncDispose]());
    // A server runs as long as it has a session.
    await second.session("nobodys");
    const plain = `exec tmux -f /dev/null "$@"`;
    writeExecutable(
      `${scene.dir}/tmux`,
      `#!/bin/sh\ncase " $* " in *" -L "* | *" -S "*) ${plain};; esac\n[ -z "$TMUX" ] || ${plain}\n` +
        `exec tmux -L ${stage.server.socket} -f /dev/null "$@"\n`,
    );
    stage.env.GSD_CLAUDE = await this.#launcher();
    for (const [at, agent] of [...AGENTS, ...AGENTS, ...AGENTS].entries()) {
      const server = at < 4 ? stage.server : second;
      const name = at < 2 ? stage.session(agent) : `${stage.session(agent)}-${letter(at)}`;
      this.sessions.push(new NightSession(agent, name, server, at === 3));
    }
    // Before the first start: a running Claude Code writes its own list of trusted folders.
    for (const session of this.sessions) prepareHome(scene, this.folderOf(session));
    const registered = await stage.ours("register.ts");
    if (registered.code !== 0) throw new Error(`register: ${registered.stderr}`);
    const [first, ...others] = this.sessions;
    await this.#spawn(first!);
    // Two at a time, as many as there are cores.
    const queue = [...others];
    const spawner = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) await this.#spawn(next);
    };
    await Promise.all([spawner(), spawner()]);
    this.startWatch();
    const looked = () => namesIn(`${stage.paths.state}/watch`).includes("memory.json");
    await until("the first look of the watch", looked);
    for (const session of this.sessions) await this.settled(session);
  }

  folderOf({ name, isPlain }: NightSession): string {
    return `${this.scene.dir}/work/${name}${isPlain ? "-plain" : ""}`;
  }

  /** The real Claude Code with our model behind it; a plain one gets neither mod nor settings. */
  async #launcher(): Promise<string> {
    const path = `${this.scene.dir}/claude`;
    const env = { ...claudeEnv(this.stage.claudeModel.url), CLAUDE_CODE_MAX_RETRIES: "10" };
    const set = Object.entries(env).map(([name, value]) => `${name}=${shellQuote(value)}`);
    const strip = 'n=$#; while [ "$n" -gt 0 ]; do word=$1; shift; n=$((n - 1)); case $word in ' +
      '--plugin-dir | --settings) shift; n=$((n - 1));; *) set -- "$@" "$word";; esac; done';
    const program = shellQuote(await claudeProgram(VERSIONS.claude[0]));
    // The shell stays above a plain one: spawn looks for its own words among the processes.
    const script = `export ${set.join(" ")}\n` +
      `case $PWD in *-plain) ${strip}; ${program} "$@"; exit;; esac\nexec ${program} "$@"\n`;
    writeExecutable(path, `#!/bin/sh\n${script}`);
    return path;
  }

  async #spawn(session: NightSession): Promise<void> {
    const { stage } = this;
    // Who spawns from a pane spawns on the server of that pane.
    const inside: Record<string, string> = session.server === stage.server
      ? {}
      : { TMUX: `/tmp/tmux-${Deno.uid()}/${session.server.socket},0,0` };
    const words = [session.agent, this.folderOf(session), this.words(session, "Begin")];
    const name = session.name === stage.session(session.agent) ? [] : ["--name", session.name];
    const script = `${ROOT}/commands/spawn.ts`;
    const args = ["run", "-A", "--quiet", script, ...words, ...name, "--timeout", "300"];
    const env = { ...stage.env, ...inside };
    const done = await run(Deno.execPath(), args, { env, timeoutMs: 600_000, cwd: "/" });
    if (done.kind !== "finished" || done.code !== 0) {
      throw new Error(`spawn ${session.name}: ${JSON.stringify(done)}`);
    }
    await session.attach();
  }

  /** A prompt with a token of its own, by which its session is known again. */
  words(session: NightSession, text: string): string {
    const token = `N${++this.#lastToken}N`;
    this.#tokens.set(token, session);
    return `${text}, ${token}`;
  }

  fact(session: NightSession, triggers: readonly string[], more: Partial<Fact> = {}): void {
    const { name, fault } = session;
    this.facts.push({ fault, session: name, at: Date.now(), triggers, ...more });
  }

  /** The scripted API: what it answers is what has happened. */
  #answer({ kind, texts, prompt, toolResults }: ModelRequest): Step | undefined {
    if (kind !== "main") return undefined;
    const token = [...texts.join("\n").matchAll(/\bN\d+N\b/g)].at(-1)?.[0] ?? "";
    const session = this.#tokens.get(token);
    if (session === undefined) return undefined;
    switch (session.api.kind) {
      case "hangs":
        return { say: "Too late.", hold: this.#hanging.promise };
      case "overloaded":
        return { error: { status: 529, type: "overloaded_error" } };
      case "limited": {
        const { until, inWords } = session.api;
        if (Date.now() >= until) break;
        this.fact(session, ["response_failed"]);
        const reset = String(Math.ceil(until / 1000));
        const message = inWords ? `Claude AI usage limit reached|${reset}` : "Too many requests";
        const headers = { "x-should-retry": "false", "anthropic-ratelimit-unified-reset": reset };
        return { error: { status: 429, type: "rate_limit_error", message, headers } };
      }
      case "asks":
        if (toolResults.length > 0) break;
        // Claude Code's own reminder has the dialog, too: where the first hook was killed, it is enough.
        this.fact(session, ["ask_user_question", "permission_prompt"], { part: token });
        return { say: [{ tool: "AskUserQuestion", input: question(token) }] };
    }
    // On a busy machine Claude Code may ask once more: then the first answer has not come.
    const asked = `${session.name} ${token} ${texts.length}`;
    const known = this.#answered.get(asked);
    const answer = known ?? `A${this.#answered.size + 1}A`;
    this.#answered.set(asked, answer);
    if (known === undefined) {
      session.answers++;
      this.fact(session, ["response_complete"], { part: answer });
    }
    return { say: `${answer} is the answer to ${prompt.slice(-40)}` };
  }

  /** An agent's model was asked: notes the wakes that are new to it, and lets the agent react. */
  #hear({ texts }: AgentRequest): undefined {
    const wakes = texts.filter(({ role }) => role === "user")
      .flatMap(({ text }) => text.split(/(?=^\[SESSION IDENTITY\]$)/m));
    for (const message of wakes) {
      const field = (name: string) => new RegExp(`^${name}: (.+)$`, "m").exec(message)?.[1] ?? "";
      const wakeId = field("wake_id");
      if (wakeId === "" || this.#seen.has(wakeId)) continue;
      const tmux = field("tmux_session_name");
      const session = this.sessions.find(({ names }) => names.includes(tmux));
      if (!tmux.includes(`-${this.stage.tag}`)) continue;
      this.#seen.add(wakeId);
      const trigger = /^\[TRIGGER\]\ntype: (.+)$/m.exec(message)?.[1] ?? "";
      const agent = field("agent_id");
      const heard = { at: Date.now(), wakeId, agent, session: session?.name ?? "", trigger };
      const load = Deno.loadavg()[0]! / navigator.hardwareConcurrency;
      this.heard.push({ ...heard, message, load });
      if (session !== undefined) void reactTo(this, session, trigger, message);
    }
    return undefined;
  }

  /** How often each wake was given to an agent as a new message, where that is not once. */
  doubled(): string[] {
    const last = new Map<string, AgentRequest>();
    for (const request of this.shared.agentModel.requests) last.set(request.agent, request);
    return Array.from(last.values()).flatMap(({ agent, texts }) => {
      const said = texts.filter(({ role }) => role === "user").map(({ text }) => text).join("\n");
      return this.heard.flatMap(({ wakeId }) => {
        const times = said.split(`wake_id: ${wakeId}\n`).length - 1;
        return times > 1 ? [`${agent} was given ${wakeId} ${times} times`] : [];
      });
    });
  }

  /** Nothing of this session is still to be told. */
  isKnown({ name }: NightSession): boolean {
    const facts = this.facts.filter((fact) => fact.session === name && !fact.isOptional);
    return facts.every(({ at, triggers, part = "" }) =>
      this.heard.some((wake) =>
        wake.session === name && triggers.includes(wake.trigger) && wake.at >= at - 3000 &&
        wake.message.includes(part)
      )
    );
  }

  settled(session: NightSession): Promise<true> {
    return until(`somebody to know all of ${session.name}`, () => this.isKnown(session), {
      timeoutMs: PATIENCE_MS,
      present: () => this.facts.filter((fact) => fact.session === session.name).slice(-3),
    });
  }

  /** The session has got a new answer from its model since there were `before`. */
  async goesOn(session: NightSession, before: number): Promise<void> {
    const hasGoneOn = () => session.answers > before;
    await until(`${session.name} to go on`, hasGoneOn, {
      timeoutMs: PATIENCE_MS,
      present: () => session.claude.capture(),
    });
    await this.settled(session);
  }

  startWatch(): void {
    const words = [`${this.stage.paths.data}/bin/gsd-code`, "watch"];
    const { child, done } = startProgram(words, this.stage.env);
    const log = `${this.scene.dir}/watch.log`;
    void done.then(({ code, stdout, stderr }) => {
      const text = `ended with ${code}\n${stdout}${stderr}\n`;
      try {
        Deno.writeTextFileSync(log, text, { append: true });
      } catch {
        // The folder of the story is gone.
      }
    });
    this.#endWatch = async () => {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended.
      }
      await done;
    };
    this.scene.atEnd(() => this.#endWatch?.());
  }

  /** As systemd does it: dead, and there again after its pause. */
  async restartWatch(): Promise<void> {
    await this.#endWatch?.();
    await pause(5000);
    this.startWatch();
  }

  /** The small disk is filled to its last byte; what undoes it. */
  fillDisk(): () => void {
    const filler = `${this.scene.dir}/state/.filler`;
    const file = Deno.openSync(filler, { write: true, create: true });
    try {
      for (let size = 1 << 20; size >= 1;) {
        try {
          if (file.writeSync(new Uint8Array(size)) < size) size >>= 1;
        } catch {
          size >>= 1;
        }
      }
    } finally {
      file.close();
    }
    return () => Deno.removeSync(filler);
  }

  /** Kills the hooks of a session's Claude Code as long as `lasts` has not settled. */
  async killHooks({ claude }: NightSession, lasts: Promise<unknown>): Promise<number> {
    let isOver = false;
    let killed = 0;
    lasts.finally(() => isOver = true);
    while (!isOver) {
      for (const { pid, args } of await allProcesses()) {
        if (!args.some((arg) => /\/hooks\/\w+\.ts$/.test(arg))) continue;
        try {
          const environ = Deno.readTextFileSync(`/proc/${pid}/environ`);
          const isOurs = environ.includes(`${this.scene.dir}/`) &&
            environ.includes(`TMUX_PANE=${claude.pane}\0`);
          if (!isOurs) continue;
          Deno.kill(pid, "SIGKILL");
          killed++;
        } catch {
          // It has just ended.
        }
      }
      await pause(20);
    }
    return killed;
  }
}

const MEGABYTES = 24;

/** A file system of its own, where that is allowed. */
function mountDisk(dir: string): boolean {
  Deno.mkdirSync(dir, { recursive: true });
  try {
    const words = ["-t", "tmpfs", "-o", `size=${MEGABYTES}m,mode=0700`, "gsd-night", dir];
    return new Deno.Command("mount", { args: words, stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

function letter(at: number): string {
  return "abcdef"[at]!;
}

function question(token: string): Record<string, unknown> {
  const options = [{ label: "SQLite", description: "a file" }, {
    label: "Postgres",
    description: "a server",
  }];
  const asked = `Which database, ${token}?`;
  return { questions: [{ question: asked, header: "Database", multiSelect: false, options }] };
}
