import { assertEquals } from "@std/assert";
import { record } from "../lib/journal.ts";
import { SpentToday } from "../lib/story/spent_today.ts";
import { TestHome } from "./support/home.ts";

Deno.test("SpentToday sums up the turns since midnight, and looks again after a while only", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const at = (hour: number, second = 0) => new Date(2026, 10, 17, hour, 0, second);
  const turn = (session: string, cost_usd: number, when: Date) => {
    const about = { session, agent_id: "forge", event: "Stop", wake_id: "W" };
    record(
      paths,
      { kind: "queued", ...about, trigger: "response_complete", cost_usd },
      when,
    );
  };
  const spent = new SpentToday(paths);
  assertEquals(spent.usd(at(8)), undefined);
  turn("docs", 4, at(-1));
  turn("docs", 0.25, at(1));
  turn("shop", 0.5, at(9));
  assertEquals(spent.usd(at(8, 10)), undefined, "it was read ten seconds ago");
  assertEquals(spent.usd(at(9, 1)), 0.75);
  assertEquals(spent.usd(at(25)), undefined, "another day");
});
