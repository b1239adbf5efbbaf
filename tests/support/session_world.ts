/** Commands run against a real tmux server of their own, with recorded screens for Claude Code. */

import { isThere, removeIfThere } from "../../lib/files.ts";
import { ROOT } from "../../lib/paths.ts";
import { run } from "../../lib/process.ts";
import type { World } from "../../lib/cli/world.ts";
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

const root = ROOT;

export async function inSessionWorld(test: (world: SessionWorld) => Promise<void>): Promise<void> {
  const dir = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "gsd-sessions-" }));
  const socket = `gsd-test-${crypto.randomUUID().slice(0, 8)}`;
  const path = Deno.env.get("PATH") ?? "/usr/bin:/bin";
  const write = (name: string, text: string) => {
    Deno.writeTextFileSync(`${dir}/${name}`, text, { mode: 0o755 });
    return `${dir}/${name}`;
  };
  for (const name of ["home", "state", "data"]) Deno.mkdirSync(`${dir}/${name}`);
  const real = path.split(":").map((folder) => `${folder}/tmux`).find(isThere);
  const variables: Record<string, string> = {
    PATH: path,
    HOME: `${dir}/home`,
    SHELL: "/bin/sh",
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    GSD_TMUX: write("tmux", `#!/bin/sh\nexec ${real} -L ${socket} -f /dev/null "$@"\n`),
    GSD_REGISTRY: `${dir}/registry.json`,
    GSD_STATE_DIR: `${dir}/state`,
    GSD_DATA_DIR: `${dir}/data`,
    GSD_OPENCLAW: write("openclaw", "#!/bin/sh\necho no gateway >&2; exit 1\n"),
  };
  const world: SessionWorld = {
    dir,
    said: [],
    warned: [],
    carried: [],
    variables,
    env: (name) => variables[name],
    environment: () => ({ ...variables }),
    cwd: () => dir,
    deno: Deno.execPath(),
    now: () => new Date(),
    say: (line) => world.said.push(line),
    warn: (line) => world.warned.push(line),
    startDeliverer: (agentId) => world.carried.push(agentId),
    paths: {
      root,
      registry: variables.GSD_REGISTRY!,
      state: variables.GSD_STATE_DIR!,
      data: variables.GSD_DATA_DIR!,
      claudeConfig: `${dir}/home/.claude`,
    },
    tmux: async (...args) => {
      const done = await run(variables.GSD_TMUX!, ["-u", ...args], {
        env: variables,
        timeoutMs: 60_000,
      });
      if (done.kind !== "finished") throw new Error(`tmux ${args[0]}: ${done.kind}`);
      if (done.code !== 0) throw new Error(`tmux ${args[0]}: ${done.stderr}`);
      return done.stdout.trim();
    },
    standIn: (name, pane) => {
      const screen = `${root}/tests/fixtures/panes/${pane}`;
      const args = `printf '%s\\n' "$@" > '${dir}/${name}.args'`;
      // It stays without becoming another program: its arguments are looked for.
      const stay = "while read -r line; do :; done";
      return write(name, `#!/bin/sh\n${args}\ncat '${screen}'\n${stay}\n`);
    },
    killClaude: async (session) => {
      const pid = await world.tmux("list-panes", "-t", `=${session}:`, "-F", "#{pane_pid}");
      const below = await run("pgrep", ["-P", pid], { env: variables, timeoutMs: 60_000 });
      if (below.kind !== "finished") throw new Error("pgrep did not run");
      Deno.kill(Number(below.stdout.trim()), "SIGKILL");
      // The launch script becomes the user's shell: until then it is neither Claude nor a prompt.
      await until("a shell in its place", () => {
        const args = Deno.readTextFileSync(`/proc/${pid}/cmdline`).split("\0");
        return !args.some((arg) => arg.includes("/launches/"));
      });
    },
    registry: (content) => Deno.writeTextFileSync(world.paths.registry, JSON.stringify(content)),
    wakes: (agentId) => {
      const inbox = `${dir}/state/outbox/${agentId}`;
      const names = isThere(inbox)
        ? Array.from(Deno.readDirSync(inbox), (entry) => entry.name)
        : [];
      return names.filter((name) => name.endsWith(".json")).sort()
        .map((name) => JSON.parse(Deno.readTextFileSync(`${inbox}/${name}`)));
    },
  };
  try {
    await test(world);
  } finally {
    await world.tmux("kill-server").catch(() => {});
    removeIfThere(`/tmp/tmux-${Deno.uid()}/${socket}`);
    await Deno.remove(dir, { recursive: true });
  }
}
