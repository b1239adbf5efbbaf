/** The companion as a process beside a session of a real tmux, without a mod that listens. */

import { assertEquals } from "@std/assert";
import { main as rename } from "../commands/rename.ts";
import { main as spawn } from "../commands/spawn.ts";
import { listRoads } from "../lib/companion/road_file.ts";
import { ROOT } from "../lib/paths.ts";
import { startProgram } from "./support/child_process.ts";
import { writeExecutable } from "./support/executable.ts";
import { spawned } from "./support/recovering.ts";
import { inSessionWorld } from "./support/session_world.ts";
import { until } from "./support/until.ts";

Deno.test("companion speaks for its renamed session when another one has the old name", () =>
  inSessionWorld(async (world) => {
    const { paths, variables } = world;
    const old = await spawned(world, "anvil");
    writeExecutable(`${paths.data}/bin/deliver`, "#!/bin/sh\n"); // wakes stay where they are
    const asked = "#{pane_id} #{socket_path},#{pid},0";
    const place = await world.tmux("display-message", "-p", "-t", `=${old}:`, asked);
    const [TMUX_PANE = "", TMUX = ""] = place.split(" ");
    const script = `'${Deno.execPath()}' run -A --quiet --no-check '${ROOT}/commands/companion.ts'`;
    // A shell in the place of Claude Code, whose child it is.
    const claude = startProgram(
      ["/bin/sh", "-c", `${script} & wait`],
      { ...variables, TMUX, TMUX_PANE },
    );
    const roadOf = (name: string) =>
      until(`the road of ${name}`, () => listRoads(paths).find(({ session }) => session === name));
    try {
      await roadOf(old);
      assertEquals(await rename([old, "docs"], world), 0, world.warned.join("\n"));
      await roadOf("docs");
      assertEquals(await spawn(["anvil", "p", "", "--name", old], world), 0);
      // Now tmux cannot say any more which session the companion belongs to.
      await world.tmux("kill-session", "-t", "=docs");
    } finally {
      claude.child.kill("SIGKILL");
      await claude.done;
    }
    const wakes = world.wakes("anvil") as { trigger: string; session?: string }[];
    assertEquals(wakes.map(({ trigger, session }) => [trigger, session]), [
      ["session_lost", "docs"],
    ]);
  }));
