import { assertEquals, assertMatch } from "@std/assert";
import { main as stop } from "../commands/stop.ts";
import { readJournal } from "../lib/journal_read.ts";
import { whyBusy } from "../lib/sessions/stop_session.ts";
import { fixturePane } from "./support/fixtures.ts";
import {
  another,
  brief,
  idOf,
  killServer,
  readLaunch,
  recover,
  spawned,
} from "./support/recovering.ts";
import { inSessionWorld } from "./support/session_world.ts";

Deno.test("stop ends Claude Code, and recover brings it back only by its name", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const id = idOf(world, session);
    assertEquals(await stop([session, "--dry-run"], world), 0, world.warned.join("\n"));
    assertEquals(readLaunch(world.paths, session).stopped_at, undefined);
    assertEquals(await stop([session, "--json"], world), 0, world.warned.join("\n"));
    const stopped = { session, agent_id: "anvil", state: "stopped" };
    assertEquals(JSON.parse(world.said.at(-1)!), stopped);
    assertEquals(Array.from(readJournal(world.paths, session), ({ reason }) => reason), [
      ...["spawned", "stopped"],
    ]);
    for (const args of [[], ["--agent", "anvil"]]) {
      const [one] = (await recover(world, ...args)).agents;
      assertEquals(one!.outcome, "left out");
      assertMatch(one!.detail, /^it was stopped; .*recover anvil-main brings it back$/);
    }
    // Its name is kept for it.
    assertEquals(await another(world, "anvil"), "anvil-main-2");
    await killServer(world);
    const back = await recover(world, session);
    assertEquals(brief(back.agents), [[session, "recovered", `resume ${id}`]]);
    assertEquals(readLaunch(world.paths, session).stopped_at, undefined);
    assertEquals((await recover(world)).agents.map(({ outcome }) => outcome).sort(), [
      ...["alive", "recovered"],
    ]);
  }));

Deno.test("stop marks a session that was killed before, so that recover leaves it alone", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    await killServer(world);
    assertEquals(await stop([session, "--json"], world), 0, world.warned.join("\n"));
    assertEquals(JSON.parse(world.said.at(-1)!).state, "not running");
    assertEquals((await recover(world)).outcomes, { anvil: "left out" });
  }));

Deno.test("stop waits for the turn's end, and says what is in the way", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_CLAUDE = "";
    const claude_launch_command = world.standIn("busy", "02-working.txt");
    const session = await spawned(world, "anvil");
    world.registry({ agents: [{ agent_id: "anvil", claude_launch_command }] });
    await world.tmux("respawn-pane", "-k", "-t", `=${session}:`, claude_launch_command);
    assertEquals(await stop([session, "--wait", "0.5"], world), 1);
    assertMatch(world.warned.at(-1)!, /^Cannot stop "anvil-main": .*; --now ends it nevertheless/);
    assertEquals(readLaunch(world.paths, session).stopped_at, undefined);
    assertEquals(await stop([session, "--now"], world), 0, world.warned.join("\n"));
    assertMatch(world.said.at(-2)!, /has ended; its conversation is kept$/);
    assertEquals(await stop([], world), 2);
    assertEquals(await stop(["nothing"], world), 1);
    assertMatch(world.warned.at(-1)!, /there is no session "nothing"$/);
  }));

const BUSY: Record<string, RegExp | undefined> = {
  "01-idle-fresh": undefined,
  "08-bash-mode": /draft/,
  "02-working": /Claude is working/,
  "10-ask-single": /dialog/,
  "30-permission-bash": /dialog/,
  "41-error-e500": undefined,
};
for (const [pane, reason] of Object.entries(BUSY)) {
  Deno.test(`whyBusy() of ${pane}: ${reason ?? "it can be ended"}`, () => {
    const why = whyBusy(fixturePane(pane));
    if (reason === undefined) assertEquals(why, undefined);
    else assertMatch(why ?? "", reason);
  });
}
