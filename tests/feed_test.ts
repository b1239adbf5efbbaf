import { assertEquals } from "@std/assert";
import { Feed, type FeedEvent } from "../lib/wall/feed.ts";
import type { Tile } from "../lib/wall/tile.ts";
import { SimClock } from "./support/sim_clock.ts";

function tile(session: string, more: Partial<Tile> = {}): Tile {
  return {
    session,
    agent: "warden",
    state: "idle",
    now: "",
    unsent: 0,
    attach: "",
    open: [],
    ...more,
  };
}

class Stage {
  readonly sim = new SimClock(0);
  tiles: Tile[] = [tile("one"), tile("two")];
  texts: Record<string, string> = { one: "a\nb\n", two: "c\n" };
  looks = { tiles: 0, screens: 0 };
  readonly feed = new Feed({
    tiles: () => {
      this.looks.tiles++;
      return Promise.resolve(this.tiles);
    },
    screens: () => {
      this.looks.screens++;
      const seen = this.tiles.map(({ session }) => ({
        ...{ session, columns: 80, rows: 24 },
        text: this.texts[session] ?? "",
      }));
      return Promise.resolve(seen);
    },
  }, { now: () => this.sim.now, sleep: this.sim.sleep });
  readonly events: FeedEvent[] = [];

  open(): () => void {
    return this.feed.listen((event) => this.events.push(event));
  }

  async pass(ms: number): Promise<FeedEvent[]> {
    await this.sim.run(this.sim.now + ms);
    return this.events.splice(0);
  }
}

Deno.test("a page gets everything first, then only what changes", async () => {
  const stage = new Stage();
  const close = stage.open();
  const first = await stage.pass(100);
  assertEquals(first.map(({ kind }) => kind), ["tiles", "screen", "screen"]);
  assertEquals(await stage.pass(5000), []);
  stage.texts.one = "a\nB\n";
  assertEquals(await stage.pass(500), [
    {
      kind: "screen",
      session: "one",
      columns: 80,
      rows: 24,
      all: false,
      lines: [[1, [{ t: "B" }]]],
    },
  ]);
  close();
});

Deno.test("a second page gets what is known, at once", async () => {
  const stage = new Stage();
  stage.open();
  await stage.pass(100);
  const second: FeedEvent[] = [];
  stage.feed.listen((event) => second.push(event));
  assertEquals(second.map(({ kind }) => kind), ["tiles", "screen", "screen"]);
});

Deno.test("while no page is open, nothing is read", async () => {
  const stage = new Stage();
  await stage.pass(60_000);
  assertEquals(stage.looks, { tiles: 0, screens: 0 });
  stage.open()();
  await stage.pass(1000);
  const { tiles, screens } = stage.looks;
  await stage.pass(60_000);
  assertEquals(stage.looks, { tiles, screens });
  stage.texts.two = "later\n";
  stage.open();
  const again = await stage.pass(100);
  assertEquals(again.map(({ kind }) => kind), ["tiles", "screen", "screen"]);
});

Deno.test("a change is seen within half a second", async () => {
  const stage = new Stage();
  stage.open();
  await stage.pass(1000);
  stage.texts.one = "new\nb\n";
  assertEquals((await stage.pass(499)).length, 1);
});

Deno.test("after an action the tiles are read at once", async () => {
  const stage = new Stage();
  stage.open();
  await stage.pass(300);
  stage.tiles = [tile("one", { state: "working" })];
  stage.feed.nudge();
  assertEquals((await stage.pass(300)).map(({ kind }) => kind), ["tiles"]);
});

Deno.test("what cannot be read is said, and tried again", async () => {
  const stage = new Stage();
  const { tiles } = stage.feed.source;
  stage.feed.source.tiles = () => Promise.reject(new Error("the registry is broken"));
  stage.open();
  assertEquals((await stage.pass(100))[0], { kind: "trouble", reason: "the registry is broken" });
  stage.feed.source.tiles = tiles;
  assertEquals((await stage.pass(2000)).some(({ kind }) => kind === "tiles"), true);
});
