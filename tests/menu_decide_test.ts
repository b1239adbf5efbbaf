import { assertEquals, assertStringIncludes } from "@std/assert";
import { listPending, openPending } from "../lib/answers.ts";
import type { DriverContext } from "../lib/driver/driver_context.ts";
import { decide } from "../lib/driver/menu_decide.ts";
import { driverContext, menuOptions, pendingFor } from "./support/driver_context.ts";
import { FakePane } from "./support/fake_pane.ts";
import { fixturePane, fixtureRequest } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";
import { act, type Asking, playing } from "./support/menu_action.ts";

const SINGLE = fixtureRequest("permission_request-ask-single");
const BASH = fixtureRequest("permission_request-bash");
const IDLE = "04-idle-default-mode";
const OPTIONS = menuOptions();
const waits = { isWaiting: () => true };

Deno.test("decide() allows and denies what is on the screen with keys", async () => {
  const allowed = await act(
    playing("30-permission-bash", IDLE),
    (context) => decide(context, { kind: "allow" }, OPTIONS),
  );
  assertEquals([allowed.said, allowed.sent], ['Allowed "Bash command" (with keys)', ["1"]]);
  assertEquals(allowed.journal.map(({ kind }) => kind), ["decided"]);
});

Deno.test("decide() names the request that it has decided through the hook", async () => {
  const { said, sent } = await act(
    playing("30-permission-bash"),
    (context) => decide(context, { kind: "deny", message: "not now" }, OPTIONS),
    { pending: [pendingFor("permission", BASH)], context: waits },
  );
  assertStringIncludes(said, 'Denied "Bash touch /home/dev/app/made-by-bash && echo bash-ran"');
  assertEquals(sent, []);
});

Deno.test("decide() calls a plan the plan", async () => {
  const plan = fixtureRequest("permission_request-exit-plan-mode");
  const { said } = await act(
    playing("33-plan-approval"),
    (context) => decide(context, { kind: "allow" }, menuOptions("--question", "p-1")),
    { pending: [pendingFor("plan", plan)], context: { ...waits, opens: () => true } },
  );
  assertStringIncludes(said, "Allowed the plan (through");
});

Deno.test("decide() repeats no key of a request or a question", async () => {
  const key =
    "sk-ant-api03-mB7xQ2vKpL9wRt4ZcN8yHj3FsG6dTuE1oXqW5iVaYbU0rPkMzJnCfDhSgLeO7tR2yBw9QxK";
  const [question] = SINGLE.tool_input.questions as { question: string }[];
  const questions = [{ ...question, question: `Shall I log in with ${key} or with another one?` }];
  const { said } = await act(
    playing("10-ask-single"),
    (context) => decide(context, { kind: "deny", message: "no" }, menuOptions("--question", "q-1")),
    {
      pending: [{ ...pendingFor("question", { ...SINGLE, tool_input: { questions } }), id: "q-1" }],
      context: { ...waits, opens: () => true },
    },
  );
  assertStringIncludes(said, 'Declined "Shall I log in with sk-ant-*** or with another one?"');
  const low = await act(
    playing("v325-99g-permission-key-header-80x12", IDLE),
    (context) => decide(context, { kind: "allow" }, OPTIONS),
  );
  assertEquals(low.said.includes("YbU0rPk"), false, low.said);
});

Deno.test("decide() decides nothing that its agent may not, or that is not asked", async () => {
  const refusal = async (screen: string, more: Asking = {}, ...words: string[]) => {
    const { said, sent } = await act(
      playing(screen),
      (context) => decide(context, { kind: "allow" }, menuOptions(...words)),
      more,
    );
    assertEquals(sent, []);
    return said;
  };
  const mayNot = { context: { whyNoDecision: "it may not" } };
  assertStringIncludes(await refusal("30-permission-bash", mayNot), "refused: it may not; the pre");
  assertStringIncludes(await refusal(IDLE), "refused: nothing asks for permission");
  assertStringIncludes(
    await refusal("30-permission-bash", {}, "--question", "p-9"),
    "refused: the request p-9 is no longer open",
  );
  // A question is answered, not allowed.
  assertStringIncludes(await refusal("10-ask-single"), "refused: nothing asks for permission");
});

Deno.test("decide() says what is asked where a low window has cut the title off", async () => {
  const cut = fixturePane("30-permission-bash").replace(/^ Bash command$/m, "│ x");
  const pane = new FakePane((sent) => sent === "" ? cut : fixturePane(IDLE));
  const { said } = await act(pane, (context) => decide(context, { kind: "allow" }, OPTIONS));
  assertEquals(said, 'Allowed "Do you want to proceed?" (with keys)');
});

Deno.test("decide() declines a question through its hook, and only so", async () => {
  const deny = (context: DriverContext) =>
    decide(context, { kind: "deny", message: "later" }, OPTIONS);
  const pending = [pendingFor("question", SINGLE)];
  const declined = await act(playing("10-ask-single"), deny, { pending, context: waits });
  assertStringIncludes(declined.said, 'Declined "Which database should we use?" (through');
  assertEquals(declined.sent, []);
  // Without a hook, and with one that no longer waits.
  for (const asking of [{}, { pending }]) {
    const { said, sent } = await act(playing("10-ask-single"), deny, asking);
    assertStringIncludes(said, "refused: no hook waits for this question: esc declines it");
    assertEquals(sent, []);
  }
  const gone = await act(
    playing(IDLE),
    (context) => decide(context, { kind: "deny", message: "" }, menuOptions("--question", "q-9")),
  );
  assertStringIncludes(gone.said, "refused: the question q-9 is no longer open");
});

Deno.test("decide() leaves a request open that it did not decide", async () => {
  await using home = new TestHome();
  openPending(home.paths, pendingFor("permission", BASH));
  const pane = playing("30-permission-bash");
  const context = driverContext(pane, { paths: home.paths, whyNoDecision: "it may not" });
  await decide(context, { kind: "allow" }, OPTIONS);
  assertEquals(listPending(home.paths, "warden-main").map(({ id }) => id), ["p-1"]);
});
