import { assertEquals } from "@std/assert";
import { type AnswerGoal, ownRow } from "../lib/driver/answer_keys.ts";
import type { KeyStep } from "../lib/driver/key_steps.ts";
import { type Goal, nextKeyStep, whyNotByKeys } from "../lib/driver/keys.ts";
import { markOf } from "../lib/shown.ts";
import { readScreen } from "../lib/pane.ts";
import type { Question } from "../lib/questions.ts";

function screen(name: string) {
  const file = new URL(`./fixtures/panes/${name}.txt`, import.meta.url);
  return readScreen(Deno.readTextFileSync(file));
}

function question(text: string, labels: string[], multiSelect = false, preview = ""): Question {
  const options = labels.map((label) => ({ label, description: "", preview }));
  return { question: text, header: "", multiSelect, options };
}

const DATABASE = question("Which database should we use?", ["PostgreSQL", "SQLite", "MongoDB"]);
const FEATURES = question(
  "Which features do you want to enable?",
  ["Auth", "Billing", "Search", "Export"],
  true,
);
const LANGUAGE = question("Which language?", ["TypeScript", "Rust"]);
const PLATFORMS = question("Which platforms?", ["Linux", "macOS", "Windows"], true);
const LICENSE = question('Which license, "quoted"?', ["MIT", "GPL"]);
const LAYOUT = question("Which layout?", ["Rows", "Cols"], false, "picture");
const LONG = question(
  "Question number 2, which of these four things do you want here and now?",
  ["Option 2a", "Option 2b", "Option 2c", "Option 2d"],
  true,
);
const THREE = [LANGUAGE, PLATFORMS, LICENSE];

function answer(
  questions: Question[],
  ...choices: { options: number[]; text?: string }[]
): AnswerGoal {
  return { kind: "answer", questions, choices };
}

const press = (...keys: string[]): KeyStep => ({ kind: "press", keys });
/** The key after which nothing more is pressed, whatever shows next. */
const last = (...keys: string[]): KeyStep => ({ kind: "press", keys, isLast: true });
const mark = (pane: string) => markOf(screen(pane).dialog!);
const DONE: KeyStep = { kind: "done" };

