import { assertEquals } from "@std/assert";
import { COMPANION_V8_FLAGS, SMALL_V8_FLAGS, V8_FLAGS } from "../lib/install/v8_flags.ts";
import { startProgram } from "./support/child_process.ts";
import { TestHome } from "./support/home.ts";
import { ROOT } from "./support/hook_world.ts";

for (const flags of [V8_FLAGS, SMALL_V8_FLAGS, COMPANION_V8_FLAGS]) {
  Deno.test(`within() gives up in a program that is started with ${flags}`, async () => {
    await using home = new TestHome();
    const script = `${home.dir}/waits.ts`;
    await Deno.writeTextFile(
      script,
      `import { TIME_IS_UP, within } from "${ROOT}/lib/time.ts";
setTimeout(() => Deno.exit(1), 300_000); // it hangs
console.log(await within(new Promise(() => {}), 10) === TIME_IS_UP);
Deno.exit(0);
`,
    );
    const words = [Deno.execPath(), "run", "-A", "--no-config", "--quiet", flags, script];
    const { code, stdout } = await startProgram(words, home.env, "").done;
    assertEquals([code, stdout], [0, "true\n"]);
  });
}
