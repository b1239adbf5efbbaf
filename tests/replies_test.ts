import { assertEquals } from "@std/assert";
import { decisionIn } from "../lib/replies.ts";
import { cpuMs, TOO_LONG_MS } from "./support/cpu_time.ts";

const block = (reason: string) => ({ kind: "block" as const, reason });
const none = { kind: "none" as const };

const CASES: [name: string, reply: string, wanted: unknown][] = [
  ["bare JSON", '{"decision":"block","reason":"run the tests"}', block("run the tests")],
  [
    "a fence",
    'Sure:\n```json\n{"decision": "block", "reason": "go on"}\n```\nDone.',
    block("go on"),
  ],
  ["prose around", 'I say {"decision":"block","reason":"go on"} and mean it', block("go on")],
  ["braces in the prose", 'In {curly} words {x: {"decision":"block","reason":"a"}', block("a")],
  ["quotes", String.raw`{"decision":"block","reason":"say \"hi\" {now}"}`, block('say "hi" {now}')],
  ["line breaks", '{"decision":"block","reason":"one\\ntwo"}', block("one\ntwo")],
  ["line breaks as they are", '{"decision":"block","reason":"one\ntwo\t3"}', block("one\ntwo\t3")],
  ["several objects", '{"note":1} {"decision":"block","reason":"b"} {"x":{}}', block("b")],
  [
    "the form shown first",
    'Form: {"decision":"block","reason":"…"}\nMine: {"decision":"block","reason":"fix it"}',
    block("fix it"),
  ],
  ["another mind at the end", '{"decision":"block","reason":"a"} no: {"decision":"approve"}', none],
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
  });
  assertEquals(took < TOO_LONG_MS, true, `${took} ms`);
});
