import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { onlyThese, playedAgain, readFailures, tellFailures } from "./support/test_report.ts";

/** Runs `text` as a test file of its own; gives its exit code and the report. */
async function run(content: string, ...args: string[]) {
  const dir = Deno.makeTempDirSync();
  try {
    const file = `${dir}/some_test.ts`;
    Deno.writeTextFileSync(file, content);
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", "--no-check", "--no-config", `--junit-path=${dir}/r.xml`, ...args, file],
      stdout: "null",
      stderr: "null",
    }).output();
    const text = Deno.readTextFileSync(`${dir}/r.xml`);
    return { code, text, failures: readFailures(text) };
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

const FILE = `
Deno.test("fine", () => {});
Deno.test("2.1.325: fine too", () => {});
Deno.test("2.1.325: <a> & 'b' (c)", async (t) => {
  await t.step("inner", () => { throw new Error('one "line"\\ntwo\\nthree\\nfour'); });
  throw new Error("outer\\n\\nx\\ny\\nPanes, journal: here");
});
`;

Deno.test("readFailures() knows what failed, and its steps; onlyThese() runs those alone", async () => {
  const { code, failures } = await run(FILE);
  assertEquals(code, 1);
  const name = "2.1.325: <a> & 'b' (c)";
  assertEquals(failures.map((failure) => failure.name).sort(), [name, `${name} > inner`]);
  const told = tellFailures(failures);
  assertStringIncludes(
    told,
    `${name} > inner\n    Error: one "line"\n    two\n    three\n`.trimEnd(),
  );
  assertStringIncludes(told, "Error: outer\n    x\n    y\n    Panes, journal: here");
  assertEquals(told.includes("four"), false);

  const again = await run(FILE, ...onlyThese(failures));
  assertEquals([again.code, again.failures.length], [1, 2]);
  const fixed = FILE.replaceAll("throw new Error", "new Error");
  const good = await run(fixed, ...onlyThese(failures));
  assertEquals([good.code, good.failures], [0, []]);
  assert(playedAgain(failures, good.text));
  const fine = [{ name: "fine", file: "", message: "" }];
  assertEquals(playedAgain(fine, good.text), false);

  // Nothing that fits: no failure, and no proof either.
  const none = await run(fixed.replace("<a>", "<another>"), ...onlyThese(failures));
  assertEquals([none.code, playedAgain(failures, none.text)], [0, false]);
});
