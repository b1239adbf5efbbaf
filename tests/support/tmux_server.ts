/** A real tmux server for one test: private socket, no configuration, ended at the end. */

import { assertEquals } from "@std/assert";
import { removeIfThere } from "../../lib/files.ts";
import type { Scene } from "./artefacts.ts";
import { until } from "./until.ts";
import { writeExecutable } from "./executable.ts";

const BASE_ENV = {
  PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
};

export class TmuxServer implements AsyncDisposable {
  readonly socket = `gsd-test-${crypto.randomUUID().slice(0, 8)}`;

  /** `variables` are those of the sessions that it starts. */
  constructor(private readonly variables: Record<string, string> = {}) {}

  /** The server of a story, with its program; its panes are kept when the story fails. */
  static in(scene: Scene): TmuxServer {
    const server = new TmuxServer({ HOME: scene.home });
    server.writeProgram(scene.dir);
    scene.keep("panes.txt", async () => {
      const panes = (await server.sessions()).map(async (session) =>
        `=== ${session} ===\n${await server.capture(session)}`
      );
      return (await Promise.all(panes)).join("\n");
    });
    scene.atEnd(() => server[Symbol.asyncDispose]());
    return server;
  }

  /** Writes `tmux` into a folder: a program (`GSD_TMUX`) that knows only this server. Its path. */
  writeProgram(folder: string): string {
    const script = `exec ${tmuxProgram()} -L ${this.socket} -f /dev/null "$@"`;
    writeExecutable(`${folder}/tmux`, `#!/bin/sh\n${script}\n`);
    return `${folder}/tmux`;
  }

  /** Runs a tmux command on this server; the answer without its last newline. */
  async tmux(...args: string[]): Promise<string> {
    return await this.#run({ ...BASE_ENV, ...this.variables }, args);
  }

  async #run(env: Record<string, string>, args: string[]): Promise<string> {
    const { code, stdout, stderr } = await new Deno.Command(tmuxProgram(), {
      args: ["-u", "-L", this.socket, "-f", "/dev/null", ...args],
      env,
      clearEnv: true,
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    assertEquals(code, 0, `tmux ${args.join(" ")}: ${decoder.decode(stderr)}`);
    return decoder.decode(stdout).replace(/\n$/, "");
  }

  /** Starts a session that runs `command`; the id of its pane. */
  async session(name: string, command = "cat"): Promise<string> {
    const size = ["-x", "120", "-y", "40"];
    const pane = await this.tmux(
      ...["new-session", "-d", "-P", "-F", "#{pane_id}", ...size, "-s", name, command],
    );
    // At first a shell is there, which becomes the program.
    const current = ["display-message", "-p", "-t", pane, "#{pane_current_command}"];
    const isRunning = async () => (await this.tmux(...current)) === command;
    if (/^\w+$/.test(command)) await until(`${command} in ${name}`, isRunning, { everyMs: 20 });
    return pane;
  }

  /** The names of its sessions; none where it does not run. */
  async sessions(): Promise<string[]> {
    const names = await this.tmux("list-sessions", "-F", "#{session_name}").catch(() => "");
    return names.split("\n").filter(Boolean);
  }

  capture(session: string): Promise<string> {
    return this.tmux("capture-pane", "-p", "-t", `=${session}:`);
  }

  /** What a program in that pane has in its environment. */
  async env(pane: string): Promise<{ TMUX: string; TMUX_PANE: string }> {
    const TMUX = await this.tmux("display-message", "-p", "-t", pane, "#{socket_path},#{pid},0");
    return { TMUX, TMUX_PANE: pane };
  }

  /** Lets the pane show `text`, and waits until it does. */
  async show(pane: string, text: string): Promise<void> {
    const file = await Deno.makeTempFile();
    await Deno.writeTextFile(file, text);
    await this.tmux(
      ...["respawn-pane", "-k", "-t", pane, `printf '\\033[H\\033[2J'; cat '${file}'; sleep 1000`],
    );
    const last = text.split("\n").findLast((line) => line.trim() !== "")?.trim() ?? "";
    const isShown = async () => (await this.tmux("capture-pane", "-p", "-t", pane)).includes(last);
    await until("the pane shows its text", isShown, { everyMs: 20 });
    await Deno.remove(file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // It may have ended with its last session. tmux leaves the socket's file behind.
    await this.#run(BASE_ENV, ["kill-server"]).catch(() => {});
    removeIfThere(`/tmp/tmux-${Deno.uid()}/${this.socket}`);
  }
}

function tmuxProgram(): string {
  const folders = BASE_ENV.PATH.split(":");
  const found = folders.map((folder) => `${folder}/tmux`).find(isFile);
  if (found === undefined) throw new Error("Cannot find tmux on PATH: these tests need it");
  return found;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
