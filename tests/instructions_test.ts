import { assertEquals } from "@std/assert";
import { wholeText } from "../lib/doors/kept_texts.ts";
import { noteInstruction } from "../lib/driver/instructions.ts";
import type { ActionResult, DriverContext } from "../lib/driver/driver_context.ts";
import type { DrivingVerb } from "../lib/driver/menu_order.ts";
import { typeAtPrompt } from "../lib/driver/menu_prompt.ts";
import { driverContext } from "./support/driver_context.ts";
import { FakePane } from "./support/fake_pane.ts";
import { fixturePane } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";

const BEGAN = new Date("2026-11-16T10:00:00.000Z");
const DONE: ActionResult = { kind: "done", said: "Typed", via: "keys" };
const IDLE = () => fixturePane("01-idle-fresh");

async function noted(
  verb: DrivingVerb,
  result: ActionResult,
  more: Partial<DriverContext> = {},
): Promise<Record<string, unknown>[]> {
  await using home = new TestHome();
  const context = driverContext(new FakePane(IDLE), { paths: home.paths, ...more });
  noteInstruction(context, verb, "I1", result, BEGAN);
  return home.journal();
}

const VERBS: [DrivingVerb, text: string | undefined][] = [
  [{ kind: "type", text: "Fix the failing tests" }, "Fix the failing tests"],
  [{ kind: "type", text: "/compact" }, "/compact"],
  [{ kind: "clear_then", text: "/gsd:go" }, "/gsd:go"],
  [{ kind: "esc" }, undefined],
  [{ kind: "enter" }, undefined],
  [{ kind: "submit" }, undefined],
];

for (const [verb, text] of VERBS) {
  Deno.test(`noteInstruction() records ${verb.kind} ${text ?? ""}, who gave it and when`, async () => {
    const [entry, ...more] = await noted(verb, DONE, { by: "ana", byKind: "person" });
    assertEquals(more, []);
    assertEquals(entry, {
      at: BEGAN.toISOString(),
      kind: "instruction",
      ...{ session: "warden-main", agent_id: "warden", instruction_id: "I1" },
      ...{ by: "ana", by_kind: "person", caller: "openclaw > menu-driver" },
      ...{ action: verb.kind, via: "keys", outcome: "done" },
      ...(text === undefined ? {} : { text }),
    });
  });
}

Deno.test("noteInstruction() leaves an answer to the record of its question, unless it was refused", async () => {
  const answer: DrivingVerb = { kind: "answer", words: ["2"] };
  assertEquals(await noted(answer, { ...DONE, isAnswer: true }), []);
  const reason = "no question is open";
  const [refused] = await noted(answer, { kind: "refused", reason });
  assertEquals([refused?.outcome, refused?.reason, refused?.text], ["refused", reason, "2"]);
});

Deno.test("noteInstruction() records nothing of a dry run, nor where no agent is", async () => {
  assertEquals(await noted({ kind: "esc" }, DONE, { dryRun: true }), []);
  assertEquals(await noted({ kind: "esc" }, DONE, { agentId: "" }), []);
});

Deno.test("noteInstruction() keeps a long text as a whole, masked", async () => {
  await using home = new TestHome();
  const context = driverContext(new FakePane(IDLE), { paths: home.paths });
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const text = `${"word ".repeat(1000)}${secret} end`;
  noteInstruction(context, { kind: "type", text }, "I1", DONE, BEGAN);
  const whole = wholeText(home.paths, "I1") ?? "";
  assertEquals([whole.includes(secret), whole.endsWith(" end")], [false, true]);
  assertEquals(home.journal()[0]?.text_chars, text.length);
});

Deno.test("typeAtPrompt() says what it types before it is sent", async () => {
  const before: string[] = [];
  const pane = new FakePane(IDLE);
  const context = driverContext(pane, {
    beforePrompt: (text) => void before.push(`${text}: ${pane.sent.length} keys`),
  });
  await typeAtPrompt(context, "Fix the tests", false);
  assertEquals(before, ["Fix the tests: 0 keys"]);
});
