import { assertEquals } from "@std/assert";
import { isThere, readTextIfThere } from "../lib/files.ts";
import { ROOT } from "../lib/paths.ts";
import { until } from "./support/until.ts";

/** A story that starts a program and never ends. */
const STORY = `
  await inScene("interrupted", async (scene) => {
    const env = { HOME: scene.home, PATH: Deno.env.get("PATH") };
    const args = ["-c", "echo $$ > " + told + "; exec sleep 1000 > /dev/null"];
    new Deno.Command("setsid", { args: ["sh", ...args], env, clearEnv: true, stdin: "null" }).spawn();
    Deno.writeTextFileSync(told + ".dir", scene.dir);
    await new Promise((resolve) => setTimeout(resolve, 100_000));
  });`;

// deno-fmt-ignore
const WAYS: Record<string, (scene: string) => { main: string; test?: string }> = {
  "a program of ours": () => ({ main: `endScenesOnSignal(); ${STORY}` }),
  "deno task e2e": (test) => ({
    main: `import { runTests } from "${ROOT}/tests/e2e/run.ts"; Deno.exit(await runTests(["--no-check", "${test}"]));`,
    test: `Deno.test("never ends", async () => {${STORY}});`,
  }),
};
for (const [way, texts] of Object.entries(WAYS)) {
  Deno.test(`inScene() leaves nothing behind when ${way} is interrupted`, async () => {
    const dir = Deno.makeTempDirSync();
    const told = `${dir}/pid`;
    const head = `import { endScenesOnSignal, inScene } from "${ROOT}/tests/support/artefacts.ts";
      const told = "${told}"; void endScenesOnSignal;\n`;
    const { main, test } = texts(`${dir}/story_test.ts`);
    Deno.writeTextFileSync(`${dir}/main.ts`, head + main);
    if (test !== undefined) Deno.writeTextFileSync(`${dir}/story_test.ts`, head + test);
    const options = ["--quiet", "--no-check", "--config", `${ROOT}/deno.json`];
    const program = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", ...options, `${dir}/main.ts`],
      stdout: "null",
      stderr: "null",
    }).spawn();
    try {
      const pid = Number(await until("the program", () => readTextIfThere(told)?.trim()));
      const scene = await until("its folder", () => readTextIfThere(`${told}.dir`) || undefined);
      program.kill("SIGINT");
      assertEquals((await program.status).code, 130);
      await until("the end of what it started", () => !isThere(`/proc/${pid}`));
      assertEquals(isThere(scene), false, scene);
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  });
}
