/** A question with a secret in its words: nothing of it is kept, and its answer still fits. */

import { assertEquals, assertMatch } from "@std/assert";
import { listPending, noteKeys, openPending, type Pending } from "../../lib/answers.ts";
import { answeredId } from "../../lib/answered_id.ts";
import { askedIn, claimAsking, noteAsking, readQuestions } from "../../lib/questions.ts";
import { fits } from "../../lib/close_pending.ts";
import { readChoices } from "../../lib/driver/choices.ts";
import { answerStep } from "../../lib/driver/answer_keys.ts";
import { type HookEvent, readEvent } from "../../lib/events.ts";
import { namesIn } from "../../lib/files.ts";
import { record } from "../../lib/journal.ts";
import { readScreen } from "../../lib/pane.ts";
import { pendingDir } from "../../lib/paths.ts";
import { answersBy, answersFrom } from "../../lib/question_answers.ts";
import { isAbout, shownAmong } from "../../lib/shown.ts";
import { maskFields } from "../../lib/secrets.ts";
import { openOf } from "../../lib/tell_question.ts";
import { TestHome } from "../support/home.ts";

const KEY = ["ghp", "aB3dE5gH7jK9mN1pQrStUvWxYz0123456789"].join("_");
const PASSWORD = "x9!Kq2#Lm";
const QUESTION = {
  question: `Which key? The password is "${PASSWORD}", today`,
  header: "Key",
  multiSelect: false,
  options: [
    { label: `Use ${KEY}`, description: `as TOKEN=${KEY}`, preview: "" },
    { label: "None", description: "", preview: `curl -u ci:${KEY} https://example.org` },
  ],
};
const INPUT = { questions: [QUESTION] };
const SESSION = "warden-main";

const PENDING: Pending = {
  ...{ id: "q-1", kind: "question", session: SESSION, agent_id: "warden", tool: "AskUserQuestion" },
  ...{ tool_input: INPUT, asked_at: "", until: "", pid: 1, secret_sha256: "" },
  ...{ claude_session_id: "c1", prompt_id: "p1" },
};

function eventOf(name: string, more: Record<string, unknown> = {}): HookEvent {
  const fields = {
    ...{ hook_event_name: name, session_id: "c1", prompt_id: "p1", cwd: "/tmp" },
    ...{ transcript_path: "", tool_name: "AskUserQuestion", tool_input: INPUT, ...more },
  };
  const reading = readEvent(JSON.stringify(fields));
  if (reading.kind !== "event") throw new Error(reading.kind);
  return reading.event;
}

function textsIn(dir: string): string {
  return namesIn(dir).map((name) => Deno.readTextFileSync(`${dir}/${name}`)).join("\n");
}

function assertHides(text: string): void {
  assertEquals([text.includes(KEY), text.includes(PASSWORD)], [false, false], text);
  assertMatch(text, /Use ghp_\*\*\*/);
}

Deno.test("an open question is masked on disk, and the one in memory is not", async () => {
  await using home = new TestHome();
  openPending(home.paths, PENDING);
  assertHides(textsIn(pendingDir(home.paths, SESSION)));
  assertEquals(PENDING.tool_input, INPUT);
});

Deno.test("what PreToolUse notes of a question is masked, and found again by its words", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const asked = askedIn(eventOf("PreToolUse"));
  const names = { id: "q-2", secret_sha256: "", wake_id: "w" };
  noteAsking(paths, SESSION, { ...asked, ...names }, 0);
  assertHides(textsIn(pendingDir(paths, SESSION)));
  const other = { questions: [{ ...QUESTION, question: "Another one?" }] };
  const request = eventOf("PermissionRequest");
  assertEquals(
    claimAsking(paths, SESSION, eventOf("PermissionRequest", { tool_input: other })),
    undefined,
  );
  assertEquals(claimAsking(paths, SESSION, request)?.id, "q-2");
});

Deno.test("the session's memory has the words of a question masked", () => {
  const { asks } = openOf("q-1", readQuestions(INPUT));
  assertEquals(asks.join("").includes(PASSWORD), false);
});

