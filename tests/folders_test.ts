/** The folders import each other in one direction only. */

import { assert, assertEquals } from "@std/assert";
import { ROOT } from "../lib/paths.ts";

/** Every .ts file of the product, as a path below the project's folder. */
function sources(): string[] {
  const files = ["register.ts"];
  const walk = (folder: string): void => {
    for (const entry of Deno.readDirSync(`${ROOT}/${folder}`)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory) walk(path);
      else if (entry.name.endsWith(".ts")) files.push(path);
    }
  };
  for (const folder of ["hooks", "commands", "lib"]) walk(folder);
  return files;
}

/** What a file imports, also for its types, also later by `new URL`, as paths of the project. */
function importsOf(file: string): string[] {
  const text = Deno.readTextFileSync(`${ROOT}/${file}`);
  return Array.from(text.matchAll(/"(\.{1,2}\/[a-z_0-9/.]+\.ts)"/g), ([, address]) => {
    const path = new URL(address!, `file://${ROOT}/${file}`).pathname;
    return path.slice(ROOT.length + 1);
  });
}

const folderOf = (file: string) => file.slice(0, Math.max(0, file.lastIndexOf("/")));

/** Each folder with the folders it imports, and one import that shows it. */
function graph(): Map<string, Map<string, string>> {
  const folders = new Map<string, Map<string, string>>();
  for (const file of sources()) {
    for (const target of importsOf(file)) {
      const [from, to] = [folderOf(file), folderOf(target)];
      if (from === to) continue;
      if (!folders.has(from)) folders.set(from, new Map());
      folders.get(from)!.set(to, `${file} imports ${target}`);
    }
  }
  return folders;
}

/** The imports that lead from a folder back to itself; empty where there are none. */
function cycleFrom(start: string, folders: Map<string, Map<string, string>>): string[] {
  const seen = new Set<string>();
  const walk = (folder: string, way: string[]): string[] => {
    for (const [next, shown] of folders.get(folder) ?? []) {
      if (next === start) return [...way, shown];
      if (seen.has(next)) continue;
      seen.add(next);
      const found = walk(next, [...way, shown]);
      if (found.length > 0) return found;
    }
    return [];
  };
  return walk(start, []);
}

Deno.test("no folder imports a folder that imports it", () => {
  const folders = graph();
  assert(folders.size > 5);
  for (const folder of folders.keys()) assertEquals(cycleFrom(folder, folders), [], folder);
});

Deno.test("no file of the product reads a file of tests/", () => {
  const readers = sources().filter((file) =>
    /["`/]tests\//.test(Deno.readTextFileSync(`${ROOT}/${file}`))
  );
  assertEquals(readers, []);
});

Deno.test("lib/ itself imports none of its folders, and nothing imports commands/ or tests/", () => {
  const folders = graph();
  assertEquals([...folders.get("lib")?.values() ?? []], []);
  const wrong = [...folders].flatMap(([from, to]) =>
    [...to].filter(([name]) => name === "commands" || name.startsWith("tests"))
      .filter(() => from !== "commands").map(([, shown]) => shown)
  );
  assertEquals(wrong, []);
});

Deno.test("ARCHITECTURE.md draws the imports between folders as they are, each downwards", () => {
  const page = Deno.readTextFileSync(`${ROOT}/ARCHITECTURE.md`);
  const rows = Array.from(page.matchAll(/^([a-z.]+) +→(.*)$/gm), ([, from, to]) => ({
    from: from!,
    to: to!.split(" ").filter((name) => name !== ""),
  }));
  const drawn = rows.flatMap(({ from, to }) => to.map((name) => `${from} → ${name}`));
  const nameOf = (folder: string) => folder === "" ? "register.ts" : folder.replace(/^lib\//, "");
  const real = [...graph()].filter(([from]) => from !== "hooks").flatMap(([from, to]) =>
    [...to.keys()].filter((name) => name !== "lib").map((name) =>
      `${nameOf(from)} → ${nameOf(name)}`
    )
  );
  assertEquals(drawn.sort(), real.sort());
  const order = rows.map(({ from }) => from);
  for (const { from, to } of rows) {
    assertEquals(to.filter((name) => order.indexOf(name) <= order.indexOf(from)), [], from);
  }
});
