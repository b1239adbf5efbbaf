import "../lib/cli/load_guards.ts";
import { assertEquals } from "@std/assert";
import { paintedScreen } from "../lib/top/painted_screen.ts";

const E = "\u001b[";

Deno.test("paintedScreen() keeps the colours, and drops all else that steers a terminal", () => {
  const captured = `${E}1;31mred${E}0m plain ${E}38;5;153mpale${E}39m ${E}48;2;1;2;3mdeep` +
    `${E}0m${E}2J\u001b]0;title\u0007 ${E}97;44mbright\n`;
  assertEquals(paintedScreen(captured, 80, 5), [
    `${E}1;31mred${E}0m plain ${E}38;5;153mpale${E}0m ${E}48;2;1;2;3mdeep${E}0m ` +
    `${E}97;44mbright${E}0m`,
  ]);
});

Deno.test("paintedScreen() has the last lines, cut to the width, one empty line for many", () => {
  const captured = `first\n${E}32m${"─".repeat(90)}\n\n \n\n漢字漢字\n❯ last\n\n\n`;
  assertEquals(paintedScreen(captured, 5, 4), [
    `${E}32m─────${E}0m`,
    "",
    `${E}32m漢字${E}0m`,
    `${E}32m❯ las${E}0m`,
  ]);
});

Deno.test("paintedScreen() masks a secret that has several colours", () => {
  const captured = `key ${E}33msk-ant-api03-${E}35m${"aB3xY7kQ9z".repeat(9)}-AAAA${E}0m`;
  const [line = ""] = paintedScreen(captured, 300, 1);
  assertEquals([line.includes("aB3x"), line.includes("\u001b")], [false, false], line);
});

Deno.test("paintedScreen() has the end of a pane of 400 rows", () => {
  const captured = Array.from({ length: 400 }, (_, at) => `row ${at + 1}\n`).join("");
  assertEquals(paintedScreen(captured, 80, 2), ["row 399", "row 400"]);
});
