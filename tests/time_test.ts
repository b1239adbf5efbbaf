import { assertEquals } from "@std/assert";
import { startProgram } from "./support/child_process.ts";

const TIME = new URL("../lib/time.ts", import.meta.url).href;

/** What a program prints until it ends by itself. */
async function printed(program: string): Promise<string> {
  const script = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(script, `import { pause, runAfter } from "${TIME}";\n${program}`);
    const words = [Deno.execPath(), "run", "--no-config", "--quiet", script];
    const { stdout } = await startProgram(words, { HOME: "/", DENO_NO_UPDATE_CHECK: "1" }, "").done;
    return stdout;
  } finally {
    await Deno.remove(script);
  }
}

Deno.test("pause() keeps the process alive, also for no time or less", async () => {
  const program = `for (const ms of [30, 0, -5]) { await pause(ms); console.log(ms); }`;
  assertEquals(await printed(program), "30\n0\n-5\n");
});

Deno.test("runAfter() runs once; what is cancelled never runs and holds nothing up", async () => {
  const day = 24 * 60 * 60 * 1000;
  const program = `
    runAfter(${day}, () => console.log("too late")).cancel();
    const late = runAfter(60_000, () => console.log("cancelled"));
    runAfter(5, () => { console.log("ran"); late.cancel(); });`;
  assertEquals(await printed(program), "ran\n");
});
