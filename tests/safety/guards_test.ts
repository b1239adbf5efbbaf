/** A hook loads the guards of foreign text late. A text that needs them must not do without. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { mayHoldSecret } from "../../lib/fence.ts";
import { fixtureEvent } from "../support/fixtures.ts";
import { HookWorld, section } from "../support/hook_world.ts";

/** Nothing in it needs a guard as long as it is whole. */
const LONG = "We saw in [1] and [2] that all is well. ".repeat(1000).trim();

async function wakeOf(text: string, prepare = (_: HookWorld) => {}): Promise<string> {
  await using world = await HookWorld.create();
  prepare(world);
  await world.hook("stop.ts", { ...fixtureEvent("stop-plain"), last_assistant_message: text });
  return world.wakes()[0]!;
}

Deno.test("a harmless text that is cut keeps its signs", async () => {
  assertEquals(mayHoldSecret(LONG), false);
  const wake = await wakeOf(LONG);
  const [head, note, tail] = section(wake, "CONTENT").split("\n");
  assertStringIncludes(LONG, head!.replace(/…$/, ""));
  assertMatch(note!, /^… \d+ of 39999 characters/);
  assertStringIncludes(LONG, tail!.replace(/^…/, ""));
});

Deno.test("why the whole text could not be kept is said", async () => {
  const wake = await wakeOf(LONG, (world) => {
    Deno.mkdirSync(`${world.dir}/state`, { recursive: true });
    Deno.writeTextFileSync(`${world.dir}/state/content`, "a file, no folder");
  });
  assertMatch(section(wake, "TRIGGER"), /^whole_text: could not be kept \(.+\)$/m);
});
