import { assertEquals, assertStringIncludes } from "@std/assert";
import { modFolder, modMark, removeMod, supportFile, writeMod } from "../lib/install/mod_copy.ts";
import { isThere } from "../lib/files.ts";
import { TestHome } from "./support/home.ts";

Deno.test("writeMod() copies the mod with the path of its companion, and then leaves it alone", async () => {
  await using home = new TestHome();
  const { paths } = home;
  writeMod(paths);
  const folder = modFolder(paths);
  const places = `${folder}/hooks/places.ts`;
  assertStringIncludes(Deno.readTextFileSync(places), `"${paths.data}/bin/companion"`);
  const files = ["hooks/register.ts", "hooks/hooks.json", ".claude-plugin/plugin.json"];
  for (const file of files) {
    const ours = Deno.readTextFileSync(`${paths.root}/mod/${file}`);
    assertEquals(Deno.readTextFileSync(`${folder}/${file}`), ours, file);
  }
  // Claude Code loads a mod anew when one of its files changes.
  Deno.utimeSync(places, 1, 1);
  Deno.writeTextFileSync(`${folder}/hooks/register.ts`, "changed by hand");
  writeMod(paths);
  assertEquals(Deno.statSync(places).mtime?.getTime(), 1000);
  assertEquals(Deno.readTextFileSync(`${folder}/hooks/register.ts`).length > 100, true);
});

Deno.test("removeMod() takes away what Claude Code has written into the folder, too", async () => {
  await using home = new TestHome();
  const { paths } = home;
  removeMod(paths);
  writeMod(paths);
  const folder = modFolder(paths);
  Deno.mkdirSync(`${folder}/.claude-plugin/types`);
  Deno.writeTextFileSync(`${folder}/.claude-plugin/types/index.d.ts`, "");
  Deno.writeTextFileSync(supportFile(paths), "{}");
  removeMod(paths);
  assertEquals([isThere(folder), isThere(supportFile(paths))], [false, false]);
});

Deno.test("modMark() does not depend on the place of the copy", async () => {
  await using home = new TestHome();
  const mark = modMark(home.paths);
  writeMod(home.paths);
  assertEquals(modMark(home.paths), mark);
});
