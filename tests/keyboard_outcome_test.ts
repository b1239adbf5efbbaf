import { assertEquals } from "@std/assert";
import { keyboardOutcome, outcomeSoFar } from "../lib/keyboard_outcome.ts";

const INPUT = { command: "make", description: "Builds" };
const use = (id: string, input: unknown = INPUT) => ({
  type: "assistant",
  message: { id: "m", model: "m", content: [{ type: "tool_use", id, name: "Bash", input }] },
});
const result = (id: string, block: object = {}, more: object = {}) => ({
  type: "user",
  ...more,
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, ...block }] },
});
const NO = "The user doesn't want to proceed with this tool use. The tool use was rejected";

const CASES: [title: string, lines: object[], outcome: string | undefined][] = [
  ["a result", [use("a"), result("a", { content: "built" })], "allow"],
  ["a failure", [use("a"), result("a", { content: "no rule", is_error: true })], "allow"],
  ["a denial", [use("a"), result("a", {}, { toolDenialKind: "user-rejected" })], "deny"],
  ["a denial in words", [use("a"), result("a", { content: NO, is_error: true })], "deny"],
  ["those words as output", [use("a"), result("a", { content: NO })], "allow"],
  ["a tool that runs", [use("a")], undefined],
  ["the last of two", [use("a"), result("a"), use("b")], undefined],
  ["another input", [use("a", { command: "rm" }), result("a")], undefined],
  ["nothing", [], undefined],
];
for (const [title, lines, outcome] of CASES) {
  Deno.test(`keyboardOutcome() of ${title} is ${outcome}`, () => {
    const path = Deno.makeTempFileSync({ suffix: ".jsonl" });
    Deno.writeTextFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    let now = 0;
    const clock = { now: () => now, sleep: (ms: number) => void (now += ms) };
    const asked = { tool: "Bash", tool_input: INPUT };
    assertEquals(keyboardOutcome(path, asked, clock), outcome);
    assertEquals(outcomeSoFar(path, asked), outcome);
    assertEquals(now > 0, outcome === undefined, "it waits only for what is not there");
    Deno.removeSync(path);
  });
}
