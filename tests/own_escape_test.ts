import { assertEquals } from "@std/assert";
import { noteEscape, ownEscape } from "../lib/own_escape.ts";
import { TestHome } from "./support/home.ts";

Deno.test("ownEscape() knows what follows the driver's key at once", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const at = Date.parse("2026-11-17T14:00:00Z");
  assertEquals(ownEscape(paths, "warden-main", at), undefined);
  noteEscape(paths, "warden-main", at);
  const answers = [-1, 0, 9_000, 10_000].map((ms) => ownEscape(paths, "warden-main", at + ms));
  assertEquals(answers, [undefined, at, at, undefined]);
  assertEquals(ownEscape(paths, "warden-main-2", at), undefined);
});
