import { assertEquals } from "@std/assert";
import { modeWithoutHooks } from "../lib/doors/command_words.ts";
import { managedNotes } from "../lib/doctor/hooks_off.ts";

const inPlugin = (options: unknown) => ({ pluginConfigs: { "x@builtin": { options } } });
const CASES: [title: string, text: string, named: string[]][] = [
  ["no hooks at all", '{"disableAllHooks": true}', ["disableAllHooks"]],
  ["only managed hooks", '{"allowManagedHooksOnly": true}', ["allowManagedHooksOnly"]],
  [
    "only managed mods",
    JSON.stringify(inPlugin({ allowManagedModsOnly: true })),
    ["allowManagedModsOnly"],
  ],
  ["a rule that is off", JSON.stringify(inPlugin({ allowManagedModsOnly: false })), []],
  ["nothing of it", '{"model": "opus", "pluginConfigs": [1]}', []],
  ["what is broken", "{", []],
];
for (const [title, text, named] of CASES) {
  Deno.test(`managedNotes() names the rule of an administrator: ${title}`, () => {
    const file = Deno.makeTempFileSync();
    Deno.writeTextFileSync(file, text);
    const found = managedNotes(file).map(({ text }) => /has "(\w+)"/.exec(text)?.[1]);
    Deno.removeSync(file);
    assertEquals(found, named);
    assertEquals(managedNotes(file), [], "without the file");
  });
}

Deno.test("modeWithoutHooks() finds the option of Claude Code, and no word of another program", () => {
  const cases: Record<string, string | undefined> = {
    "claude --bare": "--bare",
    "X=1 /opt/claude --model opus --safe-mode": "--safe-mode",
    "claude": undefined,
    "claude '--bare'": undefined,
    "claude --append-system-prompt 'use --bare'": undefined,
    "bash --bare -c 'claude \"$@\"' claude": undefined,
  };
  for (const [command, mode] of Object.entries(cases)) {
    assertEquals(modeWithoutHooks(command), mode, command);
  }
});
