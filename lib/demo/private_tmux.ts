/** A real tmux server apart from the user's: private socket, no configuration, ended at the end. */

import { whyFailed } from "./child_process.ts";
import { removeIfThere } from "../files.ts";
import { run } from "../process.ts";
import { shellQuote } from "../text.ts";
import { until } from "./until.ts";

export interface PrivateTmuxOptions {
  /** The path of tmux itself. */
  program: string;
  socket: string;
  /** Variables for tmux and the sessions that it starts. The caller may change them later. */
  variables?: Record<string, string>;
  /** A folder for short-lived files. Default: the system's. */
  folder?: string;
}

export class PrivateTmux implements AsyncDisposable {
  readonly program: string;
  readonly socket: string;
  readonly #variables: Record<string, string>;
  readonly #folder: string | undefined;

  constructor({ program, socket, variables = {}, folder }: PrivateTmuxOptions) {
    [this.program, this.socket, this.#folder] = [program, socket, folder];
    this.#variables = variables;
  }

  /** Runs a tmux command on this server; the answer without its last newline. */
  async tmux(...args: string[]): Promise<string> {
    const all = ["-u", "-L", this.socket, "-f", "/dev/null", ...args];
    const PATH = Deno.env.get("PATH") ?? "/usr/bin:/bin";
    const env = { PATH, TERM: "xterm-256color", LANG: "C.UTF-8", ...this.#variables };
    const outcome = await run(this.program, all, { env, timeoutMs: 120_000 });
    if (outcome.kind === "finished" && outcome.code === 0) return outcome.stdout.replace(/\n$/, "");
    throw new Error(`tmux ${args.join(" ")} failed: ${whyFailed(outcome)}`);
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

  /** What a program in that pane has in its environment. */
  async env(pane: string): Promise<{ TMUX: string; TMUX_PANE: string }> {
    const TMUX = await this.tmux("display-message", "-p", "-t", pane, "#{socket_path},#{pid},0");
    return { TMUX, TMUX_PANE: pane };
  }

  /** Lets the pane show `text`, and waits until it does. */
  async show(pane: string, text: string): Promise<void> {
    const file = await Deno.makeTempFile({ dir: this.#folder });
    await Deno.writeTextFile(file, text);
    const command = `printf '\\033[H\\033[2J'; cat ${shellQuote(file)}; sleep 1000`;
    await this.tmux("respawn-pane", "-k", "-t", pane, command);
    const last = text.split("\n").findLast((line) => line.trim() !== "")?.trim() ?? "";
    const isShown = async () => (await this.tmux("capture-pane", "-p", "-t", pane)).includes(last);
    await until("the pane shows its text", isShown, { everyMs: 20 });
    await Deno.remove(file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The server may have ended with its last session. tmux leaves the socket's file behind.
    const asked = await this.tmux("display-message", "-p", "#{socket_path}").catch(() => "");
    await this.tmux("kill-server").catch(() => {});
    const folder = this.#variables.TMUX_TMPDIR || "/tmp";
    removeIfThere(asked || `${folder}/tmux-${Deno.uid()}/${this.socket}`);
  }
}
