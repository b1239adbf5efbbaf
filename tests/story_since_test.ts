import { assertEquals } from "@std/assert";
import { clockTime, dayOf, duration, momentOf } from "../lib/story/since.ts";

const NOW = new Date(2026, 10, 17, 7, 30, 0);

const MOMENTS: [text: string, then: Date | undefined][] = [
  ["22:00", new Date(2026, 10, 16, 22, 0)],
  ["7:29", new Date(2026, 10, 17, 7, 29)],
  ["07:30:00", NOW],
  ["07:30:01", new Date(2026, 10, 16, 7, 30, 1)],
  ["2026-11-15", new Date(2026, 10, 15)],
  ["2026-11-15 22:10", new Date(2026, 10, 15, 22, 10)],
  ["2026-11-15T22:10:05Z", new Date("2026-11-15T22:10:05Z")],
  ["90s", new Date(2026, 10, 17, 7, 28, 30)],
  ["30min", new Date(2026, 10, 17, 7, 0)],
  ["2 h", new Date(2026, 10, 17, 5, 30)],
  ["7d", new Date(NOW.getTime() - 7 * 86_400_000)],
  ["24:00", undefined],
  ["22:60", undefined],
  ["yesterday", undefined],
  ["", undefined],
  ["-1h", undefined],
  ["2026-13-40", undefined],
  ["12", undefined],
];

for (const [text, then] of MOMENTS) {
  Deno.test(`momentOf() reads "${text}"`, () => assertEquals(momentOf(text, NOW), then));
}

const DURATIONS: [ms: number, text: string][] = [
  [0, "0 ms"],
  [84, "84 ms"],
  [28_000, "28 s"],
  [59_900, "1 min"],
  [341_000, "5 min 41 s"],
  [11_400_000, "3 h 10 min"],
  [7_200_000, "2 h"],
  [187_200_000, "2 d 4 h"],
];

for (const [ms, text] of DURATIONS) {
  Deno.test(`duration() says ${text}`, () => assertEquals(duration(ms), text));
}

Deno.test("clockTime() and dayOf() are local", () => {
  assertEquals([clockTime(NOW), clockTime(NOW, false), dayOf(NOW)], [
    "07:30:00",
    "07:30",
    "2026-11-17",
  ]);
});
