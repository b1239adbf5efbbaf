/** Expected texts in files. `UPDATE_GOLDEN=1 deno test -A <file>` writes them again. */

import { assertEquals } from "@std/assert";

/** Compares with the file. Read the difference before you keep what UPDATE_GOLDEN wrote. */
export function assertGolden(file: URL, actual: string): void {
  if (Deno.env.get("UPDATE_GOLDEN")) Deno.writeTextFileSync(file, actual);
  assertEquals(actual, Deno.readTextFileSync(file));
}
