/** Where the demo plays: the real hooks and launchers, around a screen in a tmux server of its own. */

import { namesIn } from "../files.ts";
import { hookCommand } from "../install/hook_command.ts";
import { HOOKS } from "../install/hook_list.ts";
import { writeInstallation } from "../install/install_file.ts";
import { launcherPlaces } from "../install/installation.ts";
import { installLaunchers } from "../install/launchers.ts";
import { pathsFrom } from "../paths.ts";
import { run } from "../process.ts";
import { allProcesses } from "../doors/process_tree.ts";
import type { Installation } from "../install/scope.ts";
import { shellQuote } from "../text.ts";
import { pause } from "../time.ts";
import { tmuxFrom } from "../tmux.ts";
import type { DemoScene } from "./demo_scenes.ts";

/** A busy machine may need this long for what takes milliseconds. */
const PATIENCE_MS = 60_000;

const SOURCES: Record<string, string> = {
  event: "the event itself",
  transcript: "the transcript",
  pane: "the screen",
  none: "nowhere",
};

/** A place of the demo's own: folders, a tmux server, a registry with one agent. */
export class DemoStage {
  private readonly socket = `gsd-demo-${Deno.pid}`;
  private pane = "";
  private install: Installation | undefined;

  constructor(readonly dir: string, readonly root: string, private readonly tmuxPath: string) {}

  get env(): Record<string, string> {
    const inherited = ["HOME", "PATH", "DENO_DIR", "XDG_CACHE_HOME"]
      .flatMap((name) => Deno.env.get(name) === undefined ? [] : [[name, Deno.env.get(name)!]]);
    return {
      ...Object.fromEntries(inherited),
      DENO_NO_UPDATE_CHECK: "1",
      GSD_REGISTRY: `${this.dir}/registry.json`,
      GSD_STATE_DIR: `${this.dir}/state`,
      GSD_DATA_DIR: `${this.dir}/data`,
      GSD_TMUX: this.tmuxPath,
    };
  }

  async set(): Promise<void> {
    const env = this.env;
    const paths = pathsFrom((name) => env[name], this.root);
    const registry = {
      delivery: { transport: "inbox" },
      agents: [{ agent_id: "warden", tmux_session_name: "warden-main" }],
    };
    await Deno.writeTextFile(paths.registry, JSON.stringify(registry));
    const [home, deno] = [env.HOME ?? "/", Deno.execPath()];
    const transcripts = [`${this.dir}/transcripts`];
    this.install = {
      ...{ paths, home, deno, tmux: this.tmuxPath, transcripts, allowAll: false },
      ...launcherPlaces((name) => env[name], undefined),
    };
    writeInstallation(this.install);
    installLaunchers(this.install);
    await this.warmUp();
    const size = ["-x", "120", "-y", "40"];
    this.pane = await this.tmux(
      ...["new-session", "-d", "-P", "-F", "#{pane_id}", ...size, "-s", "warden-main", "cat"],
    );
  }

