import { assertEquals, assertMatch } from "@std/assert";
import { ROOT } from "../lib/paths.ts";
import { DEFAULT_SETTINGS, readRegistry } from "../lib/registry.ts";
import { checkRegistry } from "../lib/registry/registry_file.ts";
import { agentSchema } from "../lib/registry/registry_schema.ts";
import { POST_LAUNCH_MODES } from "../lib/sessions/launch.ts";

const root = ROOT;
const example = Deno.readTextFileSync(`${root}/config/recovery-registry.example.json`);

Deno.test("recovery-registry.example.json passes the schema and the hooks' reader", () => {
  assertEquals(checkRegistry(example), []);
  const reading = readRegistry(example);
  if (reading.kind === "broken") throw new Error(reading.reason);
  assertEquals(reading.registry.agents.flatMap((agent) => agent.problems), []);
  assertEquals(reading.registry.problems, []);
});

Deno.test("recovery-registry.example.json shows every field with its default", () => {
  const reading = readRegistry(example);
  if (reading.kind === "broken") throw new Error(reading.reason);
  const [warden] = reading.registry.agents;
  assertEquals(warden!.settings, DEFAULT_SETTINGS);
  for (const name of Object.keys(DEFAULT_SETTINGS)) assertMatch(example, new RegExp(`"${name}":`));
  for (const name of Object.keys(agentSchema.shape)) assertMatch(example, new RegExp(`"${name}":`));
  for (const mode of POST_LAUNCH_MODES) assertMatch(example, new RegExp(`"${mode}"`));
});

Deno.test("SKILL.md has the front matter that OpenClaw reads", () => {
  const skill = Deno.readTextFileSync(`${root}/SKILL.md`);
  const front = /^---\n([^]*?)\n---\n/.exec(skill)?.[1] ?? "";
  assertMatch(front, /^name: gsd-code-skill$/m);
  assertMatch(front, /^description: \S.{40,1000}$/m);
  for (const line of front.split("\n")) {
    // In YAML a plain value has no `: ` and no ` #`; these are quoted as in JSON.
    const value = line.slice(line.indexOf(": ") + 2);
    if (/: | #/.test(value)) JSON.parse(value);
  }
  const metadata = /^metadata: (\{.*\})$/m.exec(front)?.[1] ?? "";
  assertEquals(JSON.parse(metadata).openclaw.requires.bins, ["tmux", "deno"]);
});

Deno.test("SKILL.md says what to do with every trigger that a hook or command sends", () => {
  const skill = Deno.readTextFileSync(`${root}/SKILL.md`);
  const triggers = new Set<string>();
  for (const path of ["hooks", "lib", "commands"].flatMap((dir) => filesIn(`${root}/${dir}`))) {
    const text = Deno.readTextFileSync(path);
    for (const [, trigger] of text.matchAll(/\btrigger: "([a-z_]+)"/g)) triggers.add(trigger!);
  }
  const missing = [...triggers].filter((trigger) => !skill.includes(`\`${trigger}\``));
  assertEquals(missing, []);
});

function filesIn(dir: string): string[] {
  return Array.from(Deno.readDirSync(dir)).flatMap(({ name, isDirectory }) =>
    isDirectory ? filesIn(`${dir}/${name}`) : name.endsWith(".ts") ? [`${dir}/${name}`] : []
  );
}
