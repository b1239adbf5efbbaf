import { assertEquals, assertStringIncludes } from "@std/assert";
import { openPending, type Pending } from "../lib/answers.ts";
import type { DriverContext } from "../lib/driver/driver_context.ts";
import { openQuestion } from "../lib/driver/open_question.ts";
import { changeMemory } from "../lib/session_memory.ts";
import { driverContext, pendingFor } from "./support/driver_context.ts";
import { FakePane } from "./support/fake_pane.ts";
import { fixturePane, fixtureRequest } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";

const SINGLE = fixtureRequest("permission_request-ask-single");
const THREE = fixtureRequest("permission_request-ask-three");

interface Given {
  pending?: Pending[];
  id?: string;
  isWaiting?: boolean;
  /** What the last wake asked, and under which id. */
  told?: { id: string; asks: string[] };
  context?: Partial<DriverContext>;
}

/** The id of the question that was found, its options where it has none, or why none was. */
async function found(screen: string, given: Given = {}) {
  const { pending = [], id, isWaiting, told } = given;
  await using home = new TestHome();
  for (const one of pending) openPending(home.paths, one);
  if (told !== undefined) {
    changeMemory(home.paths, "warden-main", (memory) => ({
      memory: { ...memory, open: told as never },
      value: undefined,
    }));
  }
  const pane = new FakePane(() => screen);
  const more = { paths: home.paths, isWaiting: () => isWaiting === true, ...given.context };
  const context = driverContext(pane, more);
  const result = openQuestion(context, await pane.look(), id);
  if (result.kind === "none") return result.reason;
  const { pending: own, questions } = result.open;
  return own?.id ?? questions[0]!.options.map(({ label }) => label).join();
}

const ASKED = fixturePane("10-ask-single");
const IDLE = fixturePane("04-idle-default-mode");
const one = pendingFor("question", SINGLE);
const two = pendingFor("question", SINGLE, { id: "q-2" });

Deno.test("openQuestion() finds the question on the screen, known by its hook or only read", async () => {
  assertEquals(await found(ASKED, { pending: [one] }), "q-1");
  assertEquals(await found(ASKED), "PostgreSQL,SQLite,MongoDB");
  assertEquals(await found(fixturePane("24-ask-preview")), "Rows,Cols");
  assertStringIncludes(await found(IDLE, { pending: [one] }), "no question is open; the present");
});

Deno.test("openQuestion() does not guess between two that look the same", async () => {
  const tool_input = { ...SINGLE.tool_input, metadata: "other" };
  const other = pendingFor("question", { tool: SINGLE.tool, tool_input }, { id: "q-2" });
  assertEquals(
    await found(ASKED, { pending: [one, other] }),
    "several questions look like the one on the screen: name one with --question: " +
      "q-1, q-2",
  );
});

Deno.test("openQuestion() takes the oldest of identical ones, which Claude shows first", async () => {
  const older = { id: "q-2", asked_at: "2026-11-16T09:58:00.000Z" };
  const pending = [one, pendingFor("question", SINGLE, older)];
  assertEquals(await found(ASKED, { pending, isWaiting: true }), "q-2");
});

Deno.test("openQuestion() without the secret finds an id only where the screen shows it", async () => {
  const pending = [one, pendingFor("question", THREE, { id: "q-3" })];
  const given = { pending, isWaiting: true, context: { opens: () => false, secret: undefined } };
  assertEquals(await found(ASKED, { ...given, id: "q-1" }), "q-1");
  assertStringIncludes(await found(ASKED, { ...given, id: "q-3" }), "q-3 is not on the screen");
  const wrong = { ...given, context: { opens: () => false, secret: "WRONG" } };
  assertEquals(
    await found(ASKED, { ...wrong, id: "q-1" }),
    "what follows q-1. is not its secret: use the line of its wake as it stands",
  );
});

Deno.test("openQuestion() prefers the question that is whole on the screen to one that ends like it", async () => {
  const [question] = SINGLE.tool_input.questions as { question: string }[];
  const longer = { ...question, question: `Of these: ${question!.question}` };
  const tool_input = { questions: [longer] };
  const other = pendingFor("question", { tool: SINGLE.tool, tool_input }, { id: "q-2" });
  assertEquals(await found(ASKED, { pending: [one, other] }), "q-1");
});

Deno.test("openQuestion() takes the only waiting one where the screen cannot be read as a whole", async () => {
  const low = fixturePane("v325-95-many-q1-60x15");
  const other = pendingFor("question", THREE, { id: "q-3" });
  assertEquals(await found(low, { pending: [other], isWaiting: true }), "q-3");
  const reason = "the question cannot be read as a whole";
  assertStringIncludes(await found(low, { pending: [other] }), reason);
  assertStringIncludes(await found(low, { pending: [other, two], isWaiting: true }), reason);
});

Deno.test("openQuestion() with an id finds that one alone", async () => {
  const both = [one, pendingFor("question", THREE, { id: "q-3" })];
  assertEquals(await found(ASKED, { pending: both, id: "q-1" }), "q-1");
  // A hook waits for it: it need not be on the screen.
  assertEquals(await found(IDLE, { pending: both, id: "q-3", isWaiting: true }), "q-3");
  assertStringIncludes(
    await found(ASKED, { pending: both, id: "q-3" }),
    "the question q-3 is not on the screen: act on what is there first; the present state is menu",
  );
  assertStringIncludes(await found(IDLE, { pending: both, id: "q-1" }), "is not on the screen");
  assertStringIncludes(await found(ASKED, { id: "q-1" }), "the question q-1 is no longer open");
  assertEquals(
    await found(ASKED, { id: "p-1" }),
    "p-1 is a permission or a plan: allow or deny it",
  );
});

Deno.test("openQuestion() with the id of the last wake finds what that asked, without a hook", async () => {
  const told = { id: "q-7", asks: ["Which database should we use?"] };
  assertEquals(await found(ASKED, { id: "q-7", told }), "PostgreSQL,SQLite,MongoDB");
  const other = { id: "q-7", asks: ["Another?"] };
  assertStringIncludes(await found(ASKED, { id: "q-7", told: other }), "is no longer open");
  assertStringIncludes(await found(ASKED, { id: "q-8", told }), "is no longer open");
});
