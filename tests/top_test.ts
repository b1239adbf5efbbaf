import { assertEquals, assertStringIncludes } from "@std/assert";
import { allProcesses } from "../lib/doors/process_tree.ts";
import { ROOT } from "../lib/paths.ts";
import { spawned } from "./support/recovering.ts";
import { inSessionWorld } from "./support/session_world.ts";
import { TestHome } from "./support/home.ts";
import { TmuxServer } from "./support/tmux_server.ts";
import { until } from "./support/until.ts";

/** A shell in a real terminal, in which `top` runs. */
class TerminalWithTop implements AsyncDisposable {
  readonly home = new TestHome();
  readonly server = new TmuxServer();
  readonly pid = `${this.home.dir}/pid`;

  async start(columns: number, rows: number): Promise<string> {
    const { server, home } = this;
    const env = Object.entries({ ...home.env, PS1: "$ ", GSD_TMUX: server.writeProgram(home.dir) });
    const set = env.flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    await server.tmux(
      ...["new-session", "-d", "-x", String(columns), "-y", String(rows), "-s", "outer"],
      ...["-c", home.dir, ...set, "sh"],
    );
    await server.tmux("set-option", "-w", "-t", "=outer:", "window-size", "manual");
    await this.#line("stty -g > before; echo what was here before");
    await this.sees("what was here before");
    const program = `${Deno.execPath()} run -A --quiet ${ROOT}/commands/top.ts`;
    await this.#line(`sh -c 'echo $$ > pid; exec ${program}'; echo ended with $?`);
    await this.sees("q quit");
    return await this.screen();
  }

  screen(): Promise<string> {
    return this.server.capture("outer");
  }

  async sees(text: string): Promise<string> {
    await until(`"${text}" on the screen`, async () => (await this.screen()).includes(text), {
      present: () => this.screen(),
    });
    return await this.screen();
  }

  keys(...keys: string[]): Promise<string> {
    return this.server.tmux("send-keys", "-t", "=outer:", ...keys);
  }

  async #line(line: string): Promise<void> {
    await this.keys("-l", line);
    await this.keys("Enter");
  }

  /** The terminal is as it was: its screen, its modes, its cursor. */
  async assertAsBefore(): Promise<void> {
    const pid = Number(Deno.readTextFileSync(this.pid));
    const isGone = async () => !(await allProcesses()).some((process) => process.pid === pid);
    await until("the end of top", isGone);
    // After kill -9 another process puts the terminal back, a moment later.
    await this.sees("what was here before");
    await this.#line("stty -g | cmp - before && echo same modes");
    // Behind the prompt, where the line was typed before that was there.
    await until("same modes", async () => /^(# )?same modes$/m.test(await this.screen()), {
      present: () => this.screen(),
    });
    const flags = await this.server.tmux(
      ...["display-message", "-p", "-t", "=outer:", "#{alternate_on}#{cursor_flag}"],
    );
    assertEquals(flags, "01");
  }

  kill(signal: Deno.Signal): void {
    Deno.kill(Number(Deno.readTextFileSync(this.pid)), signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.home[Symbol.asyncDispose]();
  }
}

Deno.test("top fits the terminal, also when it changes, and leaves it as it was", async () => {
  await using top = new TerminalWithTop();
  const first = await top.start(80, 24);
  assertStringIncludes(first, "No session runs");
  assertEquals(first.split("\n").length, 24);
  await top.server.tmux("resize-window", "-t", "=outer:", "-x", "200", "-y", "50");
  await until("the keys in the last of 50 lines", async () => {
    const lines = (await top.screen()).split("\n");
    return lines.length === 50 && lines[49]!.includes("q quit");
  }, { present: () => top.screen() });
  await top.keys("?");
  await top.sees("Escape         back");
  await top.keys("q");
  await top.keys("q");
  await top.assertAsBefore();
});

for (const signal of ["SIGTERM", "SIGHUP", "SIGKILL"] as const) {
  Deno.test(`top leaves the terminal as it was after ${signal}`, async () => {
    await using top = new TerminalWithTop();
    await top.start(80, 24);
    top.kill(signal);
    await top.assertAsBefore();
  });
}

Deno.test("top shows a session with its screen, attaches to it, and comes back", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await using outer = new TmuxServer();
    const set = Object.entries(world.variables).flatMap((
      [name, value],
    ) => ["-e", `${name}=${value}`]);
    const program = `env -u TMUX ${Deno.execPath()} run -A --quiet ${ROOT}/commands/top.ts`;
    const size = ["-x", "120", "-y", "40"];
    await outer.tmux("new-session", "-d", ...size, "-s", "outer", ...set, program);
    const sees = (what: string, isThere: (screen: string) => boolean) =>
      until(what, async () => isThere(await outer.capture("outer")), {
        present: () => outer.capture("outer"),
      });
    const press = (...keys: string[]) => outer.tmux("send-keys", "-t", "=outer:", ...keys);
    await sees("its row", (screen) => new RegExp(`^${session} +anvil +idle`, "m").test(screen));
    await sees("its screen", (screen) => screen.includes(`── ${session} · idle`));
    await press("Enter");
    // tmux's own status line, with the beginning of the name, is there while it is attached.
    await sees("the session itself", (screen) => screen.includes(`\n[${session.slice(0, 9)}`));
    const clients = await world.tmux("list-clients", "-F", "#{session_name}");
    assertEquals(clients, session);
    await press("C-b", "d");
    await sees("the table again", (screen) => screen.includes("q quit"));
    assertEquals(await world.tmux("list-clients"), "");
    await press("l");
    await sees("its log", (screen) => /^\d\d:\d\d:\d\d +\S+ +spawn +started/m.test(screen));
    await press("Escape");
    await press("i");
    await sees("the prompt", (screen) => screen.includes("Enter sends it to Claude"));
    await press("Escape");
    await sees("the keys", (screen) => screen.includes("q quit"));
  }));
