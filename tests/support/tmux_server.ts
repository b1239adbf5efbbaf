/** A real tmux server for one test. */

import { onPath } from "../../lib/doors/programs.ts";
import { PrivateTmux } from "../../lib/demo/private_tmux.ts";
import type { Scene } from "./artefacts.ts";
import { writeExecutable } from "./executable.ts";

export class TmuxServer extends PrivateTmux {
  /** `variables` are those of the sessions that it starts. */
  constructor(variables: Record<string, string> = {}) {
    const program = onPath((name) => Deno.env.get(name), "tmux");
    if (program === undefined) throw new Error("Cannot find tmux on PATH: these tests need it");
    super({ program, socket: `gsd-test-${crypto.randomUUID().slice(0, 8)}`, variables });
  }

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
    const script = `exec ${this.program} -L ${this.socket} -f /dev/null "$@"`;
    writeExecutable(`${folder}/tmux`, `#!/bin/sh\n${script}\n`);
    return `${folder}/tmux`;
  }

  /** The names of its sessions; none where it does not run. */
  async sessions(): Promise<string[]> {
    const names = await this.tmux("list-sessions", "-F", "#{session_name}").catch(() => "");
    return names.split("\n").filter(Boolean);
  }

  capture(session: string): Promise<string> {
    return this.tmux("capture-pane", "-p", "-t", `=${session}:`);
  }
}