const CASES: [string, string, Goal, KeyStep | "stuck"][] = [
  ["a digit chooses", "10-ask-single", answer([DATABASE], { options: [2] }), last("2")],
  [
    "own words: to their row first",
    "10-ask-single",
    answer([DATABASE], { options: [], text: "Redis" }),
    press("Down"),
  ],
  [
    "own words: pasted there",
    "11-ask-single-other-focused",
    answer([DATABASE], { options: [], text: "Redis" }),
    { kind: "paste", text: "Redis" },
  ],
  [
    "own words: entered once they show",
    "12-ask-single-other-typed",
    answer([DATABASE], { options: [], text: 'my "free" text: 2 žluť' }),
    last("Enter"),
  ],
  [
    "own words: not over somebody else's",
    "12-ask-single-other-typed",
    answer([DATABASE], { options: [], text: "Redis" }),
    "stuck",
  ],
  [
    "several: the first missing",
    "13-ask-multi",
    answer([FEATURES], { options: [3, 1] }),
    press("3"),
  ],
  [
    "several: the unwanted goes first",
    "14-ask-multi-toggled",
    answer([FEATURES], { options: [2, 3] }),
    press("1"),
  ],
  [
    "several: on when all is chosen",
    "14-ask-multi-toggled",
    answer([FEATURES], { options: [3, 1] }),
    press("Right"),
  ],
  [
    "several: down to the own words",
    "14-ask-multi-toggled",
    answer([FEATURES], { options: [1, 3], text: "more" }),
    press("Down"),
  ],
  [
    "several: from the own words on",
    "v325-95c-many-q2-typed-120x40",
    answer([LONG], { options: [], text: "own text" }),
    press("Down"),
  ],
  [
    "several: Next",
    "v325-95d-many-q2-submit-120x40",
    answer([LONG], { options: [], text: "own text" }),
    press("Enter"),
  ],
  [
    "several: in a low window",
    "v325-95d-many-q2-submit-60x15",
    answer([LONG], { options: [], text: "own text" }),
    press("Enter"),
  ],
  [
    "several: up from Next, where a digit does nothing",
    "v325-95d-many-q2-submit-120x40",
    answer([LONG], { options: [2], text: "own text" }),
    press("Up"),
  ],
  [
    "the review is handed in",
    "15-ask-multi-review",
    answer([FEATURES], { options: [3, 1, 2] }),
    last("1"),
  ],
  [
    "the review shows another answer",
    "15-ask-multi-review",
    answer([FEATURES], { options: [4] }),
    "stuck",
  ],
  [
    "three questions: the one on the screen",
    "22-ask-three-q3",
    answer(THREE, { options: [1] }, { options: [1] }, { options: [2] }),
    press("2"),
  ],
  [
    "three questions: reviewed",
    "23-ask-three-review",
    answer(THREE, { options: [2] }, { options: [1, 3] }, { options: [1] }),
    last("1"),
  ],
  [
    "three questions: reviewed and wrong",
    "23-ask-three-review",
    answer(THREE, { options: [1] }, { options: [1, 3] }, { options: [1] }),
    "stuck",
  ],
  ["a preview: to the row", "24-ask-preview", answer([LAYOUT], { options: [2] }), press("Down")],
  [
    "a preview: not entered while the cursor is below the rows",
    "v325-24b-ask-preview-chat",
    answer([LAYOUT], { options: [2] }),
    press("Up"),
  ],
  [
    "a preview: left alone while notes are being written",
    "v325-24c-ask-preview-notes",
    answer([LAYOUT], { options: [1] }),
    "stuck",
  ],
  [
    "a preview: the same in 2.1.197",
    "v197-24c-ask-preview-notes",
    answer([LAYOUT], { options: [1] }),
    "stuck",
  ],
  ["a preview: entered", "24-ask-preview", answer([LAYOUT], { options: [1] }), last("Enter")],
  [
    "another question is none of ours",
    "13-ask-multi",
    answer([DATABASE], { options: [1] }),
    "stuck",
  ],
  [
    "out of the row for own words, where a digit would be written",
    "12-ask-single-other-typed",
    answer([DATABASE], { options: [2] }),
    press("Up"),
  ],
  [
    "one of several questions: on when it is answered",
    "14-ask-multi-toggled",
    { ...answer([FEATURES], { options: [3, 1] }), isPart: true },
    last("Right"),
  ],
  [
    "a question that ends like the one on the screen is another one",
    "10-ask-single",
    answer(
      [
        question("And: Which database should we use?", ["PostgreSQL", "SQLite", "MongoDB"]),
        DATABASE,
      ],
      { options: [1] },
      { options: [3] },
    ),
    press("3"),
  ],
  ["submit own words", "12-ask-single-other-typed", { kind: "submit" }, last("Enter")],
  ["no dialog, nothing to do", "01-idle-fresh", answer([DATABASE], { options: [1] }), DONE],
  ["allow is the plain yes", "30-permission-bash", {
    kind: "allow",
    mark: mark("30-permission-bash"),
  }, last("1")],
  ["deny is the no, further down", "30-permission-bash", {
    kind: "deny",
    mark: mark("30-permission-bash"),
    message: "",
  }, press("Down")],
  [
    "deny with words: to the no",
    "30-permission-bash",
    { kind: "deny", mark: mark("30-permission-bash"), message: "x" },
    press("Down"),
  ],
  [
    "allow a plan",
    "33-plan-approval",
    { kind: "allow", mark: mark("33-plan-approval") },
    last("1"),
  ],
  ["deny a plan", "v197-92-plan-120x40", {
    kind: "deny",
    mark: mark("v197-92-plan-120x40"),
    message: "",
  }, press("Down")],
  ["allow is no answer to a question", "10-ask-single", {
    kind: "allow",
    mark: mark("30-permission-bash"),
  }, "stuck"],
  [
    "a row below",
    "55-resume-picker",
    { kind: "row", mark: mark("55-resume-picker"), number: 3 },
    press("Down"),
  ],
  [
    "a row without numbers",
    "v325-80-trust",
    { kind: "row", mark: mark("v325-80-trust"), number: 2 },
    press("Down"),
  ],
  [
    "the row itself",
    "v197-80-trust",
    { kind: "row", mark: mark("v197-80-trust"), number: 1 },
    last("Enter"),
  ],
  ["another dialog by now", "10-ask-single", {
    kind: "row",
    mark: mark("v197-80-trust"),
    number: 1,
  }, "stuck"],
  ["submit what is chosen", "14-ask-multi-toggled", { kind: "submit" }, press("Right")],
  ["submit nothing", "13-ask-multi", { kind: "submit" }, "stuck"],
  ["submit the review", "23-ask-three-review", { kind: "submit" }, last("1")],
];

Deno.test("nextKeyStep() approves a plan so that Claude goes on asking, and says when it cannot", () => {
  const plan = (cursor: number, ...rows: string[]) => {
    const lines = [
      " Ready to code?",
      "",
      "  1. Do A",
      "  2. Do B",
      "",
      " Would you like to proceed?",
      "",
    ];
    const body = rows.map((row, index) =>
      `    ${index + 1 === cursor ? "❯" : " "} ${index + 1}. ${row}`
    );
    return readScreen(["─".repeat(60), ...lines, ...body, "", " ctrl+g to edit in Vim"].join("\n"));
  };
  const real = (cursor: number, third = "Tell Claude what to change") =>
    plan(cursor, "Yes, and use auto mode", "Yes, manually approve edits", third);
  assertEquals(real(1).dialog?.kind, "plan");
  const of = markOf(real(1).dialog!);
  const allow: Goal = { kind: "allow", mark: of };
  const deny: Goal = { kind: "deny", mark: of, message: "" };
  assertEquals([1, 2, 3].map((cursor) => nextKeyStep(allow, real(cursor))), [
    press("Down"),
    last("2"),
    press("Up"),
  ]);
  // Its row takes words: a digit would only go there, and not decide.
  assertEquals([1, 3].map((cursor) => nextKeyStep(deny, real(cursor))), [
    press("Down"),
    last("Enter"),
  ]);
  assertEquals(nextKeyStep(deny, real(3, "skip B")).kind, "stuck");
  const eager = plan(1, "Yes, and use auto mode", "No, keep planning");
  assertEquals(nextKeyStep({ kind: "allow", mark: markOf(eager.dialog!) }, eager).kind, "stuck");
});

