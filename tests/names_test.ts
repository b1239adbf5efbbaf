/** The files of tests/ have names from which a reader finds what they test. */

import { assertEquals } from "@std/assert";
import { ROOT } from "../lib/paths.ts";

/** These read the source as a whole. */
const WHOLE = ["folders", "imports", "names"];

/** The names of all files, without .ts, and of all folders below one. */
function namesBelow(folder: string): string[] {
  return Array.from(Deno.readDirSync(`${ROOT}/${folder}`)).flatMap(({ name, isDirectory }) =>
    isDirectory ? [name, ...namesBelow(`${folder}/${name}`)] : [name.replace(/\.ts$/, "")]
  );
}

Deno.test("a test file begins with the name of the file or folder that it tests", () => {
  const folders = ["bench", "commands", "config", "hooks", "lib", "tests/soak", "tests/support"];
  const tested = new Set([
    ...["register", "config", "docs", "hooks", "mod", "soak", ...WHOLE],
    ...folders.flatMap(namesBelow),
  ]);
  const tests = Array.from(Deno.readDirSync(`${ROOT}/tests`), ({ name }) => name)
    .filter((name) => name.endsWith("_test.ts"));
  const beginnings = (test: string) => {
    const words = test.replace(/_test\.ts$/, "").split("_");
    return words.map((_, index) => words.slice(0, index + 1).join("_"));
  };
  assertEquals(tests.filter((test) => !beginnings(test).some((name) => tested.has(name))), []);
});

/** The names that more than one file of lib/ exports, with these files. */
function exportedTwice(pattern: RegExp): [string, string[]][] {
  const places = new Map<string, string[]>();
  for (const file of filesBelow("lib")) {
    for (const [, name] of Deno.readTextFileSync(`${ROOT}/${file}`).matchAll(pattern)) {
      places.set(name!, [...places.get(name!) ?? [], file]);
    }
  }
  return Array.from(places).filter(([, files]) => files.length > 1);
}

Deno.test("a type that a file exports has a name of its own", () => {
  assertEquals(exportedTwice(/^export (?:interface|type|class) (\w+)/gm), []);
});

/** A function that loads another one has its name. `note` is a finding of doctor, and a record. */
const SHARED = [
  ...["closePending", "tellInterrupted", "guardField", "guardText", "showUnseen"],
  ...["maskFields", "maskForApproval", "maskScreen", "maskSecrets"],
  "note",
];

Deno.test("a function that a file exports has a name of its own", () => {
  const names = exportedTwice(/^export (?:async )?(?:function\*?|const) (\w+)/gm);
  assertEquals(names.map(([name]) => name).toSorted(), SHARED.toSorted());
});

function filesBelow(folder: string): string[] {
  return Array.from(Deno.readDirSync(`${ROOT}/${folder}`)).flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}
