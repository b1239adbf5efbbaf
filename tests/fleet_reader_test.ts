import { assertEquals, assertMatch } from "@std/assert";
import { FleetReader } from "../lib/fleet/fleet_reader.ts";
import { ScreenTimes } from "../lib/fleet/screen_times.ts";
import { viewsOf } from "../lib/fleet/session_view.ts";
import { killServer, remember, spawned, tmuxThat } from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";
import { writeExecutable } from "./support/executable.ts";
import { says } from "./support/watching.ts";

/** What the fleet shows of each session, in a few words. */
function looker(world: SessionWorld) {
  const reader = new FleetReader(world, new ScreenTimes(world.paths));
  return async () => {
    const observation = await reader.read();
    assertEquals(observation.problems, []);
    return viewsOf(observation);
  };
}

const brief = (views: { session: string; agent_id: string; state: string }[]) =>
  views.map(({ session, agent_id, state }) => [session, agent_id, state]);

Deno.test("FleetReader sees a session by its screen, then by Claude Code's own list", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const look = looker(world);
    assertEquals(brief(await look()), [[session, "anvil", "idle"]]);
    await says(world, session, { status: "waiting", waitingFor: "input needed" });
    const later = looker(world);
    assertEquals(brief(await later()), [[session, "anvil", "asks"]]);
    await says(world, session, { status: "busy", statusUpdatedAt: Date.now() });
    const [view] = await later();
    assertEquals(view!.state, "working");
    assertMatch(view!.evidence, /says that it is busy since 20/);
  }));

Deno.test("FleetReader sees that Claude Code was killed, left, or lost with its server", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const look = looker(world);
    await says(world, session, { status: "idle" });
    assertEquals(brief(await look()), [[session, "anvil", "idle"]]);
    await world.killClaude(session);
    const [lost] = await look();
    assertEquals(lost!.state, "lost");
    assertMatch(lost!.evidence, /^no SessionEnd came; process \d+ has ended; only a shell is left/);
    remember(world, session, { agent_id: "anvil", ended: "prompt_input_exit" });
    assertEquals(brief(await look()), [[session, "anvil", "ended"]]);
    remember(world, session, { agent_id: "anvil", ended: "" });
    await killServer(world);
    const [gone] = await look();
    assertEquals([gone!.state, gone!.seen.isServerThere], ["lost", false]);
  }));

Deno.test("FleetReader follows Claude's id when its tmux session is renamed", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await says(world, session, { status: "idle" });
    const look = looker(world);
    await look();
    await world.tmux("rename-session", "-t", `=${session}`, "mine");
    const [view, ...more] = await look();
    assertEquals([view!.state, view!.seen.renamedTo, more], ["idle", "mine", []]);
    remember(world, session, { agent_id: "anvil", ended: "prompt_input_exit" });
    assertEquals(brief(await look()), [[session, "anvil", "ended"]], "it was left before");
    remember(world, session, { agent_id: "anvil", ended: "" });
    await world.tmux("rename-session", "-t", "=mine", `${session}-7`);
    assertEquals(brief(await look()), [[`${session}-7`, "anvil", "idle"]]);
  }));

Deno.test("FleetReader keeps to the last registry that could be read", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const reader = new FleetReader(world, new ScreenTimes(world.paths));
    await reader.read();
    world.registry("{ broken");
    const { sessions, problems } = await reader.read();
    assertEquals(sessions.map((one) => [one.session, one.holds]), [[session, "alive"]]);
    assertMatch(problems.join(), /Cannot use the registry .*: it is not JSON/);
  }));

Deno.test("FleetReader takes nothing for lost while tmux does not answer", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    let now = Date.now();
    const later = { ...world, now: () => new Date(now += 60_000) };
    const reader = new FleetReader(later, new ScreenTimes(world.paths));
    await reader.read();
    const tmux = world.variables.GSD_TMUX!;
    for (const calls of ["*", "*list-panes\\ -s*"]) {
      world.variables.GSD_TMUX = tmuxThat(
        world,
        tmux,
        `${calls}) echo "fork failed" >&2; exit 1;;`,
      );
      const { sessions, servers, problems } = await reader.read();
      assertEquals(sessions.map((one) => [one.session, one.holds]), [[session, "alive"]]);
      assertEquals(servers.map(({ isStale }) => isStale), [true], "recover leaves it alone");
      assertMatch(problems.join(), /fork failed/);
    }
  }));

Deno.test("FleetReader calls tmux once where nothing has changed", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await says(world, session, { status: "idle" });
    const log = `${world.dir}/calls`;
    const program = `${world.dir}/tmux-that-counts`;
    const tmux = world.variables.GSD_TMUX;
    writeExecutable(program, `#!/bin/sh\necho "$2" >> ${log}\nexec ${tmux} "$@"\n`);
    world.variables.GSD_TMUX = program;
    let now = Date.now();
    const reader = new FleetReader(
      { ...world, now: () => new Date(now) },
      new ScreenTimes(world.paths),
    );
    const calls = async () => {
      Deno.writeTextFileSync(log, "");
      now += 60_000; // long after the pane's last change
      await reader.read();
      return Deno.readTextFileSync(log).trim().split("\n");
    };
    assertEquals(await calls(), ["list-panes", "display-message"]);
    assertEquals(await calls(), ["list-panes"]);
    assertEquals(await calls(), ["list-panes"]);
  }));
