import { assertEquals } from "@std/assert";
import { spawned } from "./support/recovering.ts";
import { inSessionWorld } from "./support/session_world.ts";
import { says, watcher } from "./support/watching.ts";

Deno.test("watch reports a finding in its usual time, also when the clock is set back meanwhile", () =>
  inSessionWorld(async (world) => {
    const session = await spawned(world, "anvil");
    const watch = watcher(world).start();
    await says(world, session, { status: "idle", startedAt: Date.now() + 3_600_000 });
    assertEquals(await watch.look(0), []);
    await world.killClaude(session);
    assertEquals(await watch.look(60), [], "hooks and others come first");
    assertEquals(await watch.look(-1800), [], "from now on");
    assertEquals(await watch.look(5), [`${session} lost`]);
    await watch.settled();
  }));
