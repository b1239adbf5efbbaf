import { assertEquals, assertThrows } from "@std/assert";
import { phasesFrom } from "../bench/phases.ts";

const TIMES = {
  "loaded": 1020,
  "connecting": 1035,
  "open": 1038,
  "connect answered": 1043,
  "sessions.resolve answered": 1045,
  "agent answered": 1075,
};

Deno.test("phasesFrom() parts the time from event to ack, and leaves none over", () => {
  const phases = Object.values(phasesFrom(1000, TIMES));
  assertEquals(phases, [20, 15, 8, 2, 30]);
  assertEquals(phases.reduce((sum, ms) => sum + ms), 75);
});

Deno.test("phasesFrom() says what a deliverer has not come to", () => {
  const { "agent answered": _, ...rest } = TIMES;
  assertThrows(() => phasesFrom(1000, rest), Error, 'not come to "agent answered"');
});
