import { assertEquals } from "@std/assert";
import { readLaunch } from "../lib/sessions/launch_files.ts";
import { another, brief, idOf, killServer, recover, spawned } from "./support/recovering.ts";
import { inSessionWorld } from "./support/session_world.ts";

Deno.test("recover() brings a session back whose restart failed once", () =>
  inSessionWorld(async (world) => {
    const first = await spawned(world, "anvil");
    const before = readLaunch(world.paths, first)!;
    const second = await another(world, "anvil");
    await killServer(world);
    const tmux = world.variables.GSD_TMUX!;
    world.variables.GSD_TMUX = `${world.dir}/tmux-failing`;
    Deno.writeTextFileSync(
      world.variables.GSD_TMUX,
      `#!/bin/sh\ncase "$*" in *new-session*"-s anvil-main "*) echo "fork failed" >&2; exit 1;; esac\n` +
        `exec ${tmux} "$@"\n`,
      { mode: 0o755 },
    );
    assertEquals((await recover(world)).agents.map(({ outcome }) => outcome).sort(), [
      "failed",
      "recovered",
    ]);
    const { tmux_socket, tmux_server, untold } = readLaunch(world.paths, first)!;
    assertEquals(
      [tmux_socket, tmux_server, untold !== undefined],
      [before.tmux_socket, before.tmux_server, true],
    );

    world.variables.GSD_TMUX = tmux;
    assertEquals(brief((await recover(world)).agents), [
      [first, "recovered", `resume ${idOf(world, first)}`],
      [second, "alive", ""],
    ]);
  }));

Deno.test("recover() fails with tmux's words when it names no pane for a new session", () =>
  inSessionWorld(async (world) => {
    await spawned(world, "anvil");
    await killServer(world);
    const tmux = world.variables.GSD_TMUX!;
    world.variables.GSD_TMUX = `${world.dir}/tmux-odd`;
    const odd = `case "$*" in *new-session*) echo "odd words"; exit 0;; esac`;
    Deno.writeTextFileSync(
      world.variables.GSD_TMUX,
      `#!/bin/sh\n${odd}\nexec ${tmux} "$@"\n`,
      { mode: 0o755 },
    );
    const { agents } = await recover(world);
    assertEquals(agents.map(({ outcome, detail }) => [outcome, detail]), [
      ["failed", `tmux new-session named no pane for anvil-main, but said: odd words`],
    ]);
    world.variables.GSD_TMUX = tmux;
  }));
