import { assertEquals, assertMatch } from "@std/assert";
import "../lib/cli/load_guards.ts";
import { digestOf, newId, newSecret, splitName, withSecret } from "../lib/request_ids.ts";
import { maskSecrets } from "../lib/text.ts";

Deno.test("newId() and newSecret() are random, and no mask hides them", () => {
  const ids = Array.from({ length: 2000 }, () => newId("p"));
  assertEquals(new Set(ids).size, 2000);
  for (const id of ids) {
    assertMatch(id, /^p-[0-9A-HJKMNP-TV-Z]{16}$/);
    const lines = `question_id: ${id}\ngsd-code menu-driver s allow --question ${id}`;
    assertEquals(maskSecrets(lines), lines);
  }
  assertMatch(newSecret(), /^[0-9A-HJKMNP-TV-Z]{20}$/);
});

Deno.test("splitName() takes a name apart that withSecret() has made", () => {
  assertEquals(splitName(withSecret("q-1", "S")), { id: "q-1", secret: "S" });
  assertEquals(splitName("q-1"), { id: "q-1" });
  assertEquals(splitName(""), { id: "" });
});

Deno.test("digestOf() is SHA-256", async () => {
  assertEquals(
    await digestOf("abc"),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});
