import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { accessFor } from "../lib/wall/access.ts";

const access = accessFor(8123, ["127.0.0.1", "localhost"], "right");

function judged(path: string, headers: Record<string, string>, method = "GET"): string {
  const request = new Request(`http://127.0.0.1:8123${path}`, { method, headers });
  const verdict = access.judge(request);
  return verdict.kind === "welcome" ? "welcome" : String(verdict.status);
}

Deno.test("only who has the token sees the wall", () => {
  const host = "127.0.0.1:8123";
  const cookie = "gsd_wall_8123=right";
  const cases: [string, string, string][] = [
    ["the address with the token", judged("/?token=right", { host }), "welcome"],
    ["a wrong token", judged("/?token=wrong", { host }), "401"],
    ["half a token", judged("/?token=righ", { host }), "401"],
    ["more than the token", judged("/?token=right1", { host }), "401"],
    ["an empty token", judged("/?token=", { host }), "401"],
    ["no token", judged("/", { host }), "401"],
    ["the cookie", judged("/events", { host, cookie: `a=b; ${cookie}` }), "welcome"],
    ["the cookie by another name", judged("/", { host, cookie: "gsd_wall_8124=right" }), "401"],
    ["an empty cookie", judged("/", { host, cookie: "gsd_wall_8123=" }), "401"],
    ["localhost", judged("/", { host: "localhost:8123", cookie }), "welcome"],
    ["another name for this machine", judged("/", { host: "evil.example:8123", cookie }), "403"],
    ["another port", judged("/", { host: "127.0.0.1:80", cookie }), "403"],
    ["no host", judged("/", { cookie }), "403"],
  ];
  for (const [what, verdict, expected] of cases) assertEquals(verdict, expected, what);
});

Deno.test("only the wall's own page may act", () => {
  const common = { host: "127.0.0.1:8123", cookie: "gsd_wall_8123=right" };
  const act = (more: Record<string, string>, path = "/act") =>
    judged(path, { ...common, ...more }, "POST");
  assertEquals(act({ origin: "http://127.0.0.1:8123" }), "welcome");
  assertEquals(act({ origin: "http://evil.example" }), "403");
  assertEquals(act({ origin: "null" }), "403");
  assertEquals(act({}), "403");
  const { cookie: _, ...without } = common;
  const byAddress = judged(
    "/act?token=right",
    { ...without, origin: "http://127.0.0.1:8123" },
    "POST",
  );
  assertEquals(byAddress, "401");
});

Deno.test("the token of each wall is its own, and long", () => {
  const [one, other] = [accessFor(1, ["127.0.0.1"]), accessFor(1, ["127.0.0.1"])];
  assertMatch(one.address, /^http:\/\/127\.0\.0\.1:1\/\?token=[0-9a-f]{48}$/);
  assertNotEquals(one.address, other.address);
  assertMatch(accessFor(1, ["::1"]).address, /^http:\/\/\[::1\]:1\//);
});

Deno.test("the cookie is for this host alone, and no script can read it", () => {
  const request = new Request("http://127.0.0.1:8123/?token=right", {
    headers: { host: "127.0.0.1:8123" },
  });
  const verdict = access.judge(request);
  assertEquals(
    verdict.kind === "welcome" && verdict.cookie,
    "gsd_wall_8123=right; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200",
  );
});
