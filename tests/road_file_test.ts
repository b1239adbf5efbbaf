import { assertEquals } from "@std/assert";
import { isSocketAt, roadPlaces, roadsDir } from "../lib/companion/road_file.ts";
import { TestHome } from "./support/home.ts";

Deno.test("roadPlaces() has one for the session, and one for a second pane in it", async () => {
  await using home = new TestHome();
  const dir = roadsDir(home.paths);
  const at = { session: "warden main", pane: "%3" };
  assertEquals(roadPlaces(home.paths, at), [`${dir}/warden%20main`, `${dir}/warden%20main.3`]);
  const deep = { state: `/${"x".repeat(120)}` };
  assertEquals(roadPlaces(deep, at), [], "no socket fits");
});

Deno.test("isSocketAt() knows a socket that was moved, and another one at its place", async () => {
  await using home = new TestHome();
  const [old, now] = [`${home.paths.state}/old`, `${home.paths.state}/now`];
  Deno.mkdirSync(home.paths.state, { recursive: true });
  using _listener = Deno.listen({ transport: "unix", path: `${old}.sock` });
  const { ino } = Deno.statSync(`${old}.sock`);
  assertEquals([isSocketAt(old, ino), isSocketAt(now, ino)], [true, false]);
  Deno.renameSync(`${old}.sock`, `${now}.sock`);
  Deno.writeTextFileSync(`${old}.sock`, "");
  assertEquals([isSocketAt(old, ino), isSocketAt(now, ino)], [false, true]);
});
