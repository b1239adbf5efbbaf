import { assertEquals } from "@std/assert";
import type { HookEvent } from "../lib/events.ts";
import { saidBeforeTool } from "../lib/tell_question.ts";
import { fixtureEvent, fixtureTranscript } from "./support/fixtures.ts";

const prompt = (content: unknown = "do it") =>
  JSON.stringify({ type: "user", promptId: "p", message: { role: "user", content } });
const RESULT = prompt([{ type: "tool_result" }]);
const claude = (id: string, block: Record<string, unknown>) =>
  JSON.stringify({
    type: "assistant",
    message: { id, model: "m", content: [block], stop_reason: "tool_use" },
  });
const text = (words: string) => ({ type: "text", text: words });
const use = (id: string) => ({ type: "tool_use", id, name: "T", input: {} });

// deno-fmt-ignore
const CASES: Record<string, { there: string[]; late?: string[]; said: string; lateMs?: number; agent?: string; waits?: number; startMs?: number }> = {
  "the text of the same message":
    { there: [prompt(), claude("1", text("A is safer.")), claude("1", use("q"))], said: "A is safer." },
  "all texts of the message, but none after the question":
    { there: [prompt(), claude("1", text("A")), claude("1", use("x")), claude("1", text("B")), claude("1", use("q")), claude("1", text("C"))], said: "A\n\nB" },
  "the text where another tool of the message has answered already":
    { there: [prompt(), claude("1", text("A")), claude("1", use("x")), RESULT, claude("1", use("q")), RESULT], said: "A" },
  "nothing of a message before":
    { there: [prompt(), claude("1", text("A")), claude("1", use("x")), RESULT, claude("2", use("q"))], said: "" },
  "nothing of a turn before":
    { there: [prompt(), claude("1", text("A")), prompt(), claude("2", use("q"))], said: "" },
  "the text that is written while it waits":
    { there: [prompt()], late: [claude("1", text("A")), claude("1", use("q"))], said: "A", waits: 30 },
  "the text whose question is written while it waits":
    { there: [prompt(), claude("1", text("A"))], late: [claude("1", use("q"))], said: "A", waits: 30 },
  "nothing where the question is never written":
    { there: [prompt(), claude("1", text("A")), claude("1", use("x"))], said: "", waits: 3000 },
  "the text that is written two seconds late":
    { there: [prompt()], late: [claude("1", text("A")), claude("1", use("q"))], lateMs: 2000, said: "A", waits: 2000 },
  "nothing where a subagent asks, which has a file of its own":
    { there: [prompt(), claude("1", use("x"))], agent: "a1", said: "", waits: 500 },
  "nothing after a longer wait for a subagent on a machine where the hook started late":
    { there: [prompt(), claude("1", use("x"))], agent: "a1", said: "", startMs: 400, waits: 2000 },
  "nothing after three seconds on the slowest machine":
    { there: [prompt(), claude("1", use("x"))], said: "", startMs: 5000, waits: 3000 },
};

for (const [title, test] of Object.entries(CASES)) {
  Deno.test(`saidBeforeTool() has ${title}`, () => {
    const { startMs = 0, lateMs = 30, agent = "" } = test;
    let now = startMs;
    const path = written(test.there);
    const sleep = (ms: number) => {
      now += ms;
      if (now === lateMs && test.late) {
        Deno.writeTextFileSync(path, joined(test.late), { append: true });
      }
    };
    const event = asking(path, "q", agent);
    assertEquals(saidBeforeTool(event, { now: () => now, sleep }), test.said);
    assertEquals(now - startMs, test.waits ?? 0);
    Deno.removeSync(path);
  });
}

Deno.test("saidBeforeTool() waits for a transcript whose folder is there, and not for ever", () => {
  const folder = Deno.makeTempDirSync();
  const path = `${folder}/t.jsonl`;
  let now = 0;
  const lines = [prompt(), claude("1", text("A is safer.")), claude("1", use("q"))];
  const sleep = (ms: number) => {
    now += ms;
    if (now === 30) Deno.writeTextFileSync(path, joined(lines));
  };
  assertEquals(saidBeforeTool(asking(path, "q"), { now: () => now, sleep }), "A is safer.");
  assertEquals(now, 30);
  Deno.removeSync(path);
  now = 31;
  assertEquals(saidBeforeTool(asking(path, "q"), { now: () => now, sleep }), "");
  assertEquals(now >= 531, true);
  Deno.removeSync(folder);
});

Deno.test("saidBeforeTool() waits for nothing without a transcript or without a tool use", () => {
  const clock = { now: () => 0, sleep: () => assertEquals(0, 1, "It waits") };
  assertEquals(saidBeforeTool(asking("/dev/null/t.jsonl", "q"), clock), "");
  const path = written([prompt()]);
  assertEquals(saidBeforeTool(asking(path, ""), clock), "");
  Deno.removeSync(path);
});

Deno.test("saidBeforeTool() has what was said before each recorded question", () => {
  const path = written(fixtureTranscript("plain-and-questions").slice(0, 34));
  const { tool_use_id } = fixtureEvent("pre_tool_use-ask-single");
  assertEquals(saidBeforeTool(asking(path, String(tool_use_id))), "I need one decision.");
  Deno.removeSync(path);
});

function written(lines: string[]): string {
  const path = Deno.makeTempFileSync({ suffix: ".jsonl" });
  Deno.writeTextFileSync(path, joined(lines));
  return path;
}

function joined(lines: string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

function asking(transcriptPath: string, toolUse: string, subagent = ""): HookEvent {
  return {
    name: "PreToolUse",
    sessionId: "s",
    transcriptPath,
    cwd: "/",
    promptId: "p",
    fields: { tool_use_id: toolUse, ...(subagent === "" ? {} : { agent_id: subagent }) },
  };
}
