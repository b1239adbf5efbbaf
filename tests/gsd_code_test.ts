import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main } from "../commands/gsd_code.ts";
import { asCalled } from "../lib/cli/as_called.ts";
import { COMMANDS, GROUPS, loadCommand } from "../lib/cli/commands.ts";
import { helpPage } from "../lib/cli/help_page.ts";
import { optionsIn } from "../lib/cli/complete.ts";
import { namesIn } from "../lib/files.ts";
import { record } from "../lib/journal.ts";
import { ROOT } from "../lib/paths.ts";
import { GsdCode } from "./support/gsd_code.ts";

async function call(...args: string[]) {
  const said = { code: -1, out: "", err: "" };
  said.code = await main(args, {
    say: (line) => void (said.out += `${line}\n`),
    warn: (line) => void (said.err += `${line}\n`),
  });
  return said;
}

Deno.test("COMMANDS has every file of commands/, and deno.json a task for each", () => {
  const files = namesIn(`${ROOT}/commands`).map((name) => `commands/${name}`);
  const expected = [...files.filter((file) => file !== "commands/gsd_code.ts"), "register.ts"];
  assertEquals(COMMANDS.map(({ file }) => file).sort(), expected.sort());

  const { tasks } = JSON.parse(Deno.readTextFileSync(`${ROOT}/deno.json`));
  const ours = Object.entries<string>(tasks).filter(([, line]) =>
    /^deno run .*(commands\/\w+|register)\.ts$/.test(line)
  );
  const wanted = [...COMMANDS, { name: "gsd-code", file: "commands/gsd_code.ts" }]
    .map(({ name, file }) => [name, `deno run -A --quiet ${file}`]);
  assertEquals(new Map(ours.sort()), new Map(wanted.sort() as [string, string][]));
});

Deno.test("every command has a group, a summary that fits a line, and a help text with its options", async () => {
  for (const command of COMMANDS) {
    const { name, summary } = command;
    assert(summary.length <= 75 && /^[a-z]/.test(summary), name);
    const { HELP } = await loadCommand(command);
    assertMatch(HELP, new RegExp(`^Usage: gsd-code ${name}`, "m"));
    assert(HELP.split("\n").every((line) => line.length <= 110), name);
    const named = new Set(Array.from(HELP.matchAll(/(?<![-\w])--[a-z][a-z-]+/g), ([word]) => word));
    const explained = new Set(optionsIn(HELP).map(({ word }) => word));
    assert(explained.has("--help"), name);
    assertEquals(named, explained, name);
  }
});

Deno.test("gsd-code help shows every command under its group", async () => {
  const page = helpPage();
  for (const group of GROUPS) assertMatch(page, new RegExp(`^${group}$`, "m"));
  for (const { name, summary } of COMMANDS) {
    assertMatch(page, new RegExp(`^  ${name} +${summary.replaceAll("?", "\\?")}$`, "m"));
  }
  for (const args of [[], ["help"], ["--help"], ["-h"], ["help", "help"], ["help", "--help"]]) {
    assertEquals(await call(...args), { code: 0, out: `${page}\n`, err: "" }, args.join(" "));
  }
});

Deno.test("gsd-code refuses a command that it does not have, and names the nearest", async () => {
  const lists = "gsd-code help lists all commands\n";
  const cases: [string[], string][] = [
    [["stauts"], `There is no command "stauts"; did you mean status? ${lists}`],
    [["menu", "x"], `There is no command "menu"; did you mean menu-driver? ${lists}`],
    [["help", "spwan"], `There is no command "spwan"; did you mean spawn? ${lists}`],
    [["--json"], `There is no command "--json"; ${lists}`],
    [["toString"], `There is no command "toString"; ${lists}`],
  ];
  for (const [args, err] of cases) {
    assertEquals(await call(...args), { code: 2, out: "", err }, args.join(" "));
  }
});

Deno.test("gsd-code --version names the changelog's latest heading, the folder and Deno", async () => {
  const { code, out } = await call("--version");
  const latest = /^## (.+)$/m.exec(Deno.readTextFileSync(`${ROOT}/CHANGELOG.md`))![1]!;
  const expected = `gsd-code-skill ${latest.toLowerCase()} (${ROOT}, Deno ${Deno.version.deno})\n`;
  assertEquals([code, out], [0, expected]);
});

Deno.test("asCalled() turns gsd-code into deno task where a task was called", () => {
  const text = "Usage: gsd-code sync\n  gsd-code sync --json";
  assertEquals(asCalled(text, "file:///x/commands/gsd_code.ts"), text);
  const task = "Usage: deno task sync\n  deno task sync --json";
  assertEquals(asCalled(text, "file:///x/commands/sync.ts"), task);
});

Deno.test("gsd-code runs in any folder, says gsd-code, and writes nothing beside its answer", async () => {
  await using home = await GsdCode.create();
  const help = await home.run("gsd-code", "help", "spawn");
  assertEquals([help.code, help.err], [0, ""]);
  assertMatch(help.out, /^Usage: gsd-code spawn <agent> <folder>/m);
  assert(!help.out.includes("deno task"));
  assertEquals(await home.run("gsd-code", "spawn", "--help"), help);

  const status = await home.run("gsd-code", "status");
  assertEquals(status, {
    code: 0,
    out: "No session runs. Start one: gsd-code spawn <agent> <folder>\n",
    err: "",
  });
  const wrong = await home.run("gsd-code", "status", "--wat");
  assertEquals([wrong.code, wrong.out], [2, ""]);
  assertEquals(wrong.err, `status does not take "--wat"; see gsd-code status --help\n`);
  for (const { name } of COMMANDS) {
    const { code, out, err } = await home.run("gsd-code", name, "--help");
    assertEquals([name, code, err], [name, 0, ""]);
    assertStringIncludes(out, `Usage: gsd-code ${name}`);
  }
});

/** Its exit code and what it says on stderr, where its output goes to that place. */
async function writingTo(place: string, ...args: string[]): Promise<string> {
  await using home = await GsdCode.create();
  record(home.paths, { kind: "session", session: "warden-main", agent_id: "warden" });
  const script = `{ gsd-code "$@"; echo "code $?" >&2; } ${place}`;
  return (await home.run("/bin/sh", "-c", script, "sh", ...args)).err;
}

for (const args of [["help"], ["status", "--json"], ["log"]]) {
  Deno.test(`gsd-code ${args.join(" ")} says that its output cannot be written`, async () => {
    const said = await writingTo(">/dev/full", ...args);
    assertMatch(said, /^Cannot write the output: No space left on device .*\ncode 1\n$/);
  });
}

Deno.test("gsd-code says nothing where the reader of its output has gone", async () => {
  assertEquals(await writingTo("| true", "help"), "code 0\n");
});
