import { assertEquals } from "@std/assert";
import { chooseFirstCommand, folderFacts, installedGsd } from "../lib/sessions/first_command.ts";

const folder = { hasFiles: true, hasClaudeMd: true, hasPlanning: false, brief: "" };
const gsd = new Map(["resume-work", "new-project", "map-codebase"].map((n) => [n, `/gsd-${n}`]));
const FIRST: [string, Partial<typeof folder>, boolean, string][] = [
  ["nothing for a known project without GSD", {}, false, ""],
  ["/init without CLAUDE.md", { hasClaudeMd: false }, false, "/init"],
  ["/init without CLAUDE.md also with GSD", { hasClaudeMd: false }, true, "/init"],
  ["nothing in an empty folder", { hasFiles: false, hasClaudeMd: false }, false, ""],
  [
    "GSD's resume where it has planned",
    { hasPlanning: true, hasClaudeMd: false },
    true,
    "/gsd-resume-work",
  ],
  ["GSD's new project in an empty folder", { hasFiles: false }, true, "/gsd-new-project"],
  ["GSD's new project from a brief", { brief: "PRD.md" }, true, "/gsd-new-project --auto @PRD.md"],
  ["GSD's map of a known project", {}, true, "/gsd-map-codebase"],
  ["nothing where GSD has planned but is gone", { hasPlanning: true }, false, ""],
];
for (const [name, more, installed, expected] of FIRST) {
  Deno.test(`chooseFirstCommand() is ${name}`, () => {
    assertEquals(chooseFirstCommand({ ...folder, ...more }, installed ? gsd : new Map()), expected);
  });
}

Deno.test("installedGsd() names commands in the form that is installed", async () => {
  const dir = await Deno.makeTempDir();
  const file = (path: string, text = "") => {
    Deno.mkdirSync(`${dir}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    Deno.writeTextFileSync(`${dir}/${path}`, text);
  };
  const look = (project: string, home: string) =>
    installedGsd(`${dir}/${project}`, `${dir}/${home}`).get("new-project");
  try {
    file("skills/skills/gsd-new-project/SKILL.md");
    file("flat/.claude/commands/gsd-new-project.md");
    file("nested/.claude/commands/gsd/new-project.md");
    file("plugged/cache/commands/gsd/new-project.md", "---\nname: gsd:new-project\n---\n");
    file("plugged/cache/skills/gsd-progress/SKILL.md");
    const plugins = {
      version: 2,
      plugins: { "gsd-core@x": [{ installPath: `${dir}/plugged/cache` }] },
    };
    file("plugged/plugins/installed_plugins.json", JSON.stringify(plugins));
    file("broken/plugins/installed_plugins.json", "{");
    assertEquals(look("none", "skills"), "/gsd-new-project");
    assertEquals(look("flat", "none"), "/gsd-new-project");
    assertEquals(look("nested", "none"), "/gsd:new-project");
    assertEquals(look("nested", "skills"), "/gsd:new-project", "the project's own comes first");
    assertEquals(look("none", "plugged"), "/gsd-core:gsd:new-project");
    const plugin = installedGsd(dir, `${dir}/plugged`);
    assertEquals(plugin.get("progress"), "/gsd-core:gsd-progress");
    assertEquals(look("none", "broken"), undefined);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("folderFacts() sees what the folder holds", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const empty = { hasFiles: false, hasClaudeMd: false, hasPlanning: false, brief: "" };
    Deno.mkdirSync(`${dir}/.git`);
    assertEquals(folderFacts(dir), empty);
    Deno.mkdirSync(`${dir}/.planning`);
    Deno.writeTextFileSync(`${dir}/prd.md`, "");
    Deno.writeTextFileSync(`${dir}/CLAUDE.md`, "");
    assertEquals(folderFacts(dir), {
      hasFiles: true,
      hasClaudeMd: true,
      hasPlanning: true,
      brief: "prd.md",
    });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
