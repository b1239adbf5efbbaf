import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { realClock } from "../lib/time.ts";
import { accessFor } from "../lib/wall/access.ts";
import { Feed, type FeedEvent } from "../lib/wall/feed.ts";
import type { Tile } from "../lib/wall/tile.ts";
import type { WallOrder } from "../lib/wall/wall_action.ts";
import { answerer } from "../lib/wall/wall_server.ts";
import { until } from "./support/until.ts";

const TILE: Tile = {
  ...{ session: "shop-main", agent: "warden", state: "idle", now: "All tests pass" },
  ...{ unsent: 0, attach: "tmux attach", open: [] },
};

/** The wall's server on a free port. */
class Wall implements AsyncDisposable {
  readonly orders: WallOrder[] = [];
  readonly feed = new Feed({
    tiles: () => Promise.resolve([TILE]),
    screens: () =>
      Promise.resolve([{ session: "shop-main", columns: 80, rows: 24, text: "hello\n" }]),
  }, realClock);
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly base: string;

  constructor() {
    const handle = { answer: (_: Request) => Promise.resolve(new Response()) };
    const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
    this.#server = Deno.serve(options, (request) => handle.answer(request));
    const { port } = this.#server.addr;
    this.base = `http://127.0.0.1:${port}`;
    handle.answer = answerer({
      access: accessFor(port, ["127.0.0.1"], "right"),
      feed: this.feed,
      story: (
        session,
      ) => [{ at: "", who: "Claude", kind: "told", text: session, note: "", tone: "quiet" }],
      act: (order) => {
        this.orders.push(order);
        const done = !order.words.includes("choose");
        return Promise.resolve({ done, said: done ? "Sent" : "No question is open" });
      },
    });
  }

  get cookie(): string {
    return `gsd_wall_${new URL(this.base).port}=right`;
  }

  get(path: string, headers: Record<string, string> = { cookie: this.cookie }): Promise<Response> {
    return fetch(this.base + path, { headers });
  }

  act(body: string, headers: Record<string, string> = {}): Promise<Response> {
    const common = { cookie: this.cookie, origin: this.base, "content-type": "application/json" };
    return fetch(`${this.base}/act`, { method: "POST", body, headers: { ...common, ...headers } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

Deno.test("the page and its parts are served, with strict rules", async () => {
  await using wall = new Wall();
  const page = await wall.get("/?token=right", {});
  const html = await page.text();
  assertEquals(page.status, 200);
  assertStringIncludes(page.headers.get("set-cookie") ?? "", "HttpOnly");
  assertStringIncludes(page.headers.get("content-security-policy") ?? "", "default-src 'none'");
  const parts = [...html.matchAll(/(?:src|href)="([\w.]+)"/g)].map(([, part]) => part!);
  assertEquals(parts.toSorted(), ["icon.svg", "wall.css", "wall.js"]);
  const imported = new Set<string>();
  for (const part of parts) {
    const answer = await wall.get(`/${part}`);
    assertEquals(answer.status, 200, part);
    for (const [, name] of (await answer.text()).matchAll(/from "\.\/([\w.]+)"/g)) {
      imported.add(name!);
    }
  }
  for (const part of imported) {
    const answer = await wall.get(`/${part}`);
    assertEquals(answer.status, 200, part);
    await answer.body?.cancel();
  }
  // Nothing comes from elsewhere, and nothing is inline.
  assert(!/https?:\/\//.test(html));
  assert(!/<script(?![^>]*src=)|style=|onclick=/.test(html));
});

Deno.test("without the token there is nothing", async () => {
  await using wall = new Wall();
  for (const path of ["/", "/wall.js", "/events", "/story?session=shop-main", "/?token=wrong"]) {
    const answer = await wall.get(path, {});
    assertEquals(answer.status, 401, path);
    assert(!(await answer.text()).includes("shop-main"));
    assertEquals(answer.headers.get("set-cookie"), null);
  }
});

Deno.test("only the page's own files are served", async () => {
  await using wall = new Wall();
  for (
    const path of [
      "/wall_server.ts",
      "/../tile.ts",
      "/%2e%2e/tile.ts",
      "/page/wall.js",
      "/toString",
    ]
  ) {
    const answer = await wall.get(path);
    assertEquals(answer.status, 404, path);
    await answer.body?.cancel();
  }
});

Deno.test("a page that listens gets tiles and screens; when it goes, reading ends", async () => {
  await using wall = new Wall();
  const stop = new AbortController();
  const answer = await fetch(`${wall.base}/events`, {
    headers: { cookie: wall.cookie },
    signal: stop.signal,
  });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes('"kind":"screen"')) text += (await reader.read()).value ?? "";
  const [tiles, screen] = text.split("\n").filter((line) => line.startsWith("data: "))
    .map((line): FeedEvent => JSON.parse(line.slice(6)));
  assertEquals(tiles, { kind: "tiles", tiles: [TILE] });
  assertEquals(screen?.kind === "screen" && screen.lines, [[0, [{ t: "hello" }]]]);
  assertEquals(wall.feed.listeners, 1);
  stop.abort();
  await reader.cancel().catch(() => {});
  await until("no page listens", () => Promise.resolve(wall.feed.listeners === 0), { everyMs: 20 });
});

Deno.test("an action is carried out once, and its words come back", async () => {
  await using wall = new Wall();
  const sent = await wall.act(
    JSON.stringify({ session: "shop-main", action: "type", text: "Go on" }),
  );
  assertEquals([sent.status, await sent.json()], [200, { done: true, said: "Sent" }]);
  assertEquals(wall.orders.length, 1);
  const refused = await wall.act(
    JSON.stringify({ session: "shop-main", action: "choose", number: 1, question: "q-1" }),
  );
  assertEquals([refused.status, await refused.json()], [
    409,
    { done: false, said: "No question is open" },
  ]);
});

Deno.test("an action that is none, or another page's, does nothing", async () => {
  await using wall = new Wall();
  const good = JSON.stringify({ session: "shop-main", action: "esc" });
  const cases: [number, Promise<Response>][] = [
    [403, wall.act(good, { origin: "http://evil.example" })],
    [401, wall.act(good, { cookie: "" })],
    [415, wall.act(good, { "content-type": "text/plain" })],
    [400, wall.act("{")],
    [400, wall.act(JSON.stringify({ session: "shop-main", action: "enter" }))],
    [413, wall.act(JSON.stringify({ session: "x".repeat(1_100_000), action: "esc" }))],
    [
      405,
      fetch(`${wall.base}/act`, {
        method: "DELETE",
        headers: { cookie: wall.cookie, origin: wall.base },
      }),
    ],
  ];
  for (const [status, asked] of cases) {
    const answer = await asked;
    assertEquals(answer.status, status);
    await answer.body?.cancel();
  }
  assertEquals(wall.orders, []);
});

Deno.test("the story of a session is given as data", async () => {
  await using wall = new Wall();
  const answer = await wall.get(`/story?session=${encodeURIComponent("a b/ü")}`);
  assertEquals(await answer.json(), [{
    at: "",
    who: "Claude",
    kind: "told",
    text: "a b/ü",
    note: "",
    tone: "quiet",
  }]);
});
