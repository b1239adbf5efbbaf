import { assert, assertEquals } from "@std/assert";
import { styledLines, STYLES } from "../lib/doors/styled_lines.ts";

const ESC = "\u001b";

Deno.test("colours and styles become runs of text", () => {
  const cases: [string, string, unknown][] = [
    ["plain text", "ready", [[{ t: "ready" }]]],
    ["one of 16 colours", `${ESC}[31mred${ESC}[39m.`, [[{ t: "red", f: 1 }, { t: "." }]]],
    ["a bright colour", `${ESC}[92mok`, [[{ t: "ok", f: 10 }]]],
    ["one of 256", `${ESC}[48;5;200mx`, [[{ t: "x", b: 200 }]]],
    ["any colour", `${ESC}[38;2;215;119;87mx`, [[{ t: "x", f: "#d77757" }]]],
    ["with colons", `${ESC}[38:2::215:119:87mx`, [[{ t: "x", f: "#d77757" }]]],
    ["with colons, no space", `${ESC}[38:2:1:2:3mx`, [[{ t: "x", f: "#010203" }]]],
    ["several at once", `${ESC}[1;4;33mx`, [[{
      t: "x",
      s: STYLES.bold | STYLES.underline,
      f: 3,
    }]]],
    ["one style ends", `${ESC}[1;3mx${ESC}[22my`, [[
      { t: "x", s: STYLES.bold | STYLES.italic },
      { t: "y", s: STYLES.italic },
    ]]],
    ["everything ends", `${ESC}[7;31mx${ESC}[my`, [[
      { t: "x", s: STYLES.inverse, f: 1 },
      { t: "y" },
    ]]],
    ["a look goes on in the next line", `${ESC}[31ma\nb`, [[{ t: "a", f: 1 }], [{ t: "b", f: 1 }]]],
    ["an empty line", "a\n\nb", [[{ t: "a" }], [], [{ t: "b" }]]],
    ["the same look again makes no new run", `${ESC}[31ma${ESC}[31mb`, [[{ t: "ab", f: 1 }]]],
    ["an underline's colour changes no text", `${ESC}[58;5;3mx`, [[{ t: "x" }]]],
  ];
  for (const [what, captured, expected] of cases) {
    assertEquals<unknown>(styledLines(captured), expected, what);
  }
});

Deno.test("what is no colour is dropped, and shows nothing of itself", () => {
  const hostile = [
    `${ESC}]8;;https://example.com${ESC}\\link${ESC}]8;;${ESC}\\`,
    `${ESC}]0;title\u0007link`,
    `${ESC}[2Jlink`,
    `${ESC}(0link`.replace("(0", "("),
    `li\u0000nk`,
    `\u202elink\u2066`,
    `${ESC}[38;2;999;1;1mlink`,
    `${ESC}[38;5;300mlink`,
    `${ESC}[99999999999mlink`,
  ];
  for (const text of hostile) {
    assertEquals(styledLines(text), [[{ t: "link" }]], JSON.stringify(text));
  }
});

Deno.test("a screen that cannot be one is cut", () => {
  const wide = styledLines("x".repeat(1_000_000));
  assertEquals(wide[0]![0]!.t.length, 600);
  assert(styledLines("x\n".repeat(1_000_000)).length <= 300);
  const colourful = styledLines(`${ESC}[31mx${ESC}[32my`.repeat(100_000));
  assert(colourful[0]!.length <= 600);
});

Deno.test("random bytes make only text, colours and known styles", () => {
  const pieces = [
    ESC,
    "[",
    "]",
    "m",
    ";",
    ":",
    "38",
    "48",
    "5",
    "2",
    "1",
    "a",
    "\n",
    "\u0007",
    "é",
    "😀",
  ];
  let seed = 7;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: 60 }, () => pieces[Math.floor(random() * pieces.length)])
      .join("");
    for (const run of styledLines(text).flat()) {
      // deno-lint-ignore no-control-regex
      assert(!/[\u0000-\u001f]/.test(run.t), JSON.stringify(text));
      for (const colour of [run.f, run.b]) {
        if (typeof colour === "string") assert(/^#[0-9a-f]{6}$/.test(colour));
        else if (colour !== undefined) assert(colour >= 0 && colour <= 255);
      }
    }
  }
});