Deno.test("nextKeyStep() presses no digit while the cursor may be among somebody's words", () => {
  const amended = (row: string) =>
    readScreen(
      ["─".repeat(60), " Bash command", "", "   ls", "", " Do you want to proceed?"].join("\n") +
        `\n   1. Yes\n ❯ 2. ${row}\n\n Esc to cancel · Tab to amend\n`,
    );
  const of = markOf(amended("No").dialog!);
  const deny: Goal = { kind: "deny", mark: of, message: "" };
  assertEquals(nextKeyStep({ kind: "allow", mark: of }, amended("No, but")), press("Up"));
  assertEquals(nextKeyStep(deny, amended("No")), last("2"));
  assertEquals(nextKeyStep(deny, amended("No, but")).kind, "stuck");
});

Deno.test("nextKeyStep() hands in no words that only begin like those that are meant", () => {
  const shown = screen("12-ask-single-other-typed");
  const own = ownRow(shown.dialog!)!;
  own.label = "Use DuckDB for analytics";
  const goal = (text: string) => answer([DATABASE], { options: [], text });
  assertEquals(nextKeyStep(goal("Use DuckDB for analytics"), shown), last("Enter"));
  assertEquals(nextKeyStep(goal("Use DuckDB for analytics? Never."), shown).kind, "stuck");
  const long = "Use DuckDB for analytics ".repeat(12);
  own.label = `${long.slice(0, 60)}…`;
  assertEquals(nextKeyStep(goal(long), shown), last("Enter"));
});

Deno.test("nextKeyStep() knows its answers in a review that shows them as JSON", () => {
  const file = new URL("./fixtures/panes/15-ask-multi-review.txt", import.meta.url);
  const text = Deno.readTextFileSync(file);
  const label = 'Say "hi"';
  const said = question("Which features do you want to enable?", [label, "Search"], true);
  const shown = readScreen(text.replace("→ Search, Auth, Billing", '→ "Say \\"hi\\"", Search'));
  assertEquals(nextKeyStep(answer([said], { options: [1, 2] }), shown), last("1"));
});

Deno.test("nextKeyStep() ticks nothing where somebody's own words would make it refuse", () => {
  const shown = screen("13-ask-multi");
  shown.dialog!.options.find((row) => /^Type something/.test(row.label))!.label = "half words";
  const goal = answer([FEATURES], { options: [1], text: "mine" });
  assertEquals(nextKeyStep(goal, shown).kind, "stuck");
});

Deno.test("ownRow() is the row above the last, and none where rows are cut off between", () => {
  const whole = screen("12-ask-single-other-typed").dialog!;
  assertEquals(ownRow(whole)?.number, 4);
  const low = { ...whole, options: whole.options.filter((row) => row.number !== 4) };
  assertEquals(ownRow(low), undefined);
});

for (const [name, pane, goal, expected] of CASES) {
  Deno.test(`nextKeyStep() knows the next key: ${name}`, () => {
    const step = nextKeyStep(goal, screen(pane));
    if (expected === "stuck") assertEquals(step.kind, "stuck");
    else assertEquals(step, expected);
  });
}

Deno.test("nextKeyStep() sends words that end in a backslash with the cursor in front of them", () => {
  const shown = screen("12-ask-single-other-typed");
  const row = shown.dialog!.options[3]!;
  row.label = "a \\";
  const goal = answer([DATABASE], { options: [], text: "a \\" });
  assertEquals(nextKeyStep(goal, shown), last("C-a", "Enter"));
  row.selected = true;
  assertEquals(nextKeyStep(goal, shown), { kind: "wait" });
});

Deno.test("whyNotByKeys() refuses what keys cannot give intact", () => {
  assertEquals(whyNotByKeys(answer([DATABASE], { options: [1] })), undefined);
  const refused: Goal[] = [
    answer([DATABASE], { options: [], text: "two\nlines" }),
    answer([LAYOUT], { options: [], text: "words" }),
    { kind: "answer", questions: [LAYOUT], choices: [{ options: [1], notes: "note" }] },
    { kind: "deny", mark: "", message: "two\nlines" },
  ];
  for (const goal of refused) assertEquals(typeof whyNotByKeys(goal), "string");
});
