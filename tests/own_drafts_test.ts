import { assertEquals } from "@std/assert";
import { isOwnDraft, noteOwnText } from "../lib/doors/own_drafts.ts";
import { TestHome } from "./support/home.ts";

const LONG = Array.from({ length: 60 }, (_, at) => `${at}. a line of a longer text`).join("\n");

async function owns(typed: string[], draft: string): Promise<boolean> {
  await using home = new TestHome();
  for (const text of typed) noteOwnText(home.paths, "s", text);
  return isOwnDraft(home.paths, "s", draft);
}

for (
  const [name, typed, draft] of [
    ["as it was typed", ["Run the tests"], "Run the tests"],
    ["broken into lines", ["Run all of the tests"], "Run all\nof the tests"],
    ["as a terminal draws it", ["cafe\u0301 👍🏽"], "café 👍"],
    ["that an earlier text was", ["first", "second"], "first"],
    ["of several that were queued", ["first one", "second one"], "first one\nsecond one"],
    ["of which the box shows a part", [LONG], LONG.split("\n").slice(20, 40).join("\n")],
    ["of which lines are not drawn", [LONG], LONG.replace(/^(7|31)\..*\n/gm, "")],
    ["of which lines are drawn twice", [LONG], LONG.replace(/^(12\..*\n13\..*\n)/m, "$1$1")],
    ["that the box only names", [LONG], "[Pasted text #3 +59 lines]"],
  ] as const
) {
  Deno.test(`isOwnDraft() knows a draft ${name}`, async () => {
    assertEquals(await owns([...typed], draft), true);
  });
}

for (
  const [name, typed, draft] of [
    ["where nothing was typed", [], "Run the tests"],
    ["that somebody has changed", ["Run the tests"], "Run the tests again"],
    ["that only begins like it", ["Run the tests"], "Run"],
    ["that somebody has added to a long one", [LONG], `${LONG}\nand this`],
    ["that somebody has added some of its words to", [LONG], `${LONG}\n7. a line`],
    ["into which somebody has written", [LONG], LONG.replace("31. a", "31. not a")],
    ["of another long paste", [LONG], "[Pasted text #3 +12 lines]"],
  ] as const
) {
  Deno.test(`isOwnDraft() takes no draft for the agent's ${name}`, async () => {
    assertEquals(await owns([...typed], draft), false);
  });
}

Deno.test("noteOwnText() keeps no words of the text, and of few texts", async () => {
  await using home = new TestHome();
  for (let at = 0; at < 20; at++) noteOwnText(home.paths, "s", `the secret word is hunter${at}`);
  const kept = Deno.readTextFileSync(`${home.paths.state}/drafts/s.json`);
  assertEquals(/hunter|secret/.test(kept), false);
  assertEquals(JSON.parse(kept).length, 8);
  assertEquals(isOwnDraft(home.paths, "s", "the secret word is hunter0"), false);
  assertEquals(isOwnDraft(home.paths, "other", "the secret word is hunter19"), false);
});

Deno.test("isOwnDraft() counts a draft as a person's where the note is damaged", async () => {
  await using home = new TestHome();
  noteOwnText(home.paths, "s", "Run");
  for (const text of ["{", '{"whole":1}', '[{"whole":"x"}]']) {
    Deno.writeTextFileSync(`${home.paths.state}/drafts/s.json`, text);
    assertEquals(isOwnDraft(home.paths, "s", "Run"), false);
  }
});
