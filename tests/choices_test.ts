import { assertEquals, assertStringIncludes } from "@std/assert";
import { readChoices } from "../lib/driver/choices.ts";
import { type Question } from "../lib/questions.ts";
import { answersFrom } from "../lib/question_answers.ts";

function question(text: string, labels: string[], multiSelect = false): Question {
  const options = labels.map((label) => ({ label, description: "", preview: "" }));
  return { question: text, header: "", multiSelect, options };
}

const ONE = question("Which database?", ["PostgreSQL", "SQLite"]);
const MANY = question("Which features?", ["Auth", "Billing, invoices", "Search"], true);

Deno.test("readChoices() takes numbers, labels and own words", () => {
  const cases: [Question, string, unknown][] = [
    [ONE, "2", { options: [2] }],
    [ONE, " 2 ", { options: [2] }],
    [ONE, "sqlite", { options: [2] }],
    [ONE, "DuckDB", { options: [], text: "DuckDB" }],
    [ONE, "text:2", { options: [], text: "2" }],
    [ONE, "text:SQLite", { options: [], text: "SQLite" }],
    [MANY, "3,1", { options: [3, 1] }],
    [MANY, "3, 1, 3", { options: [3, 1] }],
    [MANY, "1,text:and, more", { options: [1], text: "and, more" }],
    [MANY, "1, 2 and 3", { options: [], text: "1, 2 and 3" }],
  ];
  for (const [asked, word, choice] of cases) {
    assertEquals(
      readChoices([asked], [word], []),
      { kind: "choices", choices: [choice] } as never,
      word,
    );
  }
});

Deno.test("readChoices() names the question and its options when an answer does not fit", () => {
  const cases: [Question[], string[], string][] = [
    [[ONE], ["9"], 'Question "Which database?" has no option 9; its options are: 1. PostgreSQL'],
    [[ONE], ["0"], "has no option 0"],
    [[ONE], ["1,2"], 'Question "Which database?" takes one answer'],
    [[ONE], ["1,text:more"], "takes one answer"],
    [[ONE], ["  "], "is empty"],
    [[ONE], ["text:"], "is empty"],
    [[ONE, MANY], ["1"], "2 questions are open and 1 answer given"],
    [[ONE], ["1", "2"], "1 question is open and 2 answers given"],
  ];
  for (const [questions, words, reason] of cases) {
    const reading = readChoices(questions, words, []);
    assertEquals(reading.kind, "wrong", words.join());
    assertStringIncludes(reading.kind === "wrong" ? reading.reason : "", reason);
  }
});

Deno.test("answersFrom() joins several choices as Claude Code does and keeps previews and notes", () => {
  const preview = question("Which layout?", ["Rows", "Cols"]);
  preview.options[1]!.preview = "|c|c|";
  const choices = [{ options: [3, 2], text: "a, b" }, { options: [2], notes: "here" }];
  assertEquals(answersFrom([MANY, preview], choices), {
    answers: { "Which features?": 'Search, "Billing, invoices", "a, b"', "Which layout?": "Cols" },
    annotations: { "Which layout?": { preview: "|c|c|", notes: "here" } },
  });
});
