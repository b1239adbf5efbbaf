import { assertEquals } from "@std/assert";
import { newLines } from "../lib/pane_diff.ts";

// deno-fmt-ignore
const CASES: Record<string, { before: string; now: string; atLeast?: number; fresh: string }> = {
  "nothing changed": { before: "a b c", now: "a b c", fresh: "" },
  "lines came at the end": { before: "a b", now: "a b c d", fresh: "c d" },
  "the screen scrolled": { before: "a b c", now: "c d e", fresh: "d e" },
  "a new line repeats an old one": { before: "a ok b", now: "a ok b ok", fresh: "ok" },
  "new lines repeat each other": { before: "a", now: "a x x x", fresh: "x x x" },
  "a line in the middle changed": { before: "a b c", now: "a B c", fresh: "B" },
  "all is new": { before: "a b", now: "c d", fresh: "c d" },
  "the screen was cleared": { before: "a b", now: "", fresh: "" },
  "few are new and some must be shown": { before: "a b c d", now: "a b c d e", atLeast: 3, fresh: "c d e" },
  "a change high up and some must be shown": { before: "a b c d", now: "A b c d", atLeast: 2, fresh: "A d" },
  "there are fewer lines than wanted": { before: "", now: "a b", atLeast: 10, fresh: "a b" },
};

const words = (text: string) => text === "" ? [] : text.split(" ");
for (const [title, { before, now, atLeast = 0, fresh }] of Object.entries(CASES)) {
  Deno.test(`newLines() finds what is new when ${title}`, () => {
    assertEquals(newLines(words(before), words(now), atLeast), words(fresh));
  });
}

Deno.test("newLines() is quick on very long screens", () => {
  const before = Array.from({ length: 5000 }, (_, i) => `line ${i}`);
  const now = [...before.slice(100), ...Array.from({ length: 100 }, (_, i) => `new ${i}`)];
  assertEquals(newLines(before, now, 0).length, 100);
});
