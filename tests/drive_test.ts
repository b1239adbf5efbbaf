import { assertEquals } from "@std/assert";
import { drive } from "../lib/driver/drive.ts";
import type { Goal } from "../lib/driver/keys.ts";
import { readScreen } from "../lib/pane.ts";
import { markOf } from "../lib/shown.ts";
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

async function reasonFor(
  screenAfter: (keys: string, ms: number) => string,
  goal = GOAL,
): Promise<[reason: string, keys: string]> {
  const pane = new FakePane(screenAfter);
  const result = await drive(pane, goal);
  return [result.kind === "stuck" ? result.reason : "done", pane.sent.join(" ")];
}

const OWN_WORDS: Goal = { ...GOAL, choices: [{ options: [], text: "Redis" }] } as Goal;
const OWN_ROW = fixturePane("11-ask-single-other-focused");

Deno.test("drive() presses nothing when the dialog is gone, and names the draft that is there", async () => {
  const settled = "it was closed by another in the meantime";
  assertEquals(await reasonFor(() => ANSWERED), [settled, ""]);
  const late = ANSWERED.replace(/^❯\s$/m, "❯ 3");
  assertEquals(await reasonFor(() => late), [`${settled}; "3" is in the input box`, ""]);
});

Deno.test("drive() presses nothing at another dialog", async () => {
  const permission = fixturePane("30-permission-bash");
  assertEquals(await reasonFor(() => permission), ["another dialog is in front of it", ""]);
});

Deno.test("drive() pastes own words once their row has the cursor, and sends them once they show", async () => {
  const typed = OWN_ROW.replace(/(❯ 4\.) Type something\.?/, "$1 Redis");
  const screen = (keys: string) =>
    keys === "" ? ASKED : keys === "Down" ? OWN_ROW : keys.endsWith("Enter") ? ANSWERED : typed;
  assertEquals(await driven(screen, OWN_WORDS), [
    "done",
    'Down "Redis" Enter',
    OPENING + 2 * (2 * LOOK) + LOOK,
  ]);
});

Deno.test("drive() pastes a text once, though it does not show", async () => {
  assertEquals(await reasonFor(() => OWN_ROW, OWN_WORDS), [
    "the pasted text does not show on the screen",
    '"Redis"',
  ]);
});

Deno.test("drive() waits where the screen cannot be read, and presses nothing", async () => {
  assertEquals(await reasonFor(() => "?"), ["the screen shows no result", ""]);
  const [kind, keys] = await driven((keys, ms) => ms < 2000 ? "?" : keys === "" ? ASKED : ANSWERED);
  assertEquals([kind, keys], ["done", "3"]);
});

Deno.test("drive() stops after eighty keys that lead nowhere", async () => {
  const [reason, keys] = await reasonFor(
    (keys) => keys.split("Down").length % 2 === 1 ? ASKED : MOVED,
    OWN_WORDS,
  );
  assertEquals(reason, "it is not done after 80 keys");
  assertEquals(keys, Array(80).fill("Down").join(" "));
});

Deno.test("drive() presses a decision once, though it shows no effect", async () => {
  const permission = fixturePane("30-permission-bash");
  const mark = markOf(readScreen(permission).dialog!);
  assertEquals(await driven(() => permission, { kind: "allow", mark }), [
    "stuck",
    "1",
    OPENING + PATIENCE,
  ]);
});

Deno.test("drive() probes once: a key that is lost twice is not pressed a third time", async () => {
  const [kind, keys] = await driven((keys) => keys.includes("Down") ? MOVED : ASKED);
  assertEquals([kind, keys], ["stuck", "3 Down 3"]);
});

Deno.test("drive() pastes own words once, though their row is ticked before they show", async () => {
  const features: Goal = {
    kind: "answer",
    questions: [{
      question: "Which features do you want to enable?",
      header: "",
      multiSelect: true,
      options: ["Auth", "Billing", "Search", "Export"].map((label) => ({
        label,
        description: "",
        preview: "",
      })),
    }],
    choices: [{ options: [1], text: "and logging" }],
    isPart: true,
  };
  const before = fixturePane("13-ask-multi").replace("❯ 1. [ ] Auth", "  1. [✔] Auth")
    .replace("  5. [ ] Type", "❯ 5. [ ] Type");
  const ticked = before.replace("5. [ ]", "5. [✔]");
  const written = ticked.replace("Type something", "and logging");
  const below = written.replace("❯ 5.", "  5.").replace("     Submit", "❯    Submit");
  const screen = (sent: string, ms: number) => {
    if (sent.endsWith("Enter")) return ANSWERED;
    if (sent.endsWith("Down")) return below;
    return sent === "" ? before : ms < 3000 ? ticked : written;
  };
  const [kind, sent] = await driven(screen, features);
  assertEquals([kind, sent], ["done", '"and logging" Down Enter']);
  // Without the text it stops, and does not paste again.
  assertEquals(await reasonFor((sent) => sent === "" ? before : ticked, features), [
    "the pasted text does not show on the screen",
    '"and logging"',
  ]);
});
