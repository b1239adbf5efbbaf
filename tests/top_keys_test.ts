import { assertEquals } from "@std/assert";
import { keysIn } from "../lib/top/top_keys.ts";

Deno.test("what a terminal sends is read as keys", () => {
  const named = (name: string) => ({ kind: "named", name });
  const text = (text: string) => ({ kind: "text", text });
  const cases: [string, unknown[]][] = [
    ["j", [text("j")]],
    ["\u001b[A\u001b[B", [named("up"), named("down")]],
    ["\u001bOA", [named("up")]],
    ["\r", [named("enter")]],
    ["\u001b", [named("escape")]],
    ["\u007f", [named("backspace")]],
    ["\u0003", [named("interrupt")]],
    ["jž😀", [text("j"), text("ž"), text("😀")]],
    ["a\rb", [text("a"), named("enter"), text("b")]],
    ["\u001b[200~x\u001b[201~", [text("x")]],
    ["\u001b[99;5u\u0000\u0001", []],
    ["\u001b\u001b[A", [named("escape"), named("up")]],
  ];
  for (const [sent, keys] of cases) assertEquals<unknown>(keysIn(sent), keys, JSON.stringify(sent));
});
