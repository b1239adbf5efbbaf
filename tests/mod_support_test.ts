import { assertEquals, assertStringIncludes } from "@std/assert";
import { MOD_CALLS, MOD_EVENTS } from "../lib/install/mod_api.ts";
import { isThere, namesIn } from "../lib/files.ts";
import { supportFile } from "../lib/install/mod_copy.ts";
import { modSupport, readReport } from "../lib/sessions/mod_support.ts";
import { TestHome } from "./support/home.ts";
import { inSessionWorld, type SessionWorld } from "./support/session_world.ts";

/** As `claude plugin validate --json` of 2.1.325 has it, without what we do not read. */
function reportOf(events: string[], calls: string[], success = true): Record<string, unknown> {
  const found = calls.map((name, at) => at % 2 === 0 ? name : `${name} (via carryOut)`);
  return {
    success,
    contents: [
      {
        type: "hooks",
        notes: [
          `./register.ts hooks: ${events.join(", ")}`,
          "./register.ts gating hook with .catch: http.fetch",
          `./register.ts calls: ${found.join(", ")}`,
        ],
      },
      { type: "hooks", notes: [] },
    ],
  };
}

const WHOLE = reportOf(MOD_EVENTS, MOD_CALLS);

Deno.test("readReport() says yes where the check has found all that the mod uses", () => {
  assertEquals(readReport(WHOLE, "2.1.325"), { kind: "yes", version: "2.1.325" });
});

const cases: [name: string, report: unknown, reason: string][] = [
  ["nothing", undefined, "its check refuses the mod"],
  ["a refusal", reportOf(MOD_EVENTS, MOD_CALLS, false), "its check refuses the mod"],
  [
    "no contents",
    { success: true, contents: 7 },
    `it does not know ${[...MOD_EVENTS, ...MOD_CALLS].join(", ")}`,
  ],
  [
    "a call that is gone",
    reportOf(MOD_EVENTS, MOD_CALLS.filter((name) => name !== "$.turn.abort")),
    "it does not know $.turn.abort",
  ],
  [
    "an event that is gone",
    reportOf(MOD_EVENTS.filter((name) => name !== "turn.start"), MOD_CALLS),
    "it does not know turn.start",
  ],
];
for (const [name, report, reason] of cases) {
  Deno.test(`readReport() says no after ${name}`, () => {
    assertEquals(readReport(report, "9.9.9"), { kind: "no", version: "9.9.9", reason });
  });
}

/** A program that answers as Claude Code does, and counts its calls. */
function claudeIn(world: SessionWorld, home: TestHome, version: string, check: string): string {
  return home.writeProgram(
    "claude",
    [
      `echo "$*" >> '${world.dir}/calls'`,
      `case "$1" in --version) echo '${version} (Claude Code)';; plugin) ${check};; esac`,
    ].join("\n"),
  );
}

const callsIn = ({ dir }: SessionWorld) =>
  isThere(`${dir}/calls`) ? Deno.readTextFileSync(`${dir}/calls`).trim().split("\n") : [];

Deno.test("modSupport() asks each version once, and leaves only its answer behind", () =>
  inSessionWorld(async (world) => {
    await using home = new TestHome();
    const says = `cat <<'END'\n${JSON.stringify(WHOLE)}\nEND\n`;
    const program = claudeIn(world, home, "2.1.325", says);
    for (let time = 0; time < 2; time++) {
      assertEquals(await modSupport(world, program), { kind: "yes", version: "2.1.325" });
    }
    const [version, check, ...rest] = callsIn(world);
    assertEquals([version, ...rest], ["--version", "--version"]);
    assertEquals(check, `plugin validate ${world.paths.data}/mod --json`);
    assertEquals(namesIn(world.paths.data).sort(), ["mod", "mod-slash", "mod-support.json"]);
    assertStringIncludes(Deno.readTextFileSync(supportFile(world.paths)), '"2.1.325 ');
  }));

Deno.test("modSupport() says no to a version that has no mods", () =>
  inSessionWorld(async (world) => {
    await using home = new TestHome();
    const unknown = `echo "error: unknown option '--json'" >&2; exit 1`;
    const program = claudeIn(world, home, "2.1.197", unknown);
    assertEquals(await modSupport(world, `FOO=1 ${program} --model x`), {
      kind: "no",
      version: "2.1.197",
      reason: "it has no mods",
    });
  }));

Deno.test("modSupport() does not ask a program twice that is not Claude Code", () =>
  inSessionWorld(async (world) => {
    await using home = new TestHome();
    const program = home.writeProgram("wrapper", `echo x >> '${world.dir}/calls'\necho hello`);
    for (let time = 0; time < 2; time++) {
      const { kind } = await modSupport(world, program);
      assertEquals(kind, "no");
    }
    assertEquals(callsIn(world), ["x"]);
    assertEquals((await modSupport(world, "bash -c claude")).kind, "no");
    assertEquals((await modSupport(world, "no-such-program-here")).kind, "no");
    assertEquals(callsIn(world), ["x"]);
  }));
