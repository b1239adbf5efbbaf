/** Claude Code with our hooks and the menu driver's launcher, without OpenClaw: wakes go to files. */

import { namesIn } from "../../lib/files.ts";
import { listPending, type Pending } from "../../lib/answers.ts";
import { readScreen } from "../../lib/pane.ts";
import { run } from "../../lib/process.ts";
import { readJournal } from "../../lib/journal_read.ts";
import { type Paths, pathsFrom } from "../../lib/paths.ts";
import type { Scene } from "../support/artefacts.ts";
import { TestHome } from "../support/home.ts";
import { ClaudeModel } from "../support/claude_model.ts";
import { type RealClaude, startClaude } from "../support/real_claude.ts";
import type { ClaudeVersion } from "../support/real_programs.ts";
import { TmuxServer } from "../support/tmux_server.ts";
import { until } from "../support/until.ts";
import { SCENARIOS, writePlan } from "./answers_scenarios.ts";

const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
const RECORDER = new URL("../support/recording_hook.ts", import.meta.url).pathname;

export interface AnswersOptions {
  version: ClaudeVersion;
  hookSettings?: Record<string, unknown>;
  /** Without it every answer goes to the screen, with keys. */
  hookRoad: boolean;
  args?: string[];
  /** What runs at UserPromptSubmit instead of the recording hook. */
  onPrompt?: string;
  /** A program to run instead of the version's own. */
  program?: string;
}

export class AnswersStage {
  readonly server: TmuxServer;
  readonly model: ClaudeModel;
  readonly paths: Paths;
  readonly session = "warden-main";
  readonly env: Record<string, string>;
  readonly #payloads: string;

  constructor(readonly scene: Scene, readonly options: AnswersOptions) {
    this.server = TmuxServer.in(scene);
    this.model = new ClaudeModel({ scenarios: SCENARIOS, answer: writePlan });
    scene.atEnd(() => this.model.stop());
    this.#payloads = `${scene.dir}/payloads`;
    Deno.mkdirSync(this.#payloads);
    this.env = {
      ...new TestHome(scene).env,
      GSD_TMUX: `${scene.dir}/tmux`,
    };
    this.paths = pathsFrom((name) => this.env[name], ROOT);
    const agent = {
      agent_id: "warden",
      tmux_session_name: this.session,
      delivery: { transport: "inbox" },
      hook_settings: { answer_permissions: true, ...options.hookSettings },
    };
    Deno.writeTextFileSync(this.paths.registry, JSON.stringify({ agents: [agent] }));
  }

  async start(): Promise<RealClaude> {
    const printed = await this.deno("register.ts", "--print");
    if (printed.code !== 0) throw new Error(`register --print failed: ${printed.stderr}`);
    const hooks: Record<string, unknown[]> = JSON.parse(printed.stdout).hooks;
    if (!this.options.hookRoad) delete hooks.PermissionRequest;
    const command = `${Deno.execPath()} run -A --no-config ${RECORDER} ${this.#payloads}`;
    const recorders = { PostToolUse: command, UserPromptSubmit: this.options.onPrompt ?? command };
    for (const [event, command] of Object.entries(recorders)) {
      hooks[event] = [...hooks[event] ?? [], { hooks: [{ type: "command", command }] }];
    }
    return await startClaude({
      scene: this.scene,
      server: this.server,
      modelUrl: this.model.url,
      session: this.session,
      version: this.options.version,
      program: this.options.program,
      settings: { hooks },
      env: this.env,
      args: ["--permission-mode", "default", ...this.options.args ?? []],
    });
  }

  /** Has Claude ask, and waits until the dialog is there and, where one comes, the hook beside it. */
  async ask(claude: RealClaude, scenario: string): Promise<Pending | undefined> {
    const before = new Set(listPending(this.paths, this.session).map((one) => one.pid));
    // Looked for at once: with a short time limit the hook may leave before the dialog is drawn.
    const [pending] = await Promise.all([
      this.options.hookRoad ? this.newPending(before) : undefined,
      claude.submit(`SCENARIO:${scenario}`).then(() =>
        claude.waitForScreen("a dialog", (screen) => readScreen(screen).dialog !== undefined)
      ),
    ]);
    return pending;
  }

  newPending(before: Set<number>): Promise<Pending> {
    return until(
      "a hook that waits",
      () => listPending(this.paths, this.session).find((one) => !before.has(one.pid)),
      {
        present: () => this.journal(),
      },
    );
  }

  /** As the agent calls it: the launcher, with its narrow permissions. */
  drive(...args: string[]) {
    return this.#run(`${this.paths.data}/bin/menu-driver`, args);
  }

  async must(...args: string[]): Promise<string> {
    const done = await this.drive(...args);
    if (done.code !== 0) throw new Error(`menu-driver ${args.join(" ")}: ${done.stderr}`);
    return done.stdout;
  }

  /** Answers as the wake's own lines do: with the id and the secret, where a hook waits. */
  async reply(pending: Pending | undefined, ...args: string[]): Promise<string> {
    const named = pending === undefined ? [] : ["--question", await this.nameOf(pending.id)];
    return await this.must(...named, this.session, ...args);
  }

  /** What the wake has behind --question for this id. */
  nameOf(id: string): Promise<string> {
    const named = new RegExp(`--question (${id}\\.\\S+)`);
    return until(
      `the wake of ${id}`,
      () => this.wakes().map((wake) => named.exec(wake)?.[1]).find((name) => name !== undefined),
    );
  }

  deno(file: string, ...args: string[]) {
    return this.#run(Deno.execPath(), ["run", "-A", "--quiet", `${ROOT}/${file}`, ...args]);
  }

  async #run(program: string, args: string[]) {
    const done = await run(program, args, { env: this.env, timeoutMs: 120_000 });
    if (done.kind !== "finished") throw new Error(`${program} ${args.join(" ")}: ${done.kind}`);
    return done;
  }

  /** The payloads of an event, oldest first. */
  payloads(event: string): Record<string, unknown>[] {
    return Array.from(Deno.readDirSync(this.#payloads), ({ name }) => name)
      .filter((name) => name.includes(`-${event}-`) && !name.startsWith(".")).sort()
      .map((name) => JSON.parse(Deno.readTextFileSync(`${this.#payloads}/${name}`)));
  }

  /** When they came, in milliseconds since 1970. */
  arrivals(event: string): number[] {
    return Array.from(Deno.readDirSync(this.#payloads), ({ name }) => name)
      .filter((name) => name.includes(`-${event}-`) && !name.startsWith(".")).sort()
      .map((name) => Number(name.split("-")[0]));
  }

  /** The payload that comes after those counted before. */
  next(event: string, before: number): Promise<Record<string, unknown>> {
    return until(`a ${event} payload`, () => this.payloads(event)[before], {
      present: () => this.server.capture(this.session),
    });
  }

  journal(): Record<string, unknown>[] {
    return Array.from(readJournal(this.paths, this.session));
  }

  /** The messages that the agent got. */
  wakes(): string[] {
    const dir = `${this.paths.state}/inbox/warden`;
    // One that is just being written has another name.
    return namesIn(dir).filter((name) => name.endsWith(".txt"))
      .map((name) => Deno.readTextFileSync(`${dir}/${name}`));
  }
}
