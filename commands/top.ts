/** All sessions, live, in the terminal. */

import { captureScreens } from "../lib/doors/tmux_screens.ts";
import { serverAt } from "../lib/sessions/tmux_servers.ts";
import { dollars } from "../lib/story/since.ts";
import { SpentToday } from "../lib/story/spent_today.ts";
import { colours } from "../lib/cli/colours.ts";
import { readCommandLine } from "../lib/cli/command_line.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { findProgram } from "../lib/doors/programs.ts";
import { FleetReader } from "../lib/fleet/fleet_reader.ts";
import { ScreenTimes } from "../lib/fleet/screen_times.ts";
import { type SessionView, viewsOf } from "../lib/fleet/session_view.ts";
import { messageOf } from "../lib/process.ts";
import { pause } from "../lib/time.ts";
import { keysIn } from "../lib/top/top_keys.ts";
import { draw } from "../lib/top/top_screen.ts";
import { FIRST, onKey, type TopEffect, type TopState, withViews } from "../lib/top/top_state.ts";
import { TopTerminal } from "../lib/top/top_terminal.ts";
import { main as give } from "./give.ts";
import { type LogWorld, main as log } from "./log.ts";
import { driveFor } from "./menu_driver.ts";
import { main as pauseWakes } from "./pause.ts";
import { main as resume } from "./resume.ts";
import { main as take } from "./take.ts";

export const HELP = `Shows all sessions, live; the ones that wait for an answer first.

Usage: gsd-code top

  --help   this text

Keys: j k or the arrows choose a session, Enter attaches to it, a answers what it asks (a number
picks, Enter sends), i types an instruction, l shows its log, p holds its wakes, t takes it for
yourself, ? explains, q ends. Below the table is the screen of the chosen session.
`;

const COMMAND = { task: "top", help: HELP, flags: [] } as const;
const EVERY_MS = 1000;

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  if (!Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) {
    world.warn("top needs a terminal; gsd-code status prints the same once");
    return 1;
  }
  return await new Top(world).run();
}

class Top {
  #state: TopState = FIRST;
  #isEnding = false;
  readonly #terminal = new TopTerminal();
  readonly #reader: FleetReader;
  readonly #spent: SpentToday;

  constructor(private readonly world: World) {
    this.#reader = new FleetReader(world, new ScreenTimes(world.paths));
    this.#spent = new SpentToday(world.paths);
  }

  async run(): Promise<number> {
    const signals = new Promise<number>((resolve) => {
      for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) {
        Deno.addSignalListener(signal, () => resolve(130));
      }
    });
    await this.#terminal.enter();
    try {
      Deno.addSignalListener("SIGWINCH", () => this.#draw());
      this.#refreshing();
      return await Promise.race([signals, this.#keys()]);
    } finally {
      this.#isEnding = true;
      await this.#terminal.leave();
    }
  }

  async #refreshing(): Promise<void> {
    while (!this.#isEnding) {
      await this.#refresh();
      await pause(EVERY_MS);
    }
  }

  async #refresh(): Promise<void> {
    try {
      const views = viewsOf(await this.#reader.read()).filter(({ state }) => state !== "ended");
      const usd = this.#spent.usd(this.world.now());
      const spent = usd === undefined ? "" : `${dollars(usd)} today`;
      this.#state = { ...withViews(this.#state, views), spent };
      await this.#look();
    } catch (error) {
      this.#state = { ...this.#state, said: messageOf(error) };
    }
    this.#draw();
  }

  /** The reader looks at a busy screen now and then only; the chosen one is live. */
  async #look(): Promise<void> {
    const { chosen } = this.#state;
    const { pane, socket, holds } = this.#viewOf(chosen)?.seen ?? {};
    const isAlive = pane !== undefined && holds === "alive";
    const [seen] = isAlive
      ? await captureScreens(serverAt(this.world, socket).tmux, [pane], { colours: true })
      : [];
    const screen = seen === undefined ? undefined : { session: chosen, text: seen.text };
    this.#state = { ...this.#state, screen };
  }

