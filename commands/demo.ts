/** Plays recorded events of a Claude Code session through the real hooks and shows the wakes. */

import { parseArgs } from "@std/cli/parse-args";
import { namesIn } from "../lib/files.ts";
import { installLaunchers, launcherPlaces } from "../lib/launchers.ts";
import { pathsFrom, rootOf } from "../lib/paths.ts";
import { messageOf, run } from "../lib/process.ts";
import { findProgram } from "../lib/programs.ts";
import { pause } from "../lib/time.ts";

const HELP = `Shows what an agent is told, without Claude Code, OpenClaw or any settings of yours.

Usage: deno task demo [--plain]

Recorded events of a real Claude Code session are played through the real hooks in a tmux server
of the demo's own. Each wake is shown as the agent would read it. Nothing is left behind.

  --plain   without colours
  --help    this text
`;

interface Scene {
  title: string;
  hook: string;
  event: string;
  screen: string;
}

const SCENES: Scene[] = [
  {
    title: "Claude finishes a turn",
    hook: "stop.ts",
    event: "stop-plain",
    screen: "53b-statusline",
  },
  {
    title: "Claude asks a question",
    hook: "pre_tool_use.ts",
    event: "pre_tool_use-ask-single",
    screen: "10-ask-single",
  },
  {
    title: "The question is answered",
    hook: "post_tool_use.ts",
    event: "post_tool_use-ask-single",
    screen: "25-ask-answered-by-hook",
  },
  {
    title: "A turn fails",
    hook: "stop_failure.ts",
    event: "stop_failure-rate_limit",
    screen: "41-error-e429",
  },
  {
    title: "Claude Code ends",
    hook: "session_end.ts",
    event: "session_end-prompt_input_exit",
    screen: "04-idle-default-mode",
  },
];

const SOURCES: Record<string, string> = {
  event: "the event itself",
  transcript: "the transcript",
  pane: "the screen",
  none: "nowhere",
};

