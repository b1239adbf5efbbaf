import { assertEquals } from "@std/assert";
import { roadsDir, writeRoad } from "../lib/companion/road_file.ts";
import { modRoad } from "../lib/driver/mod_road.ts";
import { TestHome } from "./support/home.ts";

const AT = { pane: "%1", server: 7 };

/** A road whose socket is at `socket`, as a companion leaves it that was killed. */
function roadTo(paths: TestHome["paths"], socket: string) {
  Deno.mkdirSync(roadsDir(paths), { recursive: true });
  const road = { session: "s", ...AT, pid: 1, claude_pid: 1, socket, since: "" };
  writeRoad(`${roadsDir(paths)}/s.json`, road);
  return modRoad(paths, AT)!;
}

Deno.test("modRoad() says that nothing was sent to a stale socket, or to none", async () => {
  await using home = new TestHome();
  const socket = `${home.dir}/s.sock`;
  const mod = roadTo(home.paths, socket);
  assertEquals((await mod.order({ op: "draft" }, 100)).kind, "closed");
  const server = Deno.listen({ transport: "unix", path: `${socket}.made` });
  Deno.renameSync(`${socket}.made`, socket); // so that it stays when nobody listens any more
  server.close();
  assertEquals(Deno.statSync(socket).isSocket, true);
  assertEquals((await mod.order({ op: "abort" }, 100)).kind, "closed");
  assertEquals(await mod.state(), undefined);
  assertEquals(modRoad(home.paths, { ...AT, pane: "%2" }), undefined, "another pane");
  assertEquals(modRoad(home.paths, { ...AT, server: 8 }), undefined, "another tmux server");
});

Deno.test("modRoad() is unsure about an order where garbage or nothing comes back", async () => {
  for (const answer of ["\u0000garbage\n\n", "HTTP/1.1 200 OK\r\n\r\nno JSON", ""]) {
    await using home = new TestHome();
    const socket = `${home.dir}/s.sock`;
    using server = Deno.listen({ transport: "unix", path: socket });
    const serving = (async () => {
      using connection = await server.accept();
      await connection.read(new Uint8Array(4096));
      await connection.write(new TextEncoder().encode(answer));
    })();
    const mod = roadTo(home.paths, socket);
    assertEquals((await mod.order({ op: "abort" }, 5000)).kind, "unsure", JSON.stringify(answer));
    await serving;
  }
});
