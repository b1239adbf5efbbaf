import { assertEquals } from "@std/assert";
import { MOD_CALLS, MOD_EVENTS } from "../lib/install/mod_api.ts";
import { ROOT } from "../lib/paths.ts";

const [MOD, SLASH] = ["mod", "mod/slash"].map((folder) =>
  Deno.readTextFileSync(`${ROOT}/${folder}/hooks/register.ts`)
) as [string, string];

/** Each once, in the order of the alphabet. */
function foundIn(text: string, pattern: RegExp): string[] {
  return [...new Set(Array.from(text.matchAll(pattern), ([, name]) => name!))].sort();
}

Deno.test("MOD_EVENTS and MOD_CALLS name all that the mod uses, and no more", () => {
  assertEquals(foundIn(MOD, /\bon\("([\w.]+)"/g), MOD_EVENTS);
  assertEquals(foundIn(MOD, /(\$\.\w+\.\w+)\(/g), MOD_CALLS);
});

Deno.test("the mod imports nothing but its own files", () => {
  assertEquals(foundIn(MOD, /from "([^"]+)"/g), ["./places.ts"]);
  assertEquals(foundIn(SLASH, /from "([^"]+)"/g), []);
  assertEquals(foundIn(SLASH, /\bon\("([\w.]+)"/g), ["prompt.submit"]);
});
