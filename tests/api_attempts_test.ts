import { assertEquals } from "@std/assert";
import {
  type Attempt,
  attemptBegun,
  attemptEnded,
  type Attempts,
  nextLook,
  NONE,
  resetOf,
  trouble,
  troubleReported,
} from "../lib/companion/api_attempts.ts";

const NOW = Date.parse("2026-11-17T14:00:00Z");

/** Attempts that end after a second each, with these statuses. */
function after(statuses: number[]): { attempts: Attempts; now: number } {
  let now = NOW;
  let attempts = NONE;
  for (const status of statuses) {
    attempts = attemptEnded(attemptBegun(attempts, "a", now), "a", { status }, now + 1000);
    now += 1000;
  }
  return { attempts, now };
}

for (
  const [statuses, expected] of [
    [[], undefined],
    [[200], undefined],
    [[529], undefined],
    [[529, 529], undefined],
    [[529, 529, 529], "overloaded"],
    [[529, 500, 429], "rate limit"],
    [[500, 500, 500], "server error"],
    [[529, 529, 200, 529, 529], undefined],
    [[401, 401, 401], "login"],
  ] as [number[], string | undefined][]
) {
  Deno.test(`trouble() after ${statuses.join(", ") || "nothing"} is ${expected ?? "none"}`, () => {
    const { attempts, now } = after(statuses);
    assertEquals(trouble(attempts, now)?.kind, expected);
  });
}

Deno.test("trouble() counts half a minute without an answer, and says it once", () => {
  const open = attemptBegun(NONE, "a", NOW);
  assertEquals(trouble(open, NOW + 29_000), undefined);
  assertEquals(nextLook(open), NOW + 30_000);
  const found = trouble(open, NOW + 30_000);
  assertEquals([found?.kind, found?.failures, found?.forS], ["no answer", 0, 30]);
  assertEquals(trouble({ ...open, isReported: true }, NOW + 40_000), undefined);
});

Deno.test("trouble() counts half a minute from the first failure", () => {
  const { attempts } = after([529]);
  assertEquals(trouble(attempts, NOW + 29_000), undefined);
  assertEquals(trouble(attempts, NOW + 30_000)?.failures, 1);
});

Deno.test("attemptEnded() with a success forgets what was reported", () => {
  const { attempts } = after([529, 529, 529]);
  const reached = attemptEnded(attemptBegun(troubleReported(attempts), "a", NOW), "a", {
    status: 200,
  }, NOW);
  assertEquals(reached, { ...NONE, reported: 1 });
});

Deno.test("attemptEnded() with one success leaves another attempt that hangs", () => {
  const both = attemptBegun(attemptBegun(NONE, "hangs", NOW), "works", NOW + 1000);
  const one = attemptEnded(both, "works", { status: 200 }, NOW + 2000);
  assertEquals(nextLook(one), NOW + 30_000);
  assertEquals(trouble(one, NOW + 30_000)?.kind, "no answer");
});

const resets: [name: string, attempt: Attempt, seconds: number | undefined][] = [
  ["retry-after in seconds", { headers: { "retry-after": "120" } }, 120],
  ["retry-after as a date", { headers: { "retry-after": "Tue, 17 Nov 2026 14:05:00 GMT" } }, 300],
  [
    "the unified reset, in seconds since 1970",
    { headers: { "anthropic-ratelimit-unified-reset": String(NOW / 1000 + 2400) } },
    2400,
  ],
  [
    "the later of both",
    { headers: { "retry-after": "5", "anthropic-ratelimit-unified-reset": `${NOW / 1000 + 60}` } },
    60,
  ],
  ["a time that is over", { headers: { "anthropic-ratelimit-unified-reset": "1000" } }, undefined],
  ["nonsense", { headers: { "retry-after": "soon" } }, undefined],
  ["no header", {}, undefined],
];
for (const [name, attempt, seconds] of resets) {
  Deno.test(`resetOf() reads ${name}`, () => {
    const expected = seconds === undefined ? undefined : NOW + seconds * 1000;
    assertEquals(resetOf(attempt, NOW)?.getTime(), expected);
  });
}