Deno.test("an answer by number is given in the words that Claude asked with", async () => {
  await using home = new TestHome();
  openPending(home.paths, PENDING);
  const [kept] = listPending(home.paths, SESSION);
  const questions = readQuestions(kept!.tool_input);
  const reading = readChoices(questions, ["1"], []);
  if (reading.kind !== "choices") throw new Error(reading.reason);
  const given = answersFrom(questions, reading.choices);
  assertEquals(JSON.stringify(given).includes(KEY), false);
  const real = answersBy(readQuestions(INPUT), reading.choices);
  assertEquals(real?.answers, { [QUESTION.question]: `Use ${KEY}` });
  // What Claude Code reports afterwards is known as ours, and another choice is not.
  const decision = { kind: "answers", ...given } as const;
  assertEquals(fits(decision, { [QUESTION.question]: `Use ${KEY}` }), true);
  assertEquals(fits(decision, { [QUESTION.question]: "None" }), false);
  const answered = eventOf("PostToolUse", { tool_response: { ...INPUT, ...real } });
  assertEquals(answeredId(home.paths, SESSION, answered, real!.answers), "q-1");
});

Deno.test("choices that do not fit the question give no words", () => {
  const questions = readQuestions(INPUT);
  for (const choices of [[], [{ options: [3] }], [{ options: [0] }], [{ options: [] }]]) {
    assertEquals(answersBy(questions, choices), undefined, JSON.stringify(choices));
  }
});

Deno.test("a masked label is an answer, and of two that read the same only a number is", () => {
  const option = (label: string) => ({ label, description: "", preview: "" });
  const question = { ...QUESTION, options: [option("Use ghp_***"), option("None")] };
  const read = (word: string, ...labels: string[]) =>
    readChoices(
      [{ ...question, options: [...question.options, ...labels.map(option)] }],
      [word],
      [],
    );
  const first = { kind: "choices" as const, choices: [{ options: [1] }] };
  assertEquals(read("use ghp_***"), first);
  assertEquals(read(`Use ${KEY}`), first);
  assertEquals(read("use ghp_***", "Use ghp_***").kind, "wrong");
  assertEquals(read("3", "Use ghp_***"), { kind: "choices", choices: [{ options: [3] }] });
});

Deno.test("a masked question is known on the screen, and another one is not", async () => {
  await using home = new TestHome();
  openPending(home.paths, PENDING);
  const [kept] = listPending(home.paths, SESSION);
  const screen = (title: string) =>
    readScreen([
      "─".repeat(70),
      " ☐ Key ",
      "",
      title,
      "",
      `❯ 1. Use ${KEY}`,
      "  2. None",
      "  3. Type something.",
      "─".repeat(70),
      "  4. Chat about this",
      "",
      "Enter to select · ↑/↓ to navigate · Esc to cancel",
    ].join("\n")).dialog!;
  const ours = screen(QUESTION.question);
  assertEquals(ours.kind, "question");
  assertEquals(isAbout(kept!, ours), true);
  const questions = readQuestions(kept!.tool_input);
  assertEquals(shownAmong(questions, ours), 0);
  const goal = { kind: "answer" as const, questions, choices: [{ options: [2] }] };
  assertEquals(answerStep(goal, ours).kind, "press");
  assertEquals(isAbout(kept!, screen("Drop the tables, today")), false);
});

Deno.test("what was answered with keys is noted and journalled without its secrets", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const answers = { [`TOKEN=${KEY}?`]: `Use ${KEY}` };
  const decision = { kind: "answers" as const, answers, annotations: {} };
  noteKeys(paths, { session: SESSION, id: "q-1" }, { by: "x", via: "keys", at: "", decision });
  const noted = textsIn(pendingDir(paths, SESSION));
  assertEquals([noted.includes(KEY), noted.includes("Use ghp_***")], [false, true], noted);
  assertEquals(fits(JSON.parse(noted).decision, answers), true);
  record(paths, { kind: "answered", session: SESSION, agent_id: "warden", decision });
  assertEquals(textsIn(`${paths.state}/journal`).includes(KEY), false);
  assertEquals(JSON.stringify(maskFields({ [`TOKEN=${KEY}`]: 1 })).includes(KEY), false);
});
