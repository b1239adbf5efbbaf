import { assertEquals } from "@std/assert";
import { newWakeId } from "../lib/new_wake.ts";
import { noteScheduled, noteTyped, whoPrompted } from "../lib/typed.ts";
import { TestHome } from "./support/home.ts";

const S = "warden-main";
const AGENT = { by: "warden", by_kind: "agent" } as const;
const KEYBOARD = { by: "keyboard", by_kind: "keyboard" } as const;
const NOW = Date.parse("2026-11-16T10:00:00Z");

async function typed(
  notes: [id: string, text: string, agoMs?: number][],
  prompt: string,
  last = "",
) {
  await using home = new TestHome();
  for (const [instruction_id, text, ago = 1000] of notes) {
    noteTyped(home.paths, S, text, { ...AGENT, instruction_id }, NOW - ago);
  }
  return whoPrompted(home.paths, S, prompt, { last, now: NOW });
}

Deno.test("whoPrompted() distinguishes our prompts from those of the keyboard", async () => {
  const ours = { ...AGENT, instruction_id: "I1" };
  assertEquals(await typed([["I1", "Fix the tests"]], "Fix the tests"), ours);
  assertEquals(await typed([["I1", "Fix  the\ntests "]], " Fix the tests"), ours, "blanks");
  assertEquals(await typed([], "Fix the tests"), KEYBOARD);
  assertEquals(await typed([["I1", "Fix the tests", 60_000]], "And the docs"), KEYBOARD);
  assertEquals(await typed([["I1", "Fix the tests", 60_000]], "fix the tests"), KEYBOARD);
});

Deno.test("whoPrompted() takes an instruction for one prompt, in their order", async () => {
  const notes: [string, string, number][] = [["I1", "go on", 90_000], ["I2", "go on", 80_000]];
  assertEquals(await typed(notes, "go on"), { ...AGENT, instruction_id: "I1" });
  assertEquals(await typed(notes, "go on", "I1"), { ...AGENT, instruction_id: "I2" });
  assertEquals(await typed(notes, "go on", "I2"), KEYBOARD);
});

Deno.test("whoPrompted() knows an instruction that was given after the clock was set back", async () => {
  const [before, after] = [newWakeId(NOW), newWakeId(NOW - 3_600_000)];
  const notes: [string, string, number][] = [[before, "go on", 0], [after, "and test", 3_600_000]];
  assertEquals(await typed(notes, "and test", before), { ...AGENT, instruction_id: after });
  assertEquals(await typed(notes, "go on", after), KEYBOARD, "the earlier one");
});

Deno.test("whoPrompted() counts an instruction that was noted on two roads once", async () => {
  const notes: [string, string][] = [["I1", "go on"], ["I1", "go on"]];
  assertEquals(await typed(notes, "go on", "I1"), KEYBOARD);
});

Deno.test("whoPrompted() knows an instruction also where the note of the last one is gone", async () => {
  const ours = { ...AGENT, instruction_id: "I1" };
  assertEquals(await typed([["I1", "go on"]], "go on", "I9"), ours);
});

Deno.test("whoPrompted() finds a prompt among those that Claude Code has joined", async () => {
  const notes: [string, string][] = [["I1", "first"], ["I2", "second"]];
  assertEquals(await typed(notes, "first\nsecond"), { ...AGENT, instruction_id: "I1" });
});

Deno.test("whoPrompted() says unknown where a text of ours may have been changed", async () => {
  const unknown = { by: "unknown", by_kind: "unknown" } as const;
  assertEquals(await typed([["I1", "/gsd:go"]], "the text of the command"), unknown);
  assertEquals(await typed([["I1", "/gsd:go"]], "the text of the command", "I1"), KEYBOARD);
});

Deno.test("whoPrompted() knows the prompts of Claude Code itself", async () => {
  const prompt = "<task-notification>\n<task-id>b1</task-id>";
  assertEquals(await typed([], prompt), { by: "claude", by_kind: "claude" });
});

Deno.test("whoPrompted() knows what Claude has set for a time, again and again", async () => {
  await using home = new TestHome();
  const who = (prompt: string, last = "") => whoPrompted(home.paths, S, prompt, { last, now: NOW });
  noteTyped(home.paths, S, "go on", { ...AGENT, instruction_id: "I1" }, NOW - 60_000);
  noteScheduled(home.paths, S, ["look at the build"], NOW - 60_000);
  noteTyped(home.paths, S, "and the docs", { ...AGENT, instruction_id: "I2" }, NOW - 60_000);
  for (const last of ["", "I1", "I2"]) {
    assertEquals(who("look at the build", last), { by: "claude", by_kind: "claude" });
  }
  assertEquals(who("go on"), { ...AGENT, instruction_id: "I1" }, "the order of others stays");
  noteScheduled(home.paths, S, ["another time"], NOW);
  assertEquals(who("look at the build", "I2"), KEYBOARD, "it is not set any more");
});
