/** Where the demo plays: the real hooks and launchers, around a screen in a tmux server of its own. */

import { allProcesses } from "../doors/process_tree.ts";
import { namesIn } from "../files.ts";
import { writeInstallation } from "../install/install_file.ts";
import { installLaunchers } from "../install/launchers.ts";
import { ROOT } from "../paths.ts";
import { run } from "../process.ts";
import { TIME_IS_UP, within } from "../time.ts";
import { whyFailed } from "./child_process.ts";
import type { DemoScene } from "./demo_scenes.ts";
import { HookStage, stageVariables } from "./hook_stage.ts";
import { PrivateTmux } from "./private_tmux.ts";
import { until } from "./until.ts";

/** A busy machine may need this long for what takes milliseconds. */
const PATIENCE_MS = 60_000;

const SESSION = "warden-main";

const SOURCES: Record<string, string> = {
  event: "the event itself",
  transcript: "the transcript",
  pane: "the screen",
  none: "nowhere",
};

/** The stage with a registry of one agent, which reads its wakes in an inbox. */
export class DemoStage extends HookStage {
  constructor(dir: string, tmux: string) {
    const folder = Deno.env.get("TMUX_TMPDIR");
    const variables = folder === undefined ? undefined : { TMUX_TMPDIR: folder };
    const server = { program: tmux, socket: `gsd-demo-${Deno.pid}`, variables, folder: dir };
    super(dir, new PrivateTmux(server), { ...stageVariables(dir), GSD_TMUX: tmux });
  }

  async set(): Promise<void> {
    await Deno.mkdir(`${this.dir}/home`);
    const registry = {
      delivery: { transport: "inbox" },
      agents: [{ agent_id: "warden", tmux_session_name: SESSION }],
    };
    await Deno.writeTextFile(`${this.dir}/registry.json`, JSON.stringify(registry));
    const install = this.installation((name) => this.env()[name]);
    writeInstallation(install);
    installLaunchers(install);
    await this.warmUp();
  }

  /** Deno reads a file of ours for the first time only once: that is not what a hook costs. */
  private async warmUp(): Promise<void> {
    const files = ["hooks", "lib"].flatMap((folder) =>
      namesIn(`${ROOT}/${folder}`).filter((name) => name.endsWith(".ts"))
        .map((name) => `import ${JSON.stringify(`file://${ROOT}/${folder}/${name}`)};`)
    );
    const script = `${this.dir}/warm.ts`;
    await Deno.writeTextFile(script, files.join("\n"));
    for (let i = 0; i < 2; i++) await this.deno(script);
  }

  /** Runs one hook as Claude Code in that pane would; the wake that arrived, and how it went. */
  async play({ hook, event, screen }: DemoScene) {
    await this.show(screen);
    const started = performance.now();
    const { ms: hookMs } = await this.silently(hook, event);
    const message = await this.nextWake();
    const wakeMs = performance.now() - started;
    return { message, hookMs, wakeMs, source: await this.source() };
  }

  /** Lets the agent answer while the hook waits beside the dialog; what Claude Code gets. */
  async answer({ words, hook, event, screen }: NonNullable<DemoScene["answer"]>) {
    let started = 0;
    // Claude Code would take the dialog away on the hook's reply, and the driver looks for that.
    const waiting = this.silently(hook, event).then(async ({ stdout: reply }) => {
      const ms = performance.now() - started;
      await this.show(screen);
      return { reply, ms };
    });
    waiting.catch(() => {}); // thrown where it is awaited: Ctrl-C ends the hook, too
    const pending = `${this.dir}/state/pending/${SESSION}`;
    const isOpen = () => namesIn(pending).some((name) => name.endsWith(".json"));
    await Promise.race([until("the hook beside the dialog", isOpen), waiting]);
    started = performance.now();
    const socket = await this.server.tmux("display-message", "-p", "#{socket_path}");
    const all = ["--socket", socket, ...words];
    const driver = `${this.dir}/data/bin/menu-driver`;
    const outcome = await run(driver, all, { env: this.env(), timeoutMs: PATIENCE_MS });
    if (outcome.kind !== "finished" || outcome.code !== 0) {
      throw new Error(`menu-driver ${words.join(" ")} failed: ${whyFailed(outcome)}`);
    }
    return await waiting;
  }

  async bareDenoMs(): Promise<number> {
    const script = `${this.dir}/empty.ts`;
    await Deno.writeTextFile(script, "export {};\n");
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      const started = performance.now();
      await this.deno(script);
      times.push(performance.now() - started);
    }
    return times.sort((a, b) => a - b)[2]!;
  }

  async clear(): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    // The deliverer of the last wake may still be writing, and would make the folder again.
    const isOver = async () =>
      !(await allProcesses()).some(({ args }) => args.some((arg) => arg.includes(this.dir)));
    await until("the end of the last deliverer", isOver);
    await Deno.remove(this.dir, { recursive: true });
  }

  private async show(screen: string): Promise<void> {
    await this.server.show(await this.pane(SESSION), screen);
  }

  private async silently(file: string, event: DemoScene["event"]) {
    const stop = new AbortController();
    const ended = await within(this.hook(file, event, { signal: stop.signal }), PATIENCE_MS);
    if (ended === TIME_IS_UP) stop.abort();
    if (ended !== TIME_IS_UP && ended.code === 0 && ended.stderr === "") return ended;
    const why = ended === TIME_IS_UP
      ? `no end in ${PATIENCE_MS} ms`
      : whyFailed({ kind: "finished", ...ended });
    throw new Error(`hooks/${file} did not end silently: ${why}`);
  }

  private deno(script: string) {
    const args = ["run", "--no-config", "--quiet", script];
    return run(Deno.execPath(), args, { env: this.env(), timeoutMs: PATIENCE_MS });
  }

  private async nextWake(): Promise<string> {
    const inbox = `${this.dir}/state/inbox/warden`;
    const arrived = () => namesIn(inbox).filter((name) => name.endsWith(".txt"));
    await until("a wake", () => arrived().length > 0, { everyMs: 10 });
    const file = `${inbox}/${arrived()[0]}`;
    const message = await Deno.readTextFile(file);
    await Deno.remove(file);
    return message;
  }

  private async source(): Promise<string> {
    const journal = await Deno.readTextFile(`${this.dir}/state/journal/${SESSION}.jsonl`);
    const queued = journal.trim().split("\n").map((line) => JSON.parse(line))
      .findLast((entry) => entry.kind === "queued");
    return SOURCES[queued?.source] ?? "unknown";
  }
}
