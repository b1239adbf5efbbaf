/** A world for `status`: no tmux server, a gateway that is said to be up, and what it prints. */

import type { StatusWorld } from "../../commands/status.ts";
import type { TestHome } from "./home.ts";

export interface TestStatusWorld extends StatusWorld {
  said: string[];
  warned: string[];
}

export function statusWorld(home: TestHome, now = () => new Date()): TestStatusWorld {
  const said: string[] = [];
  const warned: string[] = [];
  const tmux = home.writeProgram("tmux", 'echo "no server running on /tmp/x" >&2; exit 1');
  return {
    env: (name) => name === "GSD_TMUX" ? tmux : home.variable(name),
    environment: () => ({ ...home.env }),
    cwd: () => home.dir,
    deno: Deno.execPath(),
    paths: home.paths,
    startDeliverer: () => {},
    gateway: () => Promise.resolve("up"),
    now,
    said,
    warned,
    say: (line) => void said.push(line),
    warn: (line) => void warned.push(line),
  };
}
