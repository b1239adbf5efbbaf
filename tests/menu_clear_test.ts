import { assertEquals, assertStringIncludes } from "@std/assert";
import { clearDraft } from "../lib/driver/menu_clear.ts";
import { pressKey } from "../lib/driver/menu_key.ts";
import { typeAtPrompt } from "../lib/driver/menu_prompt.ts";
import { noteOwnText } from "../lib/doors/own_drafts.ts";
import type { DriverContext } from "../lib/driver/driver_context.ts";
import { driverContext } from "./support/driver_context.ts";
import { FakePrompt, type PromptOptions } from "./support/fake_prompt.ts";
import { TestHome } from "./support/home.ts";

const PERSON = "a person is typing there: wait, or tell your human";
const CLEARED = "Cleared the input box: the present state is";

/** A box with `draft`, for an agent that has typed `typed`. */
async function clear(
  draft: string,
  typed: string,
  more: PromptOptions & { context?: Partial<DriverContext>; press?: string[] } = {},
) {
  await using home = new TestHome();
  const prompt = new FakePrompt(more);
  await prompt.paste(draft);
  await prompt.press(...more.press ?? []);
  prompt.keys.length = 0;
  noteOwnText(home.paths, "warden-main", typed);
  const result = await clearDraft(driverContext(prompt, { paths: home.paths, ...more.context }));
  const said = result.kind === "done" ? result.said : result.reason;
  return { said, keys: prompt.keys.join(" "), draft: prompt.draft };
}

Deno.test("clearDraft() empties the box of the agent's own text at once", async () => {
  for (const text of ["Run the tests", "first\nsecond"]) {
    assertEquals(await clear(text, text), {
      said: `${CLEARED} idle`,
      keys: "Escape Escape",
      draft: "",
    });
  }
});

Deno.test("clearDraft() leaves a person's draft alone, except with --anyway", async () => {
  const left = await clear("half a thought", "Run the tests");
  assertEquals([left.keys, left.draft], ["", "half a thought"]);
  assertStringIncludes(left.said, `${PERSON} (--anyway clears it); the present state is idle`);
  const anyway = await clear("half a thought", "Run", { context: { anyway: true } });
  assertEquals([anyway.said, anyway.draft], [`${CLEARED} idle`, ""]);
});

Deno.test("clearDraft() takes no shell line for the agent's own", async () => {
  const line = await clear("!ls", "ls");
  assertEquals([line.keys, line.draft], ["", "ls"]);
  const anyway = await clear("!ls", "ls", { context: { anyway: true } });
  assertEquals(anyway, { said: `${CLEARED} idle`, keys: "C-u Escape", draft: "" });
});

Deno.test("clearDraft() presses no Escape while Claude works: it would interrupt", async () => {
  const text = "first\nsecond\nthird";
  const cleared = await clear(text, text, { frame: "02-working", press: ["C-a"] });
  assertEquals([cleared.said, cleared.draft], [`${CLEARED} working`, ""]);
  assertEquals(new Set(cleared.keys.split(" ")), new Set(["C-u", "C-k"]));
});

Deno.test("clearDraft() goes line by line where Escape has no effect, and says when nothing has", async () => {
  const without = (keys: string[]) => ({
    delay: (input: string) => keys.includes(input) ? "never" as const : 0,
  });
  assertEquals((await clear("Go on", "Go on", without(["Escape"]))).draft, "");
  const stuck = await clear("Go on", "Go on", without(["Escape", "C-u", "C-k"]));
  assertStringIncludes(stuck.said, "the box is not empty: look with snapshot");
});

Deno.test("clearDraft() refuses where nothing is to be cleared, and presses nothing in a dry run", async () => {
  assertStringIncludes((await clear("", "x")).said, "there is nothing to clear; the present state");
  const dry = await clear("Go on", "Go on", { context: { dryRun: true } });
  assertEquals(dry, { said: "Would clear the input box", keys: "", draft: "Go on" });
});

Deno.test("a prompt that Claude Code puts back is the agent's own", async () => {
  await using home = new TestHome();
  const prompt = new FakePrompt();
  const context = driverContext(prompt, { paths: home.paths });
  assertEquals((await typeAtPrompt(context, "Run the tests", false)).kind, "done");
  await prompt.paste("Run the tests");
  const again = await typeAtPrompt(context, "Run the docs", false);
  const said = JSON.stringify(again);
  assertStringIncludes(said, "your own text is in the box (clear empties it, enter sends it)");
  const left = await pressKey(context, "Escape");
  assertStringIncludes(JSON.stringify(left), "; clear empties the box");
  assertEquals((await pressKey(context, "Enter")).kind, "done");
  assertEquals(prompt.texts, ["Run the tests", "Run the tests"]);
});

Deno.test("pressKey() does not send what a person has typed, except with --anyway", async () => {
  await using home = new TestHome();
  for (const draft of ["half a thought", "!rm -rf build"]) {
    const prompt = new FakePrompt();
    await prompt.paste(draft);
    const context = driverContext(prompt, { paths: home.paths });
    const kept = await pressKey(context, "Enter");
    assertStringIncludes(JSON.stringify(kept), PERSON);
    assertEquals(prompt.texts, []);
    assertEquals((await pressKey({ ...context, anyway: true }, "Enter")).kind, "done");
    assertEquals(prompt.texts, [draft.replace("!", "")]);
  }
});
