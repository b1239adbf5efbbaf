import { assertEquals } from "@std/assert";
import { commandsBelow, noteCommands } from "../lib/doors/command_files.ts";
import { ensureDir } from "../lib/files.ts";
import { knownCommands, suggestedField, suggestedIn } from "../lib/suggested.ts";
import { TestHome } from "./support/home.ts";

const KNOWN = ["clear", "gsd:resume-work", "deploy", "a.b"];

const TEXTS: [text: string, suggested: string[]][] = [
  ["Run `/gsd:resume-work` next, then /deploy.", ["/gsd:resume-work", "/deploy"]],
  ["/deploy: or (/clear), or **/deploy**", ["/deploy", "/clear"]],
  ["See /usr/bin/deploy, src/deploy and /deploy/now", []],
  ["https://example.com/deploy and and/or", []],
  ["/unknown and /Deploy", []],
  ["nothing", []],
];

for (const [text, suggested] of TEXTS) {
  Deno.test(`suggestedIn(): ${text}`, () => assertEquals(suggestedIn(text, KNOWN), suggested));
}

Deno.test("the commands of user and project are known by their files, and only sound names", async () => {
  await using home = new TestHome();
  const project = `${home.dir}/p`;
  const files = [
    `${home.home}/.claude/commands/gsd/resume-work.md`,
    `${project}/.claude/commands/release.md`,
    `${project}/.claude/commands/not a name.md`,
    `${project}/.claude/skills/deploy/SKILL.md`,
    `${project}/.claude/skills/empty/README.md`,
  ];
  for (const file of files) {
    ensureDir(file.slice(0, file.lastIndexOf("/")));
    Deno.writeTextFileSync(file, "x");
  }
  assertEquals(commandsBelow(`${project}/.claude`).includes("release"), true);
  noteCommands(home.paths, "s", project);
  assertEquals(knownCommands(home.paths, "s").slice(3), ["deploy", "gsd:resume-work", "release"]);
  assertEquals(suggestedField(home.paths, "s", "Type /release now"), { suggested: "/release" });
  assertEquals(suggestedField(home.paths, "s", "Type /empty now"), {});
  assertEquals(suggestedField(home.paths, "other", "Type /compact now"), { suggested: "/compact" });
});
