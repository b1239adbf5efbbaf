import { assertEquals, assertStringIncludes } from "@std/assert";
import { FindingMarks } from "../lib/fleet/finding_marks.ts";
import { viewOf } from "../lib/fleet/session_view.ts";
import { TurnStops } from "../lib/fleet/turn_stops.ts";
import { agentOf, entryOf, minutesAgo, NOW, seen } from "./support/fleet_sessions.ts";
import { TestHome } from "./support/home.ts";

const ABOUT = { of: "c-1", counted: 0 };

Deno.test("TurnStops says why a turn was not stopped when its mark cannot be written", async () => {
  await using home = new TestHome();
  const view = viewOf(seen({ agent: agentOf(), entry: entryOf("busy") }), NOW);
  const since = minutesAgo(1);
  view.budgets = [{ measure: "session", spent: 12, limit: 10, level: "reached", since, ...ABOUT }];
  let stopped = 0;
  const stopTurn = () => Promise.resolve(void stopped++);
  const stops = new TurnStops(
    { paths: home.paths, now: () => new Date(NOW) },
    new FindingMarks(home.paths),
    stopTurn,
  );
  await Deno.mkdir(`${home.paths.state}/watch`, { recursive: true });
  await Deno.writeTextFile(`${home.paths.state}/watch/told`, "");
  const outcome = (await stops.stop([view])).get("warden")?.get("shop-main") ?? "";
  assertStringIncludes(outcome, "watch/told");
  assertEquals(stopped, 0);
});
