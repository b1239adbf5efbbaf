import { assertEquals } from "@std/assert";
import { drive } from "../lib/driver/drive.ts";
import type { Goal } from "../lib/driver/keys.ts";
import { readScreen } from "../lib/pane.ts";
import { FakeClock } from "./support/fake_clock.ts";

const recorded = (name: string) =>
  Deno.readTextFileSync(new URL(`./fixtures/panes/${name}.txt`, import.meta.url));
const ASKED = recorded("10-ask-single");
const MOVED = ASKED.replace("❯ 1.", "  1.").replace("  2.", "❯ 2.");
const ANSWERED = recorded("01-idle-fresh");

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

/** Drives a pane whose screen depends on the keys it got; tells which those were, and how long it took. */
async function driven(
  screenAfter: (keys: string, ms: number) => string,
  goal = GOAL,
): Promise<[kind: string, keys: string, ms: number]> {
  const pressed: string[] = [];
  const clock = new FakeClock();
  const { kind } = await drive({
    id: "%0",
    clock,
    look: () => {
      const text = screenAfter(pressed.join(" "), clock.now());
      return Promise.resolve({ ...readScreen(text), text });
    },
    press: (...keys) => Promise.resolve(void pressed.push(...keys)),
    paste: () => Promise.resolve(),
    hasEnded: () => Promise.resolve(false),
  }, goal);
  return [kind, pressed.join(" "), clock.now()];
}

/** Before the first key; until a key shows no effect; between two looks; until hope is given up. */
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
  const own = recorded("11-ask-single-other-focused");
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

Deno.test("drive() claims no answer that somebody else gave", async () => {
  const own: Goal = { ...GOAL, choices: [{ options: [], text: "Redis" }] } as Goal;
  const [kind, keys] = await driven((keys) => keys === "" ? ASKED : ANSWERED, own);
  assertEquals([kind, keys], ["stuck", "Down"]);
});
