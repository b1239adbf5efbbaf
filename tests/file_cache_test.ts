import { assertEquals } from "@std/assert";
import { writeAtomic } from "../lib/files.ts";
import { FileCache } from "../lib/fleet/file_cache.ts";
import { TestHome } from "./support/home.ts";

Deno.test("keepAsked() drops what was not asked for since the last time", async () => {
  await using home = new TestHome();
  const files = ["old", "new"].map((name) => `${home.paths.state}/${name}`);
  for (const file of files) {
    writeAtomic(file, "");
    Deno.utimeSync(file, 1, 1); // a young file is not kept
  }
  const read: string[] = [];
  const cache = new FileCache();
  const look = (names: string[]) => {
    for (const name of names) cache.of(name, (path) => read.push(path));
    cache.keepAsked();
  };
  for (const names of [files, files, files.slice(1), files]) look(names);
  assertEquals(read, [...files, files[0]]);
});
