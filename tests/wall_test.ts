import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main, type WallWorld } from "../commands/wall.ts";
import { columnsUsed } from "../lib/wall/page/screen.js";
import { TestHome } from "./support/home.ts";
import { statusWorld } from "./support/status_world.ts";

/** Runs the command, lets `visit` use the address that it prints, and ends it. */
async function served(args: string[], visit: (address: string) => Promise<void>) {
  await using home = new TestHome();
  const warned: string[] = [];
  const printed = Promise.withResolvers<string>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const world: WallWorld = {
    ...statusWorld(home),
    say: printed.resolve,
    warn: (line) => void warned.push(line),
    ended,
    drive: () => Promise.resolve({ done: true, said: "" }),
  };
  const running = main(args, world);
  const code = await Promise.race([running, printed.promise.then(visit)]);
  end();
  return { code: code ?? await running, warned };
}

async function statusOf(address: string): Promise<number> {
  const answer = await fetch(address);
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("wall prints an address that opens it, and no other does", async () => {
  const { code, warned } = await served([], async (address) => {
    assertMatch(address, /^http:\/\/127\.0\.0\.1:\d+\/\?token=[0-9a-f]{48}$/);
    assertEquals(await statusOf(address), 200);
    assertEquals(await statusOf(address.replace(/.$/, "x")), 401);
  });
  assertEquals(code, 130);
  assertEquals(warned, ["Open this address in a browser. Ctrl-C ends the wall."]);
});

Deno.test("wall on every address warns, and can be opened by the one that it prints", async () => {
  const { warned } = await served(["--host", "0.0.0.0"], async (address) => {
    assertEquals(new URL(address).hostname === "0.0.0.0", false);
    assertEquals(await statusOf(address), 200);
  });
  assertStringIncludes(warned[0] ?? "", "Warning: 0.0.0.0 can be reached by others");
});

Deno.test("wall refuses what is no port, and says why it cannot listen", async () => {
  for (const port of ["x", "0", "70000", "1.5"]) {
    const { code, warned } = await served(["--port", port], () => Promise.resolve());
    assertEquals(code, 2);
    assertStringIncludes(warned[0] ?? "", "--port needs a number from 1 to 65535");
  }
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const port = String(taken.addr.port);
  const { code, warned } = await served(["--port", port], () => Promise.resolve());
  taken.close();
  assertEquals(code, 1);
  assertStringIncludes(warned[0] ?? "", `Cannot listen on 127.0.0.1 port ${port}`);
});

Deno.test("columnsUsed() counts a wide character as two columns", () => {
  const used = (text: string) => columnsUsed([[{ t: text }]], 200);
  assertEquals([used("x".repeat(90)), used("漢".repeat(45)), used("🧭".repeat(45))], [
    100,
    100,
    100,
  ]);
  assertEquals([used("x".repeat(61)), used("é".repeat(59))], [80, 60]);
});
