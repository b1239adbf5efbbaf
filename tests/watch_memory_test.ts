import { assertEquals } from "@std/assert";
import { WatchMemory } from "../lib/fleet/watch_memory.ts";
import { NOW } from "./support/fleet_sessions.ts";
import { TestHome } from "./support/home.ts";

Deno.test("mayRecover() allows three recoveries an hour, also when the clock is set back", async () => {
  await using home = new TestHome();
  const memory = new WatchMemory(home.paths);
  const after = (minutes: number) => memory.mayRecover("shop-main", NOW + minutes * 60_000);
  for (const seconds of [0, 40, 80]) memory.noteRecovery("shop-main", NOW + seconds * 1000);
  assertEquals([2, 59, 61].map(after), [false, false, true]);
  assertEquals([-30, -61].map(after), [false, true]);
});
