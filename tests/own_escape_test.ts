import { assertEquals } from "@std/assert";
import { isOwnEscape, noteEscape } from "../lib/own_escape.ts";
import { TestHome } from "./support/home.ts";

Deno.test("isOwnEscape() is true for what follows the driver's key at once", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const at = Date.parse("2026-11-17T14:00:00Z");
  assertEquals(isOwnEscape(paths, "warden-main", at), false);
  noteEscape(paths, "warden-main", at);
  const answers = [-1, 0, 9_000, 10_000].map((ms) => isOwnEscape(paths, "warden-main", at + ms));
  assertEquals(answers, [false, true, true, false]);
  assertEquals(isOwnEscape(paths, "warden-main-2", at), false);
});
