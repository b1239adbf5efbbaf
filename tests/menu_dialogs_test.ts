import { assertEquals, assertStringIncludes } from "@std/assert";
import { answerOpen, choose, submit, type } from "../lib/driver/menu_dialogs.ts";
import { openPending, takeAnswer } from "../lib/answers.ts";
import { noteAsking } from "../lib/questions.ts";
import { closePending } from "../lib/close_pending.ts";
import { changeMemory } from "../lib/session_memory.ts";
import { driverContext, menuOptions, pendingFor } from "./support/driver_context.ts";
import { FakePane } from "./support/fake_pane.ts";
import { fixturePane, fixtureRequest } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";
import { act, type Asking, playing } from "./support/menu_action.ts";

const SINGLE = fixtureRequest("permission_request-ask-single");
const THREE = fixtureRequest("permission_request-ask-three");
const BASH = fixtureRequest("permission_request-bash");
const IDLE = "04-idle-default-mode";
const OPTIONS = menuOptions();

const waits = { isWaiting: () => true };

Deno.test("choose() answers the question on the screen by the number of an option", async () => {
  const { said, sent } = await act(
    playing("10-ask-single", IDLE),
    (context) => choose(context, 2, OPTIONS),
  );
  assertEquals(said, 'Answered "Which database should we use?": SQLite (with keys)');
  assertEquals(sent, ["2"]);
});

Deno.test("choose() waits for a dialog that its wake has overtaken", async () => {
  const pane = new FakePane((sent, ms) =>
    fixturePane(ms < 1000 ? "02-working" : sent === "" ? "10-ask-single" : IDLE)
  );
  const { said } = await act(pane, (context) => choose(context, 2, OPTIONS), {
    context: { waitMs: 10_000 },
  });
  assertStringIncludes(said, "SQLite (with keys)");
});

Deno.test("choose() waits for a question that other hooks hold up, and says when it does not come", async () => {
  await using home = new TestHome();
  const { paths } = home;
  const told = () => {
    const names = { id: "q-1", secret_sha256: "", wake_id: "", tool_use_id: "" };
    const asked = { claude_session_id: "c", prompt_id: "p", questions: [] };
    noteAsking(paths, "warden-main", { ...names, ...asked }, 0);
  };
  const named = menuOptions("--question", "q-1");
  const pane = new FakePane(() => fixturePane("02-working"));
  const hooks = { running: false, seen: false };
  const context = driverContext(pane, {
    paths,
    isWaiting: () => hooks.seen,
    lookForHooks: () => Promise.resolve(void (hooks.seen = hooks.running)),
  });
  told();
  const pending = pendingFor("question", SINGLE);
  pane.clock.at(8000, () => void (openPending(paths, pending), hooks.running = true));
  pane.clock.at(8500, () => takeAnswer(paths, pending));
  const { kind } = await choose(context, 2, named);
  assertEquals([kind, pane.sent], ["done", []]);

  closePending(paths, "warden-main", { id: "q-1" });
  const late = JSON.stringify(await choose(context, 2, named));
  assertStringIncludes(late, "the question q-1 is no longer open");
  told();
  const waiting = JSON.stringify(await choose(context, 2, named));
  assertStringIncludes(waiting, "Claude Code has not opened the question q-1 yet: try again");
});

Deno.test("choose() refuses where nothing is asked, and an option that is not there", async () => {
  const refusal = async (screen: string, number: number, more: Asking = {}) => {
    const { said, sent } = await act(
      playing(screen),
      (context) => choose(context, number, OPTIONS),
      more,
    );
    assertEquals(sent, []);
    return said;
  };
  assertEquals(await refusal(IDLE, 1), "refused: no question is open; the present state is idle");
  assertStringIncludes(await refusal("10-ask-single", 7), "has no option 7");
  assertStringIncludes(await refusal("30-permission-bash", 7), "there is no option 7; the options");
  assertStringIncludes(
    await refusal("30-permission-bash", 1, { context: { whyNoDecision: "it may not" } }),
    "refused: it may not; at this dialog (it allows a tool call) only snapshot and esc work",
  );
  assertStringIncludes(
    await refusal("30-permission-bash", 1, {
      pending: [pendingFor("question", SINGLE)],
      context: waits,
    }),
    "a question waits behind this dialog: choose with --question q-1",
  );
});

Deno.test("choose() takes a row of another dialog, and journals for which request", async () => {
  const { said, sent, journal } = await act(
    playing("30-permission-bash", IDLE),
    (context) => choose(context, 1, OPTIONS),
    { pending: [pendingFor("permission", BASH)] },
  );
  assertEquals([said, sent], ['Chose "Yes" (with keys)', ["Enter"]]);
  assertEquals(journal.map(({ question_id, by }) => [question_id, by]), [["p-1", "warden"]]);
});

Deno.test("choose() journals no request where the row may be about several", async () => {
  const both = [pendingFor("permission", BASH), pendingFor("permission", BASH, { id: "p-2" })];
  const { journal } = await act(
    playing("30-permission-bash", IDLE),
    (context) => choose(context, 1, OPTIONS),
    { pending: both },
  );
  assertEquals(journal.map(({ question_id }) => question_id), [undefined]);
});

