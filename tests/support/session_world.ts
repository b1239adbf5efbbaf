/** Commands on a private tmux server, with recorded screens in the place of Claude Code. */

import { readTextIfThere } from "../../lib/files.ts";
import { type Agent, readRegistry } from "../../lib/registry.ts";
import { ROOT } from "../../lib/paths.ts";
import { run } from "../../lib/process.ts";
import type { World } from "../../lib/cli/world.ts";
import { TestHome } from "./home.ts";
import { TmuxServer } from "./tmux_server.ts";
import { until } from "./until.ts";

export interface SessionWorld extends World {
  dir: string;
  said: string[];
  warned: string[];
  /** The agents for which a deliverer was started. */
  carried: string[];
  variables: Record<string, string>;
  tmux(...args: string[]): Promise<string>;
  /** A program that shows a recorded screen and stays; it writes its arguments to `<name>.args`. */
  standIn(name: string, pane: string): string;
  /** Kills what shows the screen in a session, as the kernel would. */
  killClaude(session: string): Promise<void>;
  registry(content: unknown): void;
  wakes(agentId: string): { trigger: string; message: string }[];
}

export async function inSessionWorld(test: (world: SessionWorld) => Promise<void>): Promise<void> {
  await using home = new TestHome();
  const { dir, env: variables, paths } = home;
  await using server = new TmuxServer(variables);
  for (const folder of [paths.state, paths.data]) Deno.mkdirSync(folder);
  Object.assign(variables, {
    SHELL: "/bin/sh",
    TERM: "xterm-256color",
    GSD_TMUX: server.writeProgram(dir),
    GSD_OPENCLAW: home.writeProgram("openclaw", "echo no gateway >&2; exit 1"),
  });
  const world: SessionWorld = {
    dir,
    said: [],
    warned: [],
    carried: [],
    variables,
    env: home.variable,
    environment: () => ({ ...variables }),
    cwd: () => dir,
    deno: Deno.execPath(),
    now: () => new Date(),
    say: (line) => world.said.push(line),
    warn: (line) => world.warned.push(line),
    startDeliverer: (agentId) => world.carried.push(agentId),
    paths,
    tmux: async (...args) => (await server.tmux(...args)).trim(),
    standIn: (name, pane) => {
      const screen = `${ROOT}/tests/fixtures/panes/${pane}`;
      const args = `printf '%s\\n' "$@" > '${dir}/${name}.args'`;
      // It must not exec another program: its arguments are looked for.
      const stay = "while read -r line; do :; done";
      return home.writeProgram(name, `${args}\ncat '${screen}'\n${stay}`);
    },
    killClaude: async (session) => {
      const pid = await world.tmux("list-panes", "-t", `=${session}:`, "-F", "#{pane_pid}");
      const below = await run("pgrep", ["-P", pid], { env: variables, timeoutMs: 300_000 });
      if (below.kind !== "finished") throw new Error("pgrep did not run");
      Deno.kill(Number(below.stdout.trim()), "SIGKILL");
      // The launch script becomes the user's shell: until then it is neither Claude nor a prompt.
      await until("a shell in its place", () => {
        const args = Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0");
        return !args.some((arg) => arg.includes("/launches/"));
      });
    },
    registry: (content) => home.writeRegistry(content),
    wakes: (agentId) => home.wakes(agentId),
  };
  await test(world);
}

/** The agents of the world's registry. */
export function agents(world: SessionWorld): Agent[] {
  const reading = readRegistry(readTextIfThere(world.paths.registry) ?? "");
  return reading.kind === "registry" ? reading.registry.agents : [];
}

/** A folder to work in; its path. */
export function project(world: SessionWorld): string {
  Deno.mkdirSync(`${world.dir}/project`, { recursive: true });
  return `${world.dir}/project`;
}
