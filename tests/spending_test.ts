import { assertEquals } from "@std/assert";
import {
  type CostReading,
  EMPTY,
  withJournal,
  withoutOld,
  withReading,
} from "../lib/fleet/spending.ts";

/** Sums of dollars, as far as a thousandth of a cent. */
const rounded = (usd: number) => Math.round(usd * 1e5) / 1e5;

const TODAY = "2026-11-17";
const NOW = Date.parse("2026-11-17T12:00:00Z");

type Step = Partial<CostReading> & { usd: number; date?: string };

/** After these readings: what each conversation has cost, and each agent by day. */
function after(steps: Step[]) {
  let ledger = EMPTY;
  steps.forEach(({ date = TODAY, ...step }, at) => {
    const reading = {
      ...{ agent_id: "warden", claude: "c-1", run: "100 1", isOfToday: true, resets: true },
      ...step,
    };
    ledger = withReading(ledger, reading, { date, now: NOW + at });
  });
  return ledger;
}

type Case = [name: string, steps: Step[], conversations: Record<string, number>, today: number];

const CASES: Case[] = [
  ["one counter that grows", [{ usd: 1 }, { usd: 1.5 }, { usd: 1.5 }], { "c-1": 1.5 }, 1.5],
  ["a new conversation in the same Claude Code", [{ usd: 3 }, { usd: 0.5, claude: "c-2" }], {
    ...{ "c-1": 3, "c-2": 0.5 },
  }, 3.5],
  [
    "a new conversation that costs more than the one before",
    [
      { usd: 1 },
      { usd: 4, claude: "c-2" },
    ],
    { "c-1": 1, "c-2": 4 },
    5,
  ],
  [
    "a counter that goes on after /clear, as 2.1.197 has it",
    [
      { usd: 0.52, resets: false },
      { usd: 0.52, resets: false, claude: "c-2" },
      { usd: 0.6, resets: false, claude: "c-2" },
    ],
    { "c-1": 0.52, "c-2": 0.08 },
    0.6,
  ],
  [
    "a status line whose counter begins at 0 after /clear",
    [
      { usd: 3, resets: false },
      { usd: 0, resets: false, claude: "c-2" },
      { usd: 1, resets: false, claude: "c-2" },
    ],
    { "c-1": 3, "c-2": 1 },
    4,
  ],
  [
    "resumed, with its counter as it was",
    [{ usd: 3 }, { usd: 3, run: "200 9" }, {
      ...{ usd: 3.5, run: "200 9" },
    }],
    { "c-1": 3.5 },
    3.5,
  ],
  ["killed and resumed, with a counter at 0", [{ usd: 3 }, { usd: 0.2, run: "200 9" }], {
    "c-1": 3.2,
  }, 3.2],
  [
    "back in an earlier conversation",
    [
      { usd: 3 },
      { usd: 1, claude: "c-2" },
      { usd: 3.1, run: "200 9" },
    ],
    { "c-1": 3.1, "c-2": 1 },
    4.1,
  ],
  [
    "begun on another day, before the watch knew it",
    [
      { usd: 30, isOfToday: false },
      { usd: 31, isOfToday: false },
    ],
    { "c-1": 31 },
    1,
  ],
  ["known from yesterday", [{ usd: 2, date: "2026-11-16" }, { usd: 2.5, isOfToday: false }], {
    "c-1": 2.5,
  }, 0.5],
  ["another agent's", [{ usd: 1 }, { usd: 9, claude: "c-2", run: "7 7", agent_id: "forge" }], {
    ...{ "c-1": 1, "c-2": 9 },
  }, 1],
  ["a conversation without an id", [{ usd: 1, claude: "" }], {}, 0],
];

for (const [name, steps, conversations, today] of CASES) {
  Deno.test(`withReading() ${name}`, () => {
    const ledger = after(steps);
    const sums = Object.entries(ledger.conversations).map(([id, { usd }]) => [id, usd] as const);
    assertEquals(sums.map(([id]) => id), Object.keys(conversations));
    for (const [id, usd] of sums) assertEquals(rounded(usd), conversations[id]);
    assertEquals(rounded(ledger.days[TODAY]?.warden ?? 0), today);
  });
}

Deno.test("withReading() is the same ledger where nothing has changed", () => {
  const ledger = after([{ usd: 1 }]);
  const reading = { agent_id: "warden", claude: "c-1", run: "100 1", usd: 1 };
  const same = withReading(ledger, { ...reading, isOfToday: true, resets: true }, {
    ...{ date: TODAY, now: NOW + 9 },
  });
  assertEquals(same === ledger, true);
});

Deno.test("withJournal() takes the larger sum, never both", () => {
  const ledger = after([{ usd: 3 }]);
  assertEquals(withJournal(ledger, TODAY, "warden", 2).days[TODAY]!.warden, 3);
  assertEquals(withJournal(ledger, TODAY, "warden", 4).days[TODAY]!.warden, 4);
});

Deno.test("withoutOld() keeps a month", () => {
  const old = after([{ usd: 1, date: "2026-09-01" }]);
  assertEquals(withoutOld(old, NOW + 32 * 86_400_000).conversations, {});
  const days = Object.fromEntries(Array.from({ length: 40 }, (_, day) => [
    new Date(NOW + day * 86_400_000).toISOString().slice(0, 10),
    { warden: day },
  ]));
  const kept = Object.values(withoutOld({ ...EMPTY, days }, NOW).days);
  assertEquals([kept.length, kept[0]!.warden], [31, 9]);
});