Deno.test("answerOpen() answers three questions through the waiting hook at once", async () => {
  const { said, sent } = await act(
    playing("20-ask-three-q1"),
    (context) => answerOpen(context, ["2", "1,3", "text:none"], OPTIONS),
    { pending: [pendingFor("question", THREE)], context: waits },
  );
  assertStringIncludes(
    said,
    '"Which language?": Rust, "Which platforms?": Linux, Windows, "Which license, \\"quoted\\"?": none',
  );
  assertEquals(sent, []);
});

/** Three questions as they follow one another, told by the keys that were pressed. */
function threeQuestions(): FakePane {
  const platforms = fixturePane("20-ask-three-q1")
    .replace("☐ Language", "☒ Language").replace("Which language?", "Which platforms?")
    .replace(/❯ 1\. TypeScript[^]*?3\. Type/, "❯ 1. [ ] Linux\n  2. [ ] macOS\n  3. Type");
  const ticked = platforms.replace("1. [ ]", "1. [✔]");
  const screens = new Map([
    ["", fixturePane("20-ask-three-q1")],
    ["2", platforms],
    ["2 1", ticked],
    ["2 1 Right", fixturePane("22-ask-three-q3")],
    ["2 1 Right 1", fixturePane("23-ask-three-review")],
  ]);
  return new FakePane((sent) => screens.get(sent) ?? fixturePane(IDLE));
}

Deno.test("answerOpen() answers three questions one by one where no hook has them, and submits", async () => {
  const { said, sent } = await act(
    threeQuestions(),
    (context) => answerOpen(context, ["2", "1", "1"], OPTIONS),
  );
  assertEquals(
    said,
    'Answered "Which language?": Rust (with keys); Answered "Which platforms?": Linux (with keys)' +
      '; Answered "Which license, \\"quoted\\"?": MIT (with keys)',
  );
  assertEquals(sent.join(" "), "2 1 Right 1 1");
});

Deno.test("answerOpen() presses nothing where some questions are answered, or answers are missing", async () => {
  const refusal = async (screen: string, words: string[], prepare = (_: TestHome) => {}) => {
    await using home = new TestHome();
    prepare(home);
    const pane = playing(screen);
    const result = await answerOpen(driverContext(pane, { paths: home.paths }), words, OPTIONS);
    assertEquals(pane.sent, []);
    return result.kind === "refused" ? result.reason : "";
  };
  assertEquals(await refusal("20-ask-three-q1", ["1"]), "3 questions are open, 1 answered");
  const begun = "some questions are answered already: choose or type answers what is on the screen";
  assertStringIncludes(await refusal("22-ask-three-q3", ["1", "1", "1"]), begun);
  // The wake has named the questions: this is not the first of them.
  const asks = ["Another question?", "Which language?", "A third?"];
  const remember = (home: TestHome) =>
    void changeMemory(home.paths, "warden-main", (memory) => ({
      memory: { ...memory, open: { id: "q-9", asks } as never },
      value: undefined,
    }));
  assertStringIncludes(await refusal("20-ask-three-q1", ["1", "1", "1"], remember), begun);
  assertStringIncludes(await refusal(IDLE, ["1"]), "no question is open");
  assertStringIncludes(await refusal("10-ask-single", ["1,2"]), "takes one answer");
});

Deno.test("answerOpen() stops at the first of three answers that fails", async () => {
  const { said } = await act(
    playing("20-ask-three-q1"),
    (context) => answerOpen(context, ["9", "1", "1"], OPTIONS),
  );
  assertStringIncludes(said, 'refused: Question "Which language?" has no option 9');
});

Deno.test("type() answers an open question in own words, and types a prompt elsewhere", async () => {
  const atQuestion = await act(
    playing("10-ask-single"),
    (context) => type(context, "Redis", OPTIONS),
    { pending: [pendingFor("question", SINGLE)], context: waits },
  );
  assertStringIncludes(atQuestion.said, '"Which database should we use?": Redis (through');
  const atPrompt = await act(playing("02-working"), (context) => type(context, "Go on", OPTIONS));
  assertStringIncludes(atPrompt.said, "refused: Claude is still working");
  const named = await act(
    playing(IDLE),
    (context) => type(context, "Redis", menuOptions("--question", "q-9")),
  );
  assertStringIncludes(named.said, "refused: the question q-9 is no longer open");
});

Deno.test("submit() hands in what is chosen, and refuses a dialog that is no question", async () => {
  const review = await act(playing("23-ask-three-review", IDLE), submit);
  assertEquals([review.said, review.sent], ["Submitted what was chosen (with keys)", ["1"]]);
  const permission = await act(playing("30-permission-bash"), submit);
  assertStringIncludes(permission.said, "refused: there is nothing to submit; the present state");
  assertEquals(permission.sent, []);
  const prompt = await act(playing(IDLE), submit);
  assertStringIncludes(prompt.said, "refused: there is nothing to enter");
});
