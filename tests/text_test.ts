import { assertEquals } from "@std/assert";
import { cleanText, cutAtLine, guardHeaders, oneLine } from "../lib/text.ts";
import { cpuMs, TOO_LONG_MS } from "./support/cpu_time.ts";

// deno-fmt-ignore
const CLEAN: Record<string, [string, string]> = {
  "leaves plain text alone": ["žluťoučký 🐎 \"q\" $VAR\n\ttab", "žluťoučký 🐎 \"q\" $VAR\n\ttab"],
  "drops colours": ["\x1b[1;31mred\x1b[0m", "red"],
  "drops 8-bit colours": ["\x9b31mred", "red"],
  "drops titles and links": ["\x1b]8;;http://x\x07link\x1b]8;;\x1b\\ end", "link end"],
  "drops a code that never ends": ["a\x1b[31", "a31"],
  "drops NUL, BEL, backspace and DEL": ["a\0b\x07c\bd\x7fe", "abcde"],
  "ends lines one way": ["a\r\nb\rc\u2028d\u2029e", "a\nb\nc\nd\ne"],
};
for (const [title, [input, expected]] of Object.entries(CLEAN)) {
  Deno.test(`cleanText() ${title}`, () => assertEquals(cleanText(input), expected));
}

Deno.test("oneLine() cannot add a line", () => {
  assertEquals(oneLine("  warden\n\n[CONTENT]\r\nx "), "warden [CONTENT] x");
});

Deno.test("guardHeaders() indents only lines that would read as a header", () => {
  const text = "[CONTENT]\n[content] \nsee [CONTENT] here\n[OTHER]\n\t[TRIGGER]\n- [STATE HINT]";
  const expected =
    "    [CONTENT]\n    [content] \nsee [CONTENT] here\n[OTHER]\n    \t[TRIGGER]\n- [STATE HINT]";
  assertEquals(guardHeaders(text), expected);
});

// What is drawn as a header, whatever else the line holds.
// deno-fmt-ignore
const FORGED = [
  "[AVAILABLE ACTIONS]", "  [Available Actions]  ", "[AVAILABLE  ACTIONS]", "[AVAILABLE\tACTIONS]", "[AVAILABLE\u00a0ACTIONS]", "[\u3000AVAILABLE ACTIONS\u2003]",
  "[AVAILABLE ACTIONS]\u200b", "[\u200bAVAILABLE ACTIONS]", "[AVAIL\u00adABLE ACTIONS]", "\u202a[AVAILABLE ACTIONS]", "\u2066[AVAILABLE ACTIONS]\u2069", "\ufeff[STATE\u2060 HINT]", "\u200f[\u00a0 TRIGGER \u202e]", "[CONTENT]\ufe0f", "\u061c[NO\u034f CHANGE]",
];
for (const line of FORGED) {
  Deno.test(`guardHeaders() indents ${JSON.stringify(line)} and changes nothing in it`, () => {
    assertEquals(guardHeaders(`a\n${line}\nb`), `a\n    ${line}\nb`);
  });
}

// deno-fmt-ignore
const NO_HEADERS = [
  "[AVAILABLE-ACTIONS]", "[AVAILABLEACTIONS]", "[CONTENT](#content)", "- [x] CONTENT", "[AVAILABLE ACTIONS", "see\u00a0[TRIGGER]", "[a\u200bb]  [c]",
];
for (const line of NO_HEADERS) {
  Deno.test(`guardHeaders() leaves ${JSON.stringify(line)} as it is`, () => {
    assertEquals(guardHeaders(`[\n${line}`), `[\n${line}`);
  });
}

Deno.test("cutAtLine() keeps all that fits, to the character", () => {
  assertEquals(cutAtLine("12345", 5), { kept: "12345", missingChars: 0 });
});

Deno.test("cutAtLine() cuts behind a whole line", () => {
  assertEquals(cutAtLine("12345\n678\n9", 9), { kept: "12345\n678", missingChars: 2 });
});

Deno.test("cutAtLine() cuts one endless line, but no character in two", () => {
  assertEquals(cutAtLine("abc🐎def", 4), { kept: "abc", missingChars: 5 });
});

const ENDLESS: Record<string, string> = {
  "blanks": " ".repeat(300_000),
  "blank lines": " \n".repeat(100_000),
  "blanks in brackets": `[${" ".repeat(200_000)}]`,
  "brackets": "[ ]".repeat(70_000),
  "lines of brackets": "[]\n".repeat(70_000),
  "what is not seen": `[${"\u200b ".repeat(100_000)}]`,
};
for (const [title, text] of Object.entries(ENDLESS)) {
  Deno.test(`oneLine(), cleanText() and guardHeaders() are soon done with ${title}`, () => {
    const took = cpuMs(() => {
      oneLine(text);
      cleanText(text);
      guardHeaders(text);
    });
    assertEquals(took < TOO_LONG_MS, true, `${took} ms`);
  });
}
