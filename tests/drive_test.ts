import { assertEquals } from "@std/assert";
import { drive } from "../lib/driver/drive.ts";
import type { Goal } from "../lib/driver/keys.ts";
import { FakePane } from "./support/fake_pane.ts";
import { fixturePane } from "./support/fixtures.ts";

const ASKED = fixturePane("10-ask-single");
const MOVED = ASKED.replace("❯ 1.", "  1.").replace("  2.", "❯ 2.");
const ANSWERED = fixturePane("01-idle-fresh");

const GOAL: Goal = {
  kind: "answer",
  questions: [{
    question: "Which database should we use?",
    header: "",
    multiSelect: false,
    options: ["PostgreSQL", "SQLite", "MongoDB"].map((label) => ({
      label,
      description: "",
      preview: "",
    })),
  }],
  choices: [{ options: [3] }],
};

/** Drives a pane whose screen depends on the keys it got: what came of it, the keys, the time. */
async function driven(
  screenAfter: (keys: string, ms: number) => string,
  goal = GOAL,
): Promise<[kind: string, keys: string, ms: number]> {
  const pane = new FakePane(screenAfter);
  const { kind } = await drive(pane, goal);
  return [kind, pane.sent.join(" "), pane.clock.now()];
}

/** Before the first key; until a key counts as late; between two looks; until it counts as lost. */
const [OPENING, IN_VAIN, LOOK, PATIENCE] = [300, 2000, 40, 10_000];
/** From the effect of the probe on: the key before it may still show its own. */
const LOST = 5000;

Deno.test("drive() presses a key again that was lost, not one that was late", async () => {
  assertEquals(
    await driven((keys) => keys === "" ? ASKED : ANSWERED),
    ["done", "3", OPENING + LOOK],
  );
  assertEquals(
    await driven((keys) => keys === "3 Down 3" ? ANSWERED : keys === "3 Down" ? MOVED : ASKED),
    ["done", "3 Down 3", OPENING + IN_VAIN + 2 * LOOK + LOST + LOOK],
  );
  assertEquals(
    await driven((keys) => keys === "3 Down" ? ANSWERED : ASKED),
    ["done", "3 Down", OPENING + IN_VAIN + LOOK],
  );
  assertEquals(
    await driven(() => ASKED),
    ["stuck", "3 Down", OPENING + IN_VAIN + PATIENCE + LOST],
  );
});

Deno.test("drive() presses no key again whose effect shows long after the probe's", async () => {
  const closes = OPENING + IN_VAIN + 2 * LOOK + 4000;
  const screen = (keys: string, ms: number) =>
    !keys.includes("Down") ? ASKED : ms < closes ? MOVED : ANSWERED;
  assertEquals(await driven(screen), ["done", "3 Down", closes]);
  // Also where the probe has moved the cursor to the row for own words.
  const own = fixturePane("11-ask-single-other-focused");
  const below = (keys: string, ms: number) => screen(keys, ms) === MOVED ? own : screen(keys, ms);
  assertEquals(await driven(below), ["done", "3 Down", closes]);
});

Deno.test("drive() presses no key again that has ticked its row, though the dialog still stands", async () => {
  const ticked = MOVED.replace(/(3\. \S+)/, "$1 ✔");
  const closes = OPENING + IN_VAIN + 1000;
  const [kind, keys] = await driven((keys, ms) =>
    !keys.includes("Down") ? ASKED : ms < closes ? ticked : ANSWERED
  );
  assertEquals([kind, keys], ["done", "3 Down"]);
});

Deno.test("drive() presses nothing again while the screen may still change", async () => {
  const busyUntil = OPENING + IN_VAIN - LOOK;
  assertEquals(
    await driven((_, ms) => ms < busyUntil ? ASKED : ANSWERED),
    ["done", "3", busyUntil],
  );
});

Deno.test("drive() claims no answer that another one gave", async () => {
  const own: Goal = { ...GOAL, choices: [{ options: [], text: "Redis" }] } as Goal;
  const [kind, keys] = await driven((keys) => keys === "" ? ASKED : ANSWERED, own);
  assertEquals([kind, keys], ["stuck", "Down"]);
});
