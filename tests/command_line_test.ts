import { assertEquals } from "@std/assert";
import { milliseconds, readCommandLine } from "../lib/cli/command_line.ts";

const SPEC = {
  task: "recover",
  help: "Brings back\n",
  flags: ["json", "dry-run"],
  values: { agent: "an agent's id" },
} as const;

/** What came of it, and what was said on the way. */
function read(args: string[], words?: number) {
  const said: string[] = [];
  const speaker = {
    say: (line: string) => said.push(line),
    warn: (line: string) => said.push(line),
  };
  return { given: readCommandLine(args, { ...SPEC, words }, speaker), said };
}

Deno.test("readCommandLine() takes flags, values and words in any order", () => {
  const { given } = read(["a", "--agent", "x", "--json", "b", "--agent=y", "--", "--c"], 3);
  assertEquals(given, {
    flags: { json: true, "dry-run": false },
    values: { agent: ["x", "y"] },
    words: ["a", "b", "--c"],
  });
  assertEquals(read([]).given, { flags: { json: false, "dry-run": false }, values: {}, words: [] });
});

Deno.test("readCommandLine() refuses in one sentence that names the help", () => {
  const see = "; see deno task recover --help";
  const cases: [string[], string][] = [
    [["--wat"], `recover does not take "--wat"`],
    [["-x"], `recover does not take "-x"`],
    [["word"], `recover does not take "word"`],
    [["--agent"], "--agent needs an agent's id"],
    [["--agent", "--json"], "--agent needs an agent's id"],
    [["--agent="], "--agent needs an agent's id"],
    [["--json=maybe"], "--json takes no value"],
  ];
  for (const [args, sentence] of cases) {
    assertEquals(read(args), { given: 2, said: [sentence + see] }, args.join(" "));
  }
});

Deno.test("readCommandLine() refuses an empty word, as of a variable that is not set", () => {
  const said = ["recover does not take an empty word; see deno task recover --help"];
  assertEquals(read([""], 1), { given: 2, said });
  assertEquals(read(["a", "--", "--json=x"], 2).said, []);
});

Deno.test("readCommandLine() prefers help to everything else", () => {
  for (const args of [["--help"], ["-h"], ["--wat", "--help"]]) {
    assertEquals(read(args), { given: 0, said: ["Brings back"] });
  }
});

Deno.test("milliseconds() takes seconds and nothing else", () => {
  assertEquals([milliseconds("1.5"), milliseconds("60")], [1500, 60_000]);
  for (const text of ["", "0", "-1", "soon", "Infinity"]) {
    assertEquals(milliseconds(text), undefined);
  }
});
