import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main } from "../commands/recover.ts";
import { isToldOf, type Seen } from "../lib/sessions/comeback.ts";
import { readLaunch, writeLaunch } from "../lib/sessions/launch_files.ts";
import {
  another,
  brief,
  changeAgent,
  claudeIn,
  idOf,
  killServer,
  listAs,
  recover,
  remember,
  spawned,
} from "./support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";
import { until } from "./support/until.ts";

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

/** As the SessionEnd hook has it. */
function leave(world: SessionWorld, session: string, hours = 0): void {
  const launch = readLaunch(world.paths, session)!;
  writeLaunch(world.paths, { ...launch, started_at: hoursAgo(hours + 1) });
  const claude_session_id = idOf(world, session);
  remember(world, session, { claude_session_id, ended: true, updated_at: hoursAgo(hours) });
}

/** Somebody works in the shell that a killed Claude Code has left. */
async function occupy(world: SessionWorld, session: string): Promise<void> {
  await until("another program", async () => {
    await world.tmux("send-keys", "-t", `=${session}:`, "C-u", "sleep 1000", "Enter");
    const format = "#{pane_current_command}";
    return await world.tmux("list-panes", "-t", `=${session}:`, "-F", format) === "sleep";
  });
}

Deno.test("recover() brings a killed session back beside the program that was started in it", () =>
  inSessionWorld(async (world) => {
    const first = await spawned(world, "anvil");
    const second = await another(world, "anvil");
    const id = idOf(world, second);
    await world.killClaude(second);
    await occupy(world, second);
    assertEquals(brief((await recover(world)).agents), [
      [first, "alive", ""],
      ["anvil-main-3", "recovered", `resume ${id}`],
    ]);
    assertEquals((await recover(world)).agents.map(({ outcome }) => outcome), ["alive", "alive"]);
  }));

for (const isOccupied of [false, true]) {
  const holds = isOccupied ? "a program" : "a shell";
  Deno.test(`recover() says that a session stays out that was left and holds ${holds}`, () =>
    inSessionWorld(async (world) => {
      await spawned(world, "anvil");
      const second = await another(world, "anvil");
      const id = idOf(world, second);
      await world.killClaude(second);
      leave(world, second, 100);
      if (isOccupied) await occupy(world, second);
      for (const args of [["--dry-run"], []]) {
        world.said.length = 0;
        assertEquals(await main(["--skip-sync", ...args], world), 0);
        assertEquals(world.said, [
          "anvil in anvil-main: alive",
          "anvil in anvil-main-2: left out: it was left with /exit or the like; " +
          "deno task recover --agent anvil brings it back",
        ]);
      }
      const back = isOccupied ? "anvil-main-3" : second;
      assertEquals(brief((await recover(world, "--agent", "anvil")).agents), [
        ["anvil-main", "alive", ""],
        [back, "recovered", `resume ${id}`],
      ]);
    }));
}

for (const isLeft of [false, true]) {
  const what = isLeft ? "left and closed" : "closed";
  Deno.test(`recover() says how a session comes back that was ${what}`, () =>
    inSessionWorld(async (world) => {
      await spawned(world, "anvil");
      const second = await another(world, "anvil");
      const id = idOf(world, second);
      await world.tmux("kill-session", "-t", `=${second}`);
      if (isLeft) leave(world, second);
      const { code, agents } = await recover(world);
      assertEquals([code, agents[1]!.outcome], [0, "left out"]);
      assertMatch(agents[1]!.detail, isLeft ? /^it was left/ : /^its .* closed;.* remove \//);
      assertStringIncludes(
        agents[1]!.detail,
        "; tmux new-session -d -s anvil-main-2, then deno task recover --agent anvil, brings it",
      );

      // As wide as the recorded screen, which does not wrap by itself.
      await world.tmux("new-session", "-d", "-s", second, "-x", "200", "-y", "50");
      assertEquals(brief((await recover(world, "--agent", "anvil")).agents), [
        ["anvil-main", "alive", ""],
        [second, "recovered", `resume ${id}`],
      ]);
    }));
}

Deno.test("recover() says of a session that was left under an old name how to have a new one", () =>
  inSessionWorld(async (world) => {
    await spawned(world, "anvil", { tmux_session_name: "old" });
    const left = await another(world, "anvil");
    leave(world, left, 2);
    await killServer(world);
    changeAgent(world, { tmux_session_name: "new" });
    const { agents } = await recover(world);
    assertEquals(agents.map(({ session, outcome }) => [session, outcome]), [
      ["new", "recovered"],
      ["old-2", "left out"],
    ]);
    assertStringIncludes(agents[1]!.detail, `deno task spawn anvil ${world.dir}/p starts a new`);
  }));

Deno.test("recover() says where the conversation of a killed session goes on", () =>
  inSessionWorld(async (world) => {
    const first = await spawned(world, "anvil");
    const second = await another(world, "anvil");
    const id = idOf(world, second);
    await world.killClaude(second);
    listAs(world, await claudeIn(world, first), id); // by /resume
    const { code, agents } = await recover(world);
    assertEquals([code, ...agents.map(({ outcome, detail }) => `${outcome}: ${detail}`)], [
      0,
      "alive: ",
      `left out: its conversation ${id} goes on in ${first}`,
    ]);
  }));

Deno.test("isToldOf() keeps a session that is gone for a day after it was left", () => {
  const seen: Seen = {
    state: "gone",
    isServerThere: true,
    endedAt: hoursAgo(23),
    isUntold: false,
    othersSign: "",
  };
  const table: [Partial<Seen>, boolean][] = [
    [{}, true],
    [{ endedAt: hoursAgo(25) }, false],
    [{ endedAt: hoursAgo(25), state: "shell" }, true],
    [{ endedAt: "" }, true],
  ];
  for (const [change, isTold] of table) {
    assertEquals(isToldOf({ ...seen, ...change }, Date.now()), isTold, JSON.stringify(change));
  }
});
