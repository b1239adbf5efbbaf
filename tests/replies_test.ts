import { assertEquals } from "@std/assert";
import { decisionIn } from "../lib/replies.ts";
import { cpuMs, TOO_LONG_MS } from "./support/cpu_time.ts";

const block = (reason: string) => ({ kind: "block" as const, reason });
const none = { kind: "none" as const };

const CASES: [name: string, reply: string, wanted: unknown][] = [
  ["bare JSON", '{"decision":"block","reason":"run the tests"}', block("run the tests")],
  ["a last line", 'I have read it.\n\n{"decision":"block","reason":"go on"}\n', block("go on")],
  ["a last line that is indented", 'So:\n  {"decision":"block","reason":"a"}', block("a")],
  ["last lines", 'So:\n{\n  "decision": "block",\n  "reason": "a"\n}\n', block("a")],
  ["a last code block", 'Sure:\n```json\n{"decision": "block", "reason": "a"}\n```\n', block("a")],
  ["a block of tildes", '~~~\n{\n"decision": "block",\n"reason": "a"}\n~~~', block("a")],
  ["a code block in the reason", '{"decision":"block","reason":"run\n```\nls\n```"}', {
    ...block("run\n```\nls\n```"),
  }],
  ["a code block before other words", '```\n{"decision":"block","reason":"a"}\n```\nDone.', none],
  ["other words in the code block", '```\nA form: {"decision":"block","reason":"a"}\n```', none],
  ["prose around", 'I say {"decision":"block","reason":"go on"} and mean it', none],
  ["prose before", 'I do not reply {"decision":"block","reason":"go on"}', none],
  ["prose after", '{"decision":"block","reason":"go on"} would be wrong', none],
  ["a line that is not the last", '{"decision":"block","reason":"a"}\nI decide nothing.', none],
  ["a quotation", 'It says:\n> {"decision":"block","reason":"a"}', none],
  ["an item of a list", '- {"decision":"block","reason":"a"}', none],
  ["code in a line", '`{"decision":"block","reason":"a"}`', none],
  ["indented code", 'Form:\n\n    {"decision":"block","reason":"a"}', none],
  ["a quoted code block", '> ```\n> {"decision":"block","reason":"a"}\n> ```', none],
  ["braces in the prose", 'In {curly} words\n{"decision":"block","reason":"a"}', block("a")],
  ["quotes", String.raw`{"decision":"block","reason":"say \"hi\" {now}"}`, block('say "hi" {now}')],
  ["line breaks", '{"decision":"block","reason":"one\\ntwo"}', block("one\ntwo")],
  ["line breaks as they are", '{"decision":"block","reason":"one\ntwo\t3"}', block("one\ntwo\t3")],
  ["several objects on a line", '{"note":1} {"decision":"block","reason":"b"}', none],
  ["several objects", '{"note":1}\n{"decision":"block","reason":"b"}', block("b")],
  [
    "the form shown first",
    'Form: {"decision":"block","reason":"…"}\n{"decision":"block","reason":"fix it"}',
    block("fix it"),
  ],
  ["another mind at the end", '{"decision":"block","reason":"a"}\n{"decision":"approve"}', none],
  ["more fields", '{"reason":"r","decision":"block","confidence":1}', block("r")],
  ["instructions", '{"instructions":"keep the plan"}', {
    kind: "instructions",
    text: "keep the plan",
  }],
  ["an empty reason", '{"decision":"block","reason":" "}', none],
  ["no reason", '{"decision":"block"}', none],
  ["approval", '{"decision":"approve","reason":"fine"}', none],
  ["empty instructions", '{"instructions":""}', none],
  ["a reason that is no text", '{"decision":"block","reason":{"a":1}}', none],
  ["a decision inside another object", '{"example":{"decision":"block","reason":"x"}}', none],
  ["words about blocking", "decision: block, reason: because", none],
  ["a cut object", '{"decision":"block","reason":"half', none],
  ["a list", '["block"]', none],
  ["nothing", "", none],
];

for (const [name, reply, wanted] of CASES) {
  Deno.test(`decisionIn() judges ${name}`, () => {
    assertEquals<unknown>(decisionIn(reply), wanted);
  });
}

Deno.test("decisionIn() is quick on a megabyte of braces", () => {
  const took = cpuMs(() => {
    assertEquals(decisionIn('{"a'.repeat(350_000)), none);
    assertEquals(decisionIn("{".repeat(1_000_000)), none);
    assertEquals(decisionIn('{"a":"\n'.repeat(150_000) + "}"), none);
  });
  assertEquals(took < TOO_LONG_MS, true, `${took} ms`);
});