  #draw(): void {
    if (this.#isEnding) return;
    this.#terminal.show(draw(this.#state, Deno.consoleSize(), Date.now()));
  }

  /** One read at a time: while another program has the terminal, we take none of its keys. */
  async #keys(): Promise<number> {
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(4096);
    for (;;) {
      const count = await Deno.stdin.read(buffer);
      if (count === null) return 0;
      const { chosen } = this.#state;
      for (const key of keysIn(decoder.decode(buffer.subarray(0, count), { stream: true }))) {
        const { state, effect } = onKey(this.#state, key);
        this.#state = state;
        if (effect?.kind === "quit") return 0;
        if (effect?.kind === "attach") await this.#attach(effect.session);
        else if (effect !== undefined) this.#carryOut(effect);
      }
      this.#draw();
      if (this.#state.chosen !== chosen) this.#look().then(() => this.#draw(), () => {});
    }
  }

  async #carryOut(effect: Exclude<TopEffect, { kind: "quit" | "attach" }>): Promise<void> {
    const said = await this.#doIt(effect).catch(messageOf);
    if (said !== undefined) this.#state = { ...this.#state, said };
    await this.#refresh();
  }

  async #doIt(
    effect: Exclude<TopEffect, { kind: "quit" | "attach" }>,
  ): Promise<string | undefined> {
    switch (effect.kind) {
      case "drive": {
        const socket = this.#viewOf(effect.session)?.seen.socket;
        const server = socket === undefined ? [] : ["--socket", socket];
        return (await driveFor("top", [...server, ...effect.words], effect.stdin)).said;
      }
      case "log": {
        const lines: string[] = [];
        await this.#run(log, [effect.session], lines);
        this.#state = { ...this.#state, mode: { kind: "log", lines } };
        return "";
      }
      case "pause": {
        const isHeld = this.#viewOf(effect.session)?.seen.hold?.kind === "held";
        return await this.#run(isHeld ? resume : pauseWakes, [effect.session]);
      }
      case "take": {
        const isTaken = this.#viewOf(effect.session)?.seen.hold?.kind === "taken";
        return await this.#run(isTaken ? give : take, [effect.session]);
      }
    }
  }

  /** Another command, with its words as the result. */
  async #run(
    command: (args: string[], world: World & LogWorld) => number | Promise<number>,
    args: string[],
    lines: string[] = [],
  ): Promise<string> {
    const add = (line: string) => void lines.push(...line.split("\n"));
    const { columns } = Deno.consoleSize();
    const plain = { width: () => columns, colours: colours(false) };
    const quiet = { say: add, warn: add, ...plain, end: AbortSignal.timeout(0) };
    await command(args, { ...this.world, ...quiet });
    return lines.join(" ");
  }

  #viewOf(session: string): SessionView | undefined {
    return this.#state.views.find((view) => view.session === session);
  }

  async #attach(session: string): Promise<void> {
    const view = this.#viewOf(session);
    const { socket, renamedTo } = view?.seen ?? {};
    const server = socket === undefined ? [] : ["-S", socket];
    const target = `=${renamedTo || session}`;
    const isInside = (this.world.env("TMUX") ?? "").split(",")[0] === socket;
    const tmux = findProgram(this.world.env, "GSD_TMUX", "tmux");
    if (tmux === undefined) {
      this.#state = { ...this.#state, said: "no tmux is on PATH" };
      return;
    }
    const { TMUX, ...outside } = this.world.environment();
    this.#terminal.suspend();
    try {
      const { code } = await new Deno.Command(tmux, {
        args: [...server, isInside ? "switch-client" : "attach-session", "-t", target],
        env: isInside ? { ...outside, TMUX: TMUX! } : outside,
        clearEnv: true,
        stderr: "null",
      }).spawn().status;
      const said = code === 0 ? "" : `tmux could not attach to ${session}`;
      this.#state = { ...this.#state, said };
    } catch (error) {
      this.#state = { ...this.#state, said: `Cannot run tmux: ${messageOf(error)}` };
    } finally {
      this.#terminal.resume();
    }
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