class Stage {
  private readonly socket = `gsd-demo-${Deno.pid}`;
  private pane = "";

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
    const install = { paths, home, deno, tmux: this.tmuxPath, transcripts: [], allowAll: true };
    installLaunchers(install, launcherPlaces((name) => env[name], undefined));
    const size = ["-x", "120", "-y", "40"];
    this.pane = await this.tmux(
      ...["new-session", "-d", "-P", "-F", "#{pane_id}", ...size, "-s", "warden-main", "cat"],
    );
  }

  /** Runs one hook as Claude Code in that pane would; the wake that arrived, and how it went. */
  async play({ hook, event, screen }: Scene) {
    const fixtures = `${this.root}/tests/fixtures`;
    await this.tmux(
      ...[
        "respawn-pane",
        "-k",
        "-t",
        this.pane,
        'cat "$1"; sleep 60'.replace(
          '"$1"',
          `'${fixtures.replaceAll("'", `'\\''`)}/panes/${screen}.txt'`,
        ),
      ],
    );
    await pause(60); // for the screen to be drawn; a hook that comes too early sees an empty one
    const server = await this.tmux("display-message", "-p", "#{socket_path},#{pid},0");
    const started = performance.now();
    const outcome = await this.deno([`${this.root}/hooks/${hook}`], {
      stdin: await Deno.readTextFile(`${fixtures}/events/${event}.json`),
      env: { TMUX: server, TMUX_PANE: this.pane },
    });
    const hookMs = performance.now() - started;
    const message = await this.nextWake();
    const wakeMs = performance.now() - started;
    if (outcome.kind !== "finished" || outcome.code !== 0 || outcome.stderr !== "") {
      throw new Error(`hooks/${hook} did not end silently: ${JSON.stringify(outcome)}`);
    }
    return { message, hookMs, wakeMs, source: await this.source() };
  }

  async bareDenoMs(): Promise<number> {
    const script = `${this.dir}/empty.ts`;
    await Deno.writeTextFile(script, "export {};\n");
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      const started = performance.now();
      await this.deno([script], {});
      times.push(performance.now() - started);
    }
    return times.sort((a, b) => a - b)[2]!;
  }

  async clear(): Promise<void> {
    await this.tmux("kill-server").catch(() => {});
    // The deliverer of the last wake may still be writing that it is done.
    for (let tries = 0; tries < 50; tries++) {
      try {
        await Deno.remove(this.dir, { recursive: true });
        return;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return;
        await pause(20);
      }
    }
  }

  private deno(args: string[], { stdin, env }: { stdin?: string; env?: Record<string, string> }) {
    return run(Deno.execPath(), ["run", "-A", "--no-config", "--quiet", ...args], {
      env: { ...this.env, ...env },
      timeoutMs: 20_000,
      ...(stdin === undefined ? {} : { stdin }),
    });
  }

  private async tmux(...args: string[]): Promise<string> {
    const all = ["-u", "-L", this.socket, "-f", "/dev/null", ...args];
    const env = { PATH: this.env.PATH ?? "", TERM: "xterm-256color", LANG: "C.UTF-8" };
    const outcome = await run(this.tmuxPath, all, { env, timeoutMs: 10_000 });
    if (outcome.kind === "finished" && outcome.code === 0) return outcome.stdout.trimEnd();
    throw new Error(`tmux ${args[0]} failed: ${JSON.stringify(outcome)}`);
  }

  private async nextWake(): Promise<string> {
    const inbox = `${this.dir}/state/inbox/warden`;
    for (let tries = 0; tries < 1000; tries++) {
      const [name] = namesIn(inbox).filter((name) => name.endsWith(".txt"));
      if (name !== undefined) {
        const message = await Deno.readTextFile(`${inbox}/${name}`);
        await Deno.remove(`${inbox}/${name}`);
        return message;
      }
      await pause(10);
    }
    throw new Error(`no wake arrived in ${inbox} within 10 seconds`);
  }

  private async source(): Promise<string> {
    const journal = await Deno.readTextFile(`${this.dir}/state/journal/warden-main.jsonl`);
    const queued = journal.trim().split("\n").map((line) => JSON.parse(line))
      .findLast((entry) => entry.kind === "queued");
    return SOURCES[queued?.source] ?? "unknown";
  }
}

interface Ink {
  bold(text: string): string;
  dim(text: string): string;
  head(text: string): string;
}

function inkFor(colours: boolean): Ink {
  const code = (open: number, close: number) => (text: string) =>
    colours ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return { bold: code(1, 22), dim: code(2, 22), head: code(36, 39) };
}

function show(message: string, dir: string, ink: Ink): string {
  return message.trimEnd().replaceAll(dir, "…").split("\n")
    .map((line) => `  ${ink.dim("│")} ${/^\[[A-Z ]+\]$/.test(line) ? ink.head(line) : line}`)
    .join("\n");
}

export async function main(args: string[]): Promise<number> {
  const flags = parseArgs(args, { boolean: ["help", "plain"] });
  if (flags.help) {
    console.log(HELP.trimEnd());
    return 0;
  }
  const tmux = findProgram((name) => Deno.env.get(name), "GSD_TMUX", "tmux");
  if (tmux === undefined) {
    console.error("Cannot play the demo: tmux is not installed");
    return 1;
  }
  const colours = Deno.stdout.isTerminal() && !Deno.env.get("NO_COLOR") && !flags.plain;
  const ink = inkFor(colours);
  const dir = await Deno.makeTempDir({ prefix: "gsd-demo-" });
  const stage = new Stage(dir, rootOf(import.meta.url), tmux);
  const interrupted = () => void stage.clear().then(() => Deno.exit(130));
  Deno.addSignalListener("SIGINT", interrupted);
  try {
    await stage.set();
    const bare = await stage.bareDenoMs();
    console.log(
      `${ink.bold("gsd-code-skill")}: what the agent "warden" is told of the Claude Code session ` +
        `"warden-main"\n${ink.dim(`recorded events, the real hooks, a tmux server of its own`)}\n`,
    );
    for (const [index, scene] of SCENES.entries()) {
      const played = await stage.play(scene);
      const ratio = (played.hookMs / bare).toFixed(1);
      console.log(
        `${ink.bold(`${index + 1}. ${scene.title}`)}  ${ink.dim(`hooks/${scene.hook}`)}\n` +
          `   hook ${played.hookMs.toFixed(0)} ms (${ratio} × bare Deno) · ` +
          `with the agent after ${played.wakeMs.toFixed(0)} ms · text from ${played.source}\n` +
          `${show(played.message, dir, ink)}\n`,
      );
    }
    console.log(
      "With your own sessions: deno task register, then deno task doctor (see README.md)",
    );
    return 0;
  } catch (error) {
    console.error(`The demo could not go on: ${messageOf(error)}`);
    return 1;
  } finally {
    Deno.removeSignalListener("SIGINT", interrupted);
    await stage.clear();
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
