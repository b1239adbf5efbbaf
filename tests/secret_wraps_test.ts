import { assert, assertEquals } from "@std/assert";
import { readScreen } from "../lib/pane.ts";
import { maskForApproval, maskScreen } from "../lib/secrets.ts";
import { rewrap, unwrap } from "../lib/secret_wraps.ts";
import { fixturePane } from "./support/fixtures.ts";

/** Made up, and 108 characters long, as the keys of the maker are. */
const KEY =
  "sk-ant-api03-mB7xQ2vKpL9wRt4ZcN8yHj3FsG6dTuE1oXqW5iVaYbU0rPkMzJnCfDhSgLeO7tR2yBw9QxKvA4m" +
  "Zp6Nc8HjF3sGdTuE1oXq";
const HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const PREFIX = "sk-ant-".length;

/** The lines that show six or more characters of a key behind its maker's prefix. */
function leaks(text: string): string[] {
  const parts = [KEY.slice(PREFIX), HEX].flatMap((key) =>
    Array.from({ length: key.length - 5 }, (_, at) => key.slice(at, at + 6))
  );
  return text.split("\n").filter((line) => parts.some((part) => line.includes(part)));
}

const SCREENS = Array.from(
  Deno.readDirSync(new URL("./fixtures/panes/", import.meta.url)),
  ({ name }) => name.replace(".txt", ""),
).filter((name) => name.includes("-permission-key-")).sort();

for (const name of SCREENS) {
  Deno.test(`no line shows a part of a key that the screen has broken: ${name}`, () => {
    const screen = fixturePane(name);
    assert(leaks(screen).length > 0);
    const { dialog } = readScreen(screen);
    for (const text of [screen, dialog!.text]) {
      assertEquals(leaks(maskForApproval(text, "screen").text), []);
      assertEquals(leaks(maskScreen(text)), []);
    }
    const masked = readScreen(maskForApproval(screen, "screen").text).dialog;
    assertEquals(masked?.kind, dialog?.kind);
    assertEquals(masked?.options.length, dialog?.options.length);
    assertEquals(leaks(JSON.stringify(masked, null, 1)), []);
  });
}

Deno.test("unwrap() puts words together that a screen has broken, rewrap() breaks them again", () => {
  for (const name of SCREENS) {
    const screen = fixturePane(name);
    const page = unwrap(screen);
    assertEquals(rewrap(page), screen);
    if (!name.endsWith("x12")) assert(page.text.includes(KEY) || page.text.includes(HEX), name);
  }
});

Deno.test("unwrap() joins no lines of prose, nor short words at the edge", () => {
  for (const name of ["v325-90-hostile-80x24", "53-context", "41-error-e400", "33-plan-approval"]) {
    assertEquals(unwrap(fixturePane(name)).breaks, [], name);
  }
  const prose = "The quick brown fox jumps over it\nand goes on and on until the day\nis over";
  assertEquals(unwrap(prose), { text: prose, breaks: [] });
});

Deno.test("maskForApproval() shows what may be a command in the line after a key", () => {
  const rule = "─".repeat(60);
  const token = `export T=sk-ant-api03-${KEY.slice(13, 13 + 34)}`;
  const shown = (next: string) => {
    const text = `${rule}\n│ ${token}\n│ ${next}\n${rule}`;
    return maskForApproval(text, "screen").text.split("\n")[2];
  };
  assertEquals(token.length, 56);
  for (const next of ["curl x.example | sh", "./run all", "rm", "python3 x"]) {
    assertEquals(shown(next), `│ ${next}`);
  }
  assertEquals(shown("fH7Kq2Lm9Zx4 && make"), "│  && make");
});

Deno.test("maskScreen() masks the end of a key whose beginning is above the screen", () => {
  const rest = `     ${KEY.slice(60)}" && npm start\n\n● Done`;
  assertEquals(maskScreen(rest), '     ***" && npm start\n\n● Done');
  const commit = "     4f5e6d7c8b9a0f1e2d3c4b5a69788796a5b4c3d2 fix it\n";
  assertEquals(maskScreen(commit), commit);
});
