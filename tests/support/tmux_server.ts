/** A real tmux server of a test's own: private socket, no configuration, gone at the end. */

import { assertEquals } from "@std/assert";
import { until } from "./until.ts";

export class TmuxServer {
  readonly socket = `gsd-test-${crypto.randomUUID().slice(0, 8)}`;
  private started = false;

  /** Runs a tmux command on this server; the answer without its last newline. */
  async tmux(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await new Deno.Command("tmux", {
      args: ["-u", "-L", this.socket, "-f", "/dev/null", ...args],
      env: { PATH: Deno.env.get("PATH") ?? "", TERM: "xterm-256color", LANG: "C.UTF-8" },
      clearEnv: true,
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    assertEquals(code, 0, `tmux ${args.join(" ")}: ${decoder.decode(stderr)}`);
    return decoder.decode(stdout).replace(/\n$/, "");
  }

  /** Starts a session that runs `command`; the id of its pane. */
  async session(name: string, command = "cat"): Promise<string> {
    this.started = true;
    const size = ["-x", "120", "-y", "40"];
    return await this.tmux(
      ...["new-session", "-d", "-P", "-F", "#{pane_id}", ...size, "-s", name, command],
    );
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
    if (!this.started) return;
    // tmux leaves the socket's file behind when its server ends.
    const socket = await this.tmux("display-message", "-p", "#{socket_path}").catch(() => "");
    await this.tmux("kill-server").catch(() => {});
    if (socket !== "") await Deno.remove(socket).catch(() => {});
  }
}
