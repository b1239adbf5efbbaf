import { assert, assertEquals } from "@std/assert";
import { WAKES } from "../lib/story/wake_words.ts";
import { ROOT } from "./support/hook_world.ts";

Deno.test("every wake that the code makes has a word of its own in the log", async () => {
  const words = ["-rhoE", 'trigger: "[a-z_]+"', `${ROOT}/lib`, `${ROOT}/hooks`];
  const { stdout } = await new Deno.Command("grep", { args: words }).output();
  const made = new TextDecoder().decode(stdout).match(/(?<=")[a-z_]+(?=")/g) ?? [];
  assert(made.length > 20);
  assertEquals(made.filter((trigger) => !WAKES.has(trigger)), []);
});
