import { assertEquals } from "@std/assert";
import { readEvent } from "../lib/events.ts";
import { nextTime, stillRunning } from "../lib/still_running.ts";
import { fixtureEvent } from "./support/fixtures.ts";

const NOW = new Date(2026, 10, 17, 16, 58, 20);

/** A recorded Stop. */
function after(name: string, now = NOW) {
  const reading = readEvent(JSON.stringify(fixtureEvent(name)));
  if (reading.kind !== "event") throw new Error("The event cannot be read");
  return stillRunning(reading.event, now);
}

Deno.test("stillRunning() waits for no shell: a server may run forever", () => {
  const running = { lines: ['- shell "Dev server"'], tasks: 1, willWake: false, willEnd: false };
  assertEquals(after("stop-endless-shell"), running);
});

Deno.test("stillRunning() knows that the end of a subagent wakes Claude", () => {
  assertEquals(after("stop-endless-shell-and-subagent"), {
    lines: ['- shell "Dev server"', '- subagent "Look around"'],
    tasks: 2,
    willWake: true,
    willEnd: true,
  });
});

Deno.test("stillRunning() knows a time that Claude has set", () => {
  const set = { tasks: 0, willWake: true, willEnd: true, resumesAt: "16:59" };
  const wakeup = '- scheduled (16:59) "check the deploy"';
  assertEquals(after("stop-wakeup-scheduled"), { lines: [wakeup], ...set });
  const both = [wakeup, '- scheduled (16:59) "look"'];
  assertEquals(after("stop-recurring-and-wakeup"), { lines: both, ...set });
});

Deno.test("stillRunning() knows that what is set again and again never ends", () => {
  const event = fixtureEvent("stop-recurring-and-wakeup") as { session_crons: unknown[] };
  const reading = readEvent(JSON.stringify({ ...event, session_crons: [event.session_crons[1]] }));
  if (reading.kind !== "event") throw new Error("The event cannot be read");
  const { willWake, willEnd } = stillRunning(reading.event, NOW);
  assertEquals([willWake, willEnd], [true, false]);
});

Deno.test("stillRunning() waits for no time that is further away than an hour", () => {
  const later = { lines: ['- scheduled (59 16 * * *) "check the deploy"'], tasks: 0 };
  const evening = new Date(2026, 10, 17, 17, 0);
  assertEquals(after("stop-wakeup-scheduled", evening), {
    ...later,
    willWake: false,
    willEnd: false,
  });
});

Deno.test("stillRunning() has nothing after a plain turn", () => {
  assertEquals(after("stop-plain"), {
    ...{ lines: [], tasks: 0, willWake: false, willEnd: false },
  });
});

// deno-fmt-ignore
const SCHEDULES: Record<string, string | undefined> = {
  "* * * * *": "16:59", "*/15 * * * *": "17:00", "5,10 17 * * *": "17:05", "10-20 17 17 11 2": "17:10",
  "58 17 * * *": "17:58", "58 16 * * *": undefined, "0 9 * * *": undefined, "0 17 18 * *": undefined,
  "0 17 * * 3": undefined, "*/0 * * * *": undefined, "0 17 * *": undefined, "soon": undefined, "": undefined,
};
for (const [schedule, time] of Object.entries(SCHEDULES)) {
  Deno.test(`nextTime() of "${schedule}" is ${time ?? "not within the hour"}`, () => {
    assertEquals(nextTime(schedule, NOW)?.toTimeString().slice(0, 5), time);
  });
}
