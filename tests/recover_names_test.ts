import { assertEquals, assertStringIncludes } from "@std/assert";
import { readLaunch, writeLaunch } from "../lib/sessions/launch_files.ts";
import {
  another,
  brief,
  changeAgent,
  idOf,
  killServer,
  recover,
  remember,
  sessions,
  spawned,
} from "./support/recovering.ts";
import { inSessionWorld } from "./support/session_world.ts";

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

Deno.test("recover() leaves a session that was left before a power cut took the others", () =>
  inSessionWorld(async (world) => {
    const idle = await spawned(world, "anvil");
    const left = await another(world, "anvil");
    for (const session of [idle, left]) {
      const launch = readLaunch(world.paths, session)!;
      writeLaunch(world.paths, { ...launch, started_at: minutesAgo(60) });
    }
    remember(world, idle, { claude_session_id: idOf(world, idle), updated_at: minutesAgo(20) });
    const ended = { claude_session_id: idOf(world, left), updated_at: minutesAgo(10) };
    remember(world, left, { ...ended, ended: true });
    await killServer(world);
    assertEquals(brief((await recover(world)).agents), [
      [idle, "recovered", `resume ${idOf(world, idle)}`],
      [left, "left out", ""],
    ]);
  }));

Deno.test("spawn leaves the name of a session to it that recover() will bring back", () =>
  inSessionWorld(async (world) => {
    const lost = await spawned(world, "anvil");
    const id = idOf(world, lost);
    await killServer(world);
    const next = await another(world, "anvil");
    assertEquals([lost, next], ["anvil-main", "anvil-main-2"]);
    assertEquals(brief((await recover(world)).agents), [
      [lost, "recovered", `resume ${id}`],
      [next, "alive", ""],
    ]);

    // Closed by hand while its server runs on, nobody waits for it.
    await world.tmux("kill-session", "-t", `=${lost}`);
    assertEquals(await another(world, "anvil"), lost);
  }));

Deno.test("recover() brings every lost session back under the agent's new name", () =>
  inSessionWorld(async (world) => {
    const old = [await spawned(world, "anvil", { tmux_session_name: "old" })];
    old.push(await another(world, "anvil"), await another(world, "anvil"));
    const ids = old.map((session) => idOf(world, session));
    await killServer(world);
    changeAgent(world, { tmux_session_name: "new" });
    const { agents } = await recover(world);
    assertEquals(agents.map(({ session }) => session).sort(), ["new", "new-2", "new-3"]);
    assertEquals(
      agents.map(({ conversation }) => conversation).sort(),
      ids.map((id) => `resume ${id}`).sort(),
    );
    assertEquals((await recover(world)).agents.map(({ outcome }) => outcome), [
      ...["alive", "alive", "alive"],
    ]);
  }));

Deno.test("spawn and recover() take a tmux_session_name of blanks for none", () =>
  inSessionWorld(async (world) => {
    assertEquals(await spawned(world, "anvil", { tmux_session_name: "  " }), "anvil-main");
    assertStringIncludes(Deno.readTextFileSync(world.paths.registry), `"anvil-main"`);
    changeAgent(world, { tmux_session_name: " " });
    assertEquals((await recover(world)).outcomes, { anvil: "alive" });
    assertStringIncludes(Deno.readTextFileSync(world.paths.registry), `"anvil-main"`);
    assertEquals(await sessions(world), ["anvil-main"]);
  }));
