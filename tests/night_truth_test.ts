import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  compare,
  type Fact,
  faultsIn,
  type Heard,
  rowsOf,
  tableOf,
} from "./support/night_truth.ts";

const T = Date.parse("2026-11-17T02:00:00Z");

const fact = (more: Partial<Fact> = {}): Fact => ({
  ...{ fault: "Claude Code killed", session: "docs", at: T, triggers: ["session_lost"], ...more },
});

const wake = (seconds: number, more: Partial<Heard> = {}): Heard => ({
  ...{ at: T + seconds * 1000, wakeId: `w${seconds}`, agent: "warden", session: "docs" },
  ...{ trigger: "session_lost", message: "gone", ...more },
});

const wrong = (facts: Fact[], heard: Heard[], outages: { from: number; to: number }[] = []) =>
  faultsIn(compare(facts, heard, outages));

Deno.test("faultsIn() has nothing to say of what was reported once, in time", () => {
  assertEquals(wrong([fact()], [wake(59)]), []);
});

Deno.test("faultsIn() names what was reported late, twice, never, or without a cause", () => {
  const cases: [Fact[], Heard[], string][] = [
    [[fact()], [wake(61)], "told after 61 s: 02:00:00.000 docs: Claude Code killed"],
    [[fact()], [wake(4), wake(9)], "told 2 times: 02:00:00.000 docs"],
    [[fact()], [], "never told: 02:00:00.000 docs"],
    [[fact()], [wake(4), wake(5, { session: "shop" })], "told without a cause: 02:00:05.000 shop"],
    [[fact({ part: "A1A" })], [wake(4, { message: "A2A" })], "told without a cause"],
    [[fact({ at: T + 60_000 }), fact()], [wake(4)], "never told: 02:01:00.000 docs"],
  ];
  for (const [facts, heard, said] of cases) assertStringIncludes(wrong(facts, heard).join(), said);
});

Deno.test("faultsIn() counts from the end of an outage that began in time", () => {
  const outage = { from: T + 10_000, to: T + 100_000 };
  assertEquals(wrong([fact()], [wake(150)], [outage]), []);
  assertEquals(wrong([fact()], [wake(161)], [outage]).length, 1);
  // Whoever should have known before it began has no excuse.
  assertEquals(wrong([fact()], [wake(150)], [{ from: T + 70_000, to: T + 100_000 }]).length, 1);
});

Deno.test("faultsIn() gives an overloaded machine more time, in proportion", () => {
  assertEquals(wrong([fact()], [wake(119, { load: 4 })]), []);
  assertEquals(wrong([fact()], [wake(121, { load: 4 })]).length, 1);
  assertEquals(wrong([fact()], [wake(61, { load: 2 })]).length, 1);
});

Deno.test("compare() gives each of two losses its own wake", () => {
  const { told } = compare([fact(), fact({ at: T + 90_000 })], [wake(4), wake(95)], []);
  assertEquals(told.map(({ seconds }) => seconds), [4, 5]);
});

Deno.test("tableOf() has a line for each fault, with the median and the longest time", () => {
  const compared = compare([fact(), fact({ at: T + 90_000 })], [wake(4), wake(95)], []);
  const rows = rowsOf(compared, new Map([["Claude Code killed", [true, false]]]));
  assertStringIncludes(tableOf(rows), "| Claude Code killed | 2 | 4 | 5 | 1 of 2 |");
});