  /** Deno reads a file of ours for the first time only once: that is not what a hook costs. */
  private async warmUp(): Promise<void> {
    const files = ["hooks", "lib"].flatMap((folder) =>
      namesIn(`${this.root}/${folder}`).filter((name) => name.endsWith(".ts"))
        .map((name) => `import ${JSON.stringify(`file://${this.root}/${folder}/${name}`)};`)
    );
    const script = `${this.dir}/warm.ts`;
    await Deno.writeTextFile(script, files.join("\n"));
    for (let i = 0; i < 2; i++) await this.deno(script);
  }

  /** Runs one hook as Claude Code in that pane would; the wake that arrived, and how it went. */
  async play({ hook, event, screen }: DemoScene) {
    await this.show(screen);
    const started = performance.now();
    await this.hook(hook, event);
    const hookMs = performance.now() - started;
    const message = await this.nextWake();
    const wakeMs = performance.now() - started;
    return { message, hookMs, wakeMs, source: await this.source() };
  }

  /** Lets the agent answer while the hook waits beside the dialog; what Claude Code gets. */
  async answer({ words, hook, event, screen }: NonNullable<DemoScene["answer"]>) {
    let started = 0;
    // Claude Code would take the dialog away on the hook's reply, and the driver looks for that.
    const waiting = this.hook(hook, event).then(async (reply) => {
      const ms = performance.now() - started;
      await this.show(screen);
      return { reply, ms };
    });
    const pending = `${this.dir}/state/pending/warden-main`;
    const isOpen = () => namesIn(pending).some((name) => name.endsWith(".json"));
    await this.until("the hook waits for an answer", isOpen);
    started = performance.now();
    const socket = await this.tmux("display-message", "-p", "#{socket_path}");
    const all = ["--socket", socket, ...words];
    const driver = `${this.dir}/data/bin/menu-driver`;
    const outcome = await run(driver, all, { env: this.env, timeoutMs: PATIENCE_MS });
    if (outcome.kind !== "finished" || outcome.code !== 0) {
      throw new Error(`menu-driver ${words.join(" ")} failed: ${JSON.stringify(outcome)}`);
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
    const socket = await this.tmux("display-message", "-p", "#{socket_path}").catch(() => "");
    await this.tmux("kill-server").catch(() => {});
    if (socket !== "") await Deno.remove(socket).catch(() => {});
    // The deliverer of the last wake may still be writing, and would make the folder again.
    const isOver = async () =>
      !(await allProcesses()).some(({ args }) => args.some((arg) => arg.includes(this.dir)));
    await this.until("the last deliverer ends", isOver);
    await Deno.remove(this.dir, { recursive: true });
  }

  private async show(screen: string): Promise<void> {
    const file = `${this.dir}/screen.txt`;
    await Deno.writeTextFile(file, screen);
    const command = `printf '\\033[H\\033[2J'; cat ${shellQuote(file)}; sleep 1000`;
    await this.tmux("respawn-pane", "-k", "-t", this.pane, command);
    await this.until(
      "the screen is drawn",
      async () => (await this.tmux("capture-pane", "-p", "-t", this.pane)).trim() !== "",
    );
  }

  private async hook(file: string, event: DemoScene["event"]): Promise<string> {
    const server = await this.tmux("display-message", "-p", "#{socket_path},#{pid},0");
    const command = hookCommand(HOOKS.find((hook) => hook.file === file)!, this.install!.paths);
    const outcome = await run("/bin/sh", ["-c", command], {
      env: { ...this.env, TMUX: server, TMUX_PANE: this.pane },
      timeoutMs: PATIENCE_MS,
      stdin: JSON.stringify(event),
    });
    if (outcome.kind !== "finished" || outcome.code !== 0 || outcome.stderr !== "") {
      throw new Error(`hooks/${file} did not end silently: ${JSON.stringify(outcome)}`);
    }
    return outcome.stdout;
  }

  private async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
      if (await isSo()) return;
      await pause(10);
    }
    throw new Error(`${PATIENCE_MS / 1000} seconds were not enough until ${what}`);
  }

  private deno(script: string) {
    const args = ["run", "--no-config", "--quiet", script];
    return run(Deno.execPath(), args, { env: this.env, timeoutMs: PATIENCE_MS });
  }

  private async tmux(...args: string[]): Promise<string> {
    const folder = Deno.env.get("TMUX_TMPDIR");
    const door = tmuxFrom((name) => name === "GSD_TMUX" ? this.tmuxPath : undefined, {
      socket: this.socket,
      timeoutMs: PATIENCE_MS,
      env: {
        ...{ PATH: this.env.PATH ?? "", TERM: "xterm-256color", LANG: "C.UTF-8" },
        ...(folder === undefined ? {} : { TMUX_TMPDIR: folder }),
      },
    });
    const result = await door.call("-f", "/dev/null", ...args);
    if (result.kind === "ok") return result.stdout.trimEnd();
    throw new Error(`tmux ${args[0]} failed: ${result.reason}`);
  }

  private async nextWake(): Promise<string> {
    const inbox = `${this.dir}/state/inbox/warden`;
    const arrived = () => namesIn(inbox).filter((name) => name.endsWith(".txt"));
    await this.until("a wake arrives", () => arrived().length > 0);
    const file = `${inbox}/${arrived()[0]}`;
    const message = await Deno.readTextFile(file);
    await Deno.remove(file);
    return message;
  }

  private async source(): Promise<string> {
    const journal = await Deno.readTextFile(`${this.dir}/state/journal/warden-main.jsonl`);
    const queued = journal.trim().split("\n").map((line) => JSON.parse(line))
      .findLast((entry) => entry.kind === "queued");
    return SOURCES[queued?.source] ?? "unknown";
  }
}
