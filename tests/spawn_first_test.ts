import { assertEquals, assertMatch } from "@std/assert";
import { main } from "../commands/spawn.ts";
import { isOwnDraft } from "../lib/doors/own_drafts.ts";
import { isThere } from "../lib/files.ts";
import { inSessionWorld, project, type SessionWorld } from "./support/session_world.ts";
import { writeExecutable } from "./support/executable.ts";

const IDLE = "01-idle-fresh.txt";
const STAYS = "while read -r line; do :; done";

/** As 2.1.325 draws them. */
const SETTINGS_ERROR = `${"─".repeat(120)}
  Settings Error

  /home/dev/.claude/settings.json
  └ Invalid or malformed JSON

  Files with errors are skipped entirely, not just the invalid settings.

  ❯ 1. Fix with Claude
    2. Exit and fix manually
    3. Continue without these settings

  Enter to confirm · Esc to cancel`;
const MODEL = `${"▔".repeat(100)} ◐ medium · /effort ▔
   Select model
   Switch between Claude models. Your pick becomes the default for new sessions.

   ❯ 1. Default (recommended) ✔  Use the default model (currently Opus 5.5)
     2. Opus                     Opus 5.5 · Best for everyday, complex tasks
     3. Sonnet                   Sonnet 5.5 · Efficient for routine tasks

   ◐ Medium effort (default) ←/→ to adjust

   Enter to set as default · s to use this session only · Esc to cancel`;

/** Spawns with that first command, and gives what was said of it. */
async function problemOf(world: SessionWorld, first: string, ...more: string[]): Promise<string> {
  assertEquals(await main(["w", project(world), first, ...more], world), 1);
  return world.warned.join("\n");
}

function program(world: SessionWorld, body: string): string {
  const file = `${world.dir}/claude`;
  writeExecutable(file, `#!/bin/sh\n${body}\n`);
  return file;
}

function shows(screen: string): string {
  return `cat <<'END'\n${screen}\nEND\n${STAYS}`;
}

Deno.test("spawn says that a slow Claude Code still has its first command", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_CLAUDE = program(world, `echo soon\n${STAYS}`);
    const said = await problemOf(world, "do it", "--timeout", "8");
    assertMatch(said, /showed no prompt within 8 s; look at it with: [^;]*; its first command was/);
    assertMatch(said, /was given at the start, .*, so do not send it again: do it\nIts screen:\n/);
  }));

Deno.test("spawn without a first command says nothing of one", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_CLAUDE = program(world, STAYS);
    const said = await problemOf(world, "", "--timeout", "1");
    assertEquals(said.includes("first command"), false, said);
  }));

Deno.test("spawn promises nothing of a Claude Code that has ended", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_CLAUDE = program(world, "exit 1");
    const said = await problemOf(world, "do it");
    assertEquals(said.includes("send it again"), false, said);
  }));

Deno.test("spawn says that a settings error keeps the first command", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_CLAUDE = program(world, shows(SETTINGS_ERROR));
    const said = await problemOf(world, "do it");
    assertMatch(said, /: Settings Error; .* is kept and sent .*, so do not send it again: do it$/m);
  }));

const OWN: [first: string, screen: string][] = [
  [
    "/resume",
    Deno.readTextFileSync(new URL("fixtures/panes/55-resume-picker.txt", import.meta.url)),
  ],
  ["/model", MODEL],
];
for (const [first, screen] of OWN) {
  Deno.test(`spawn does not take the dialog of ${first} for one that keeps it waiting`, () =>
    inSessionWorld(async (world) => {
      world.variables.GSD_CLAUDE = program(world, shows(screen));
      const said = await problemOf(world, first);
      assertMatch(said, / may be the dialog of its first command .*, so do not send it again: \//);
      assertEquals(said.includes("is kept and sent"), false, said);
    }));
}

Deno.test("spawn starts with as many bytes as it takes, and refuses more before it starts", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
    const longest = "ž".repeat(64_000);
    for (const more of [[], ["--dry-run"]]) {
      const said = await problemOf(world, `${longest}.`, ...more);
      assertMatch(
        said,
        /^Cannot start w: its first command has 128001 bytes, .* 128000 .* name that file$/m,
      );
    }
    assertEquals(await world.tmux("list-sessions").catch(() => "none"), "none");
    assertEquals(Array.from(Deno.readDirSync(world.paths.data)), []);
    assertEquals(isThere(world.paths.registry), false);

    assertEquals(await main(["w", project(world), longest, "--json"], world), 0);
    assertEquals(JSON.parse(world.said[0]!).state, "ready");
    assertEquals(Deno.readTextFileSync(`${world.dir}/claude.args`).includes(longest), true);
  }));

for (const answer_permissions of [true, false]) {
  Deno.test(`spawn with answer_permissions ${answer_permissions} at the trust dialog`, () =>
    inSessionWorld(async (world) => {
      const claude_launch_command = world.standIn("claude", "v325-80-trust.txt");
      const hook_settings = { answer_permissions };
      world.registry({ agents: [{ agent_id: "w", claude_launch_command, hook_settings }] });
      const said = await problemOf(world, "do it");
      const yes =
        / say yes with: \S+\/gsd-code menu-driver --socket \S+ w-main choose 2; its first command is/;
      assertEquals(yes.test(said), answer_permissions);
      assertEquals(said.includes("say yes with"), answer_permissions);
    }));
}

Deno.test("spawn notes its first command as the agent's own: an Esc may put it into the box", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_CLAUDE = world.standIn("claude", IDLE);
    await main(["w", project(world), "Write the tests"], world);
    assertEquals(isOwnDraft(world.paths, "w-main", "Write the tests"), true);
  }));
