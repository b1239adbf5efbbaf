/** A tmux server of the story's own: nobody's sessions are in reach. */

import { run } from "../../lib/process.ts";
import type { Scene } from "./artefacts.ts";
import { until } from "./until.ts";

export interface RealTmux {
  /** A program to be used as `tmux` (`GSD_TMUX`): it knows only this server. */
  program: string;
  /** For `$TMUX` of commands that are to believe they run inside. */
  socket: string;
  call(...args: string[]): Promise<string>;
  sessions(): Promise<string[]>;
  capture(session: string): Promise<string>;
  stop(): Promise<void>;
}

export function startTmux(scene: Scene): RealTmux {
  const name = `gsd-e2e-${crypto.randomUUID().slice(0, 8)}`;
  const program = `${scene.dir}/tmux`;
  const real = whichTmux();
  Deno.writeTextFileSync(
    program,
    `#!/bin/sh\nexec ${real} -L ${name} -f /dev/null "$@"\n`,
    { mode: 0o755 },
  );
  const env = {
    PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
    HOME: scene.home,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
  };
  const call = async (...args: string[]): Promise<string> => {
    const done = await run(program, ["-u", ...args], { env, timeoutMs: 60_000 });
    if (done.kind !== "finished") throw new Error(`tmux ${args[0]} did not run: ${done.kind}`);
    if (done.code !== 0) throw new Error(`tmux ${args[0]} failed: ${done.stderr.trim()}`);
    return done.stdout;
  };
  const tmux: RealTmux = {
    program,
    socket: `/tmp/tmux-${Deno.uid()}/${name}`,
    call,
    sessions: async () => {
      try {
        return (await call("list-sessions", "-F", "#{session_name}")).split("\n").filter(Boolean);
      } catch {
        return []; // no server, no sessions
      }
    },
    capture: (session) => call("capture-pane", "-p", "-t", `=${session}:`),
    stop: async () => {
      try {
        await call("kill-server");
      } catch {
        // It had ended with its last session.
      }
      await until("the tmux server to end", async () => (await tmux.sessions()).length === 0);
      try {
        Deno.removeSync(tmux.socket);
      } catch {
        // tmux took it along.
      }
    },
  };
  scene.keep("panes.txt", () => allPanes(tmux));
  scene.atEnd(() => tmux.stop());
  return tmux;
}

async function allPanes(tmux: RealTmux): Promise<string> {
  const panes: string[] = [];
  for (const session of await tmux.sessions()) {
    panes.push(`=== ${session} ===\n${await tmux.capture(session)}`);
  }
  return panes.join("\n");
}

function whichTmux(): string {
  for (const dir of (Deno.env.get("PATH") ?? "").split(":")) {
    try {
      if (Deno.statSync(`${dir}/tmux`).isFile) return `${dir}/tmux`;
    } catch {
      continue;
    }
  }
  throw new Error("Cannot find tmux on PATH: the stories need it");
}
