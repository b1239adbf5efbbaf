import { assertEquals } from "@std/assert";
import { drive } from "../lib/menu/drive.ts";
import type { Goal } from "../lib/menu/keys.ts";
import { readScreen } from "../lib/pane.ts";

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

/** Drives a pane whose screen depends on the keys it got; tells which those were. */
async function driven(screenAfter: (keys: string) => string, goal = GOAL): Promise<string[]> {
  const pressed: string[] = [];
  const { kind } = await drive({
    id: "%0",
    look: () => {
      const text = screenAfter(pressed.join(" "));
      return Promise.resolve({ ...readScreen(text), text });
    },
    press: (...keys) => Promise.resolve(void pressed.push(...keys)),
    paste: () => Promise.resolve(),
  }, goal);
  return [kind, pressed.join(" ")];
}

Deno.test("drive() presses a key again that was lost, not one that was late", async () => {
  const [taken, lost, late, deaf] = await Promise.all([
    driven((keys) => keys === "" ? ASKED : ANSWERED),
    driven((keys) => keys === "3 Down 3" ? ANSWERED : keys === "3 Down" ? MOVED : ASKED),
    driven((keys) => keys === "3 Down" ? ANSWERED : ASKED),
    driven(() => ASKED),
  ]);
  assertEquals(taken, ["done", "3"]);
  assertEquals(lost, ["done", "3 Down 3"]);
  assertEquals(late, ["done", "3 Down"]);
  assertEquals(deaf, ["stuck", "3 Down"]);
});

Deno.test("drive() claims no answer that somebody else gave", async () => {
  const own: Goal = { ...GOAL, choices: [{ options: [], text: "Redis" }] } as Goal;
  assertEquals(await driven((keys) => keys === "" ? ASKED : ANSWERED, own), ["stuck", "Down"]);
});
