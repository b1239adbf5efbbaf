import { assert, assertEquals } from "@std/assert";
import { originalName, pathsFrom, safeName } from "../lib/paths.ts";

// deno-fmt-ignore
const NAMES: Record<string, string> = {
  "warden-main": "warden-main", "my forge/main": "my%20forge%2Fmain", "../../etc/x": "%2E.%2F..%2Fetc%2Fx",
  "..": "%2E.", ".": "%2E", "a.b": "a.b", "100%": "100%25", "": "%", "ž🐎": "%C5%BE%F0%9F%90%8E", "A": "A", "a": "a",
};
for (const [name, safe] of Object.entries(NAMES)) {
  Deno.test(`safeName() writes "${name}" as ${safe}, and back`, () => {
    assertEquals(safeName(name), safe);
    if (name !== "") assertEquals(originalName(safe), name);
  });
}

Deno.test("safeName() lets no two names meet, however long", () => {
  const long = "x".repeat(300);
  const names = [long, `${long}y`, `${long}z`, "a b", "a%20b", "a_b", "a/b", "a%2Fb"];
  const safe = names.map(safeName);
  assertEquals(new Set(safe).size, names.length);
  assert(safe.every((name) => name.length < 200 && !name.includes("/") && !/^\.*$/.test(name)));
});

Deno.test("safeName() finds the same file again from the name of a file", () => {
  for (const name of ["管理者エージェント管理者エージェント", "x".repeat(300), "a b", "100%"]) {
    assertEquals(safeName(originalName(safeName(name))), safeName(name));
  }
  assertEquals(originalName("50%"), "50%");
});

Deno.test("pathsFrom() takes its own variables, then XDG's, then the home folder", () => {
  const paths = (env: Record<string, string>) => pathsFrom((name) => env[name], "/project");
  assertEquals(paths({ HOME: "/h" }), {
    root: "/project",
    registry: "/project/config/recovery-registry.json",
    state: "/h/.local/state/gsd-code-skill",
    data: "/h/.local/share/gsd-code-skill",
    claudeConfig: "/h/.claude",
  });
  assertEquals(
    paths({ HOME: "/h", XDG_STATE_HOME: "/s", XDG_DATA_HOME: "relative" }).state,
    "/s/gsd-code-skill",
  );
  const own = { HOME: "/h", XDG_STATE_HOME: "/s", GSD_STATE_DIR: "/own/", GSD_DATA_DIR: "no" };
  assertEquals([paths(own).state, paths(own).data], ["/own", "/h/.local/share/gsd-code-skill"]);
});
