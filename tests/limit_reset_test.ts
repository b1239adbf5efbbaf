import { assertEquals } from "@std/assert";
import { resetIn } from "../lib/limit_reset.ts";

const AT = Date.parse("2026-11-17T12:00:00Z");
const utc = (time: string) => Date.parse(`2026-11-${time}Z`);

const CASES: [text: string, reset: number | undefined][] = [
  ["Claude AI usage limit reached|1794931200", utc("17T16:00:00")],
  ["You've hit your 5-hour limit · resets 2:40pm (UTC)", utc("17T14:40:00")],
  ["You've hit your limit · resets 3pm (UTC)", utc("17T15:00:00")],
  ["limit reached · resets at 11:30 (UTC)", utc("18T11:30:00")],
  ["resets 12am (UTC)", utc("18T00:00:00")],
  ["Weekly limit, resets at 2026-11-20T08:00:00Z", utc("20T08:00:00")],
  ["Please try again in 20s", AT + 20_000],
  ["retry after 2 h", AT + 7_200_000],
  // No time, or none that can be meant.
  ["API Error: Request rejected (429) · Please try again later.", undefined],
  ["It resets 3 counters", undefined],
  ["resets 25:00", undefined],
  ["limit reached|1000000000", undefined],
  ["", undefined],
];

for (const [text, reset] of CASES) {
  Deno.test(`resetIn() ${JSON.stringify(text)}`, () => assertEquals(resetIn(text, AT), reset));
}

Deno.test("resetIn() takes a time without a zone for one of this machine", () => {
  const reset = new Date(resetIn("resets 9:15pm", AT)!);
  assertEquals([reset.getHours(), reset.getMinutes()], [21, 15]);
});
