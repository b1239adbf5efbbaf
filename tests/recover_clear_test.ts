import { assertEquals } from "@std/assert";
import { readJournal } from "../lib/journal.ts";
import { readMemory } from "../lib/session_memory.ts";
import { fixtureEvent } from "./support/fixtures.ts";
import { HookWorld, WARDEN } from "./support/hook_world.ts";

Deno.test("the SessionStart hook remembers /clear also for an agent that cannot be woken", async () => {
  await using world = await HookWorld.create({
    registry: { agents: [{ ...WARDEN, openclaw_session_key: "" }] },
  });
  const event = fixtureEvent("session_start-clear");
  assertEquals((await world.hook("session_start.ts", event)).code, 0);
  const { claude_session_id } = readMemory(world.paths, "warden-main");
  assertEquals(claude_session_id, (event as { session_id: string }).session_id);

  // Nobody is told of anything, and the journal says so.
  assertEquals((await world.hook("stop.ts", fixtureEvent("stop-plain"))).code, 0);
  assertEquals(world.wakes(), []);
  const kinds = [...readJournal(world.paths, "warden-main")].map(({ kind }) => kind);
  assertEquals(kinds, ["problem", "problem"]);

  const end = { ...fixtureEvent("session_end-prompt_input_exit"), session_id: claude_session_id };
  await world.hook("session_end.ts", end);
  assertEquals(readMemory(world.paths, "warden-main").ended, true, "it does not come back");
});
