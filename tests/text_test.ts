import { assertEquals } from "@std/assert";
import { cleanText, cutAtLine, cutMiddle, oneLine, plainWord, shellQuote } from "../lib/text.ts";
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

Deno.test("cutAtLine() keeps all that fits, to the character", () => {
  assertEquals(cutAtLine("12345", 5), { kept: "12345", missingChars: 0 });
});

Deno.test("cutAtLine() cuts behind a whole line", () => {
  assertEquals(cutAtLine("12345\n678\n9", 9), { kept: "12345\n678", missingChars: 2 });
});

Deno.test("cutAtLine() cuts one endless line, but no character in two", () => {
  assertEquals(cutAtLine("abc🐎def", 4), { kept: "abc", missingChars: 5 });
});

Deno.test("cutMiddle() leaves alone what fits, to the character", () => {
  assertEquals(cutMiddle("12345", 5), undefined);
});

// deno-fmt-ignore
const MIDDLE: Record<string, { text: string; max: number; head: string; tail: string; chars: number; lines: number }> = {
  "keeps whole lines at both ends":
    { text: "one\ntwo\nthree\nfour\nfive\nsix", max: 18, head: "one\ntwo", tail: "five\nsix", chars: 12, lines: 2 },
  "gives the end what the beginning does not need":
    { text: `aaaaaa\n${"x".repeat(30)}\nccccc\nddddd`, max: 20, head: "aaaaaa", tail: "ccccc\nddddd", chars: 32, lines: 1 },
  "cuts one endless line in its middle":
    { text: "abcdefghijkl", max: 8, head: "abcd…", tail: "…ijkl", chars: 4, lines: 1 },
  "cuts no character in two at its beginning":
    { text: "abc🐎defghijkl", max: 8, head: "abc…", tail: "…hijkl", chars: 6, lines: 1 },
  "cuts no character in two at its end":
    { text: "abcdefgh🐎jkl", max: 8, head: "abcd…", tail: "…jkl", chars: 6, lines: 1 },
};
for (const [title, { text, max, head, tail, chars, lines }] of Object.entries(MIDDLE)) {
  Deno.test(`cutMiddle() ${title}`, () => {
    assertEquals(cutMiddle(text, max), { head, tail, missing: { chars, lines } });
  });
}

Deno.test("cutMiddle() keeps at most as much as it may, whatever the text", () => {
  const words = ["\n", "🐎", "a", "line of words\n", "\n\n", "žluť ", "x".repeat(40)];
  for (let seed = 1; seed < 400; seed++) {
    const text = Array.from({ length: 60 }, (_, i) => words[(seed * (i + 7) * 31 + i * i) % 7])
      .join("");
    for (const max of [10, 50, 200, seed]) {
      const cut = cutMiddle(text, max);
      if (cut === undefined) continue;
      const head = cut.head.replace(/…$/, ""), tail = cut.tail.replace(/^…/, "");
      assertEquals(text.startsWith(head) && text.endsWith(tail), true);
      assertEquals(head.length + tail.length <= max, true);
      assertEquals(head.length + tail.length + cut.missing.chars, text.length);
      assertEquals(`${head}|${tail}`.isWellFormed(), true);
    }
  }
});

Deno.test("plainWord() is a name, not a sentence", () => {
  for (const name of ["idle_prompt", "warden", "me@host", "a.b-c", "x".repeat(64)]) {
    assertEquals(plainWord(name), name);
  }
  for (const other of ["", "two words", "[CONTENT]", "a\nb", "<<<", "-rf", "é", "x".repeat(65)]) {
    assertEquals(plainWord(other), undefined);
  }
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
  Deno.test(`oneLine() and cleanText() are soon done with ${title}`, () => {
    const took = cpuMs(() => {
      oneLine(text);
      cleanText(text);
    });
    assertEquals(took < TOO_LONG_MS, true, `${took} ms`);
  });
}

Deno.test("shellQuote() quotes what a shell acts on, and for zsh a = at the start", () => {
  for (const plain of ["warden-main", "a=b", "/x/y.z", "50%"]) {
    assertEquals(shellQuote(plain), plain);
  }
  assertEquals(shellQuote("=warden-main"), "'=warden-main'");
  assertEquals([shellQuote(""), shellQuote("a b"), shellQuote("it's")], [
    "''",
    "'a b'",
    "'it'\\''s'",
  ]);
});
