import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { checkHooks } from "../lib/doctor/hooks_check.ts";
import { checkLaunchers } from "../lib/doctor/launchers_check.ts";
import { readTextIfThere } from "../lib/files.ts";
import { ROOT } from "../lib/paths.ts";
import { run } from "../lib/process.ts";
import { writeSettings } from "../lib/sessions/agent_launch.ts";
import { Clinic, findFindings } from "./support/clinic.ts";

/** Another clone of this project, as far as registering goes. */
async function cloneIn(dir: string): Promise<string> {
  const clone = `${dir}/another clone`;
  await Deno.mkdir(clone);
  for (
    const name of [
      "lib",
      "hooks",
      "commands",
      "mod",
      "config",
      "types",
      "register.ts",
      "deno.json",
      "deno.lock",
    ]
  ) {
    await new Deno.Command("cp", { args: ["-r", `${ROOT}/${name}`, `${clone}/`] }).output();
  }
  return clone;
}

Deno.test("a second clone is refused in one sentence, and may have the folder once it is free", async () => {
  await using clinic = await Clinic.create();
  const clone = await cloneIn(clinic.dir);
  const { data } = clinic.world.paths;
  const register = async (root: string, ...args: string[]) => {
    const words = ["run", "-A", "--quiet", "--cached-only", `${root}/register.ts`, ...args];
    const env = { ...clinic.env, DENO_NO_UPDATE_CHECK: "1" };
    const outcome = await run(Deno.execPath(), words, { timeoutMs: 120_000, env, cwd: clinic.dir });
    assert(outcome.kind === "finished");
    return outcome;
  };
  const files = () =>
    [clinic.settings, `${data}/install.json`, `${data}/bin/hook`].map(readTextIfThere);
  assertEquals((await register(ROOT)).code, 0);
  const before = files();
  const sentence = new RegExp(
    `^The folder ${data} belongs to the clone ${ROOT}: run deno task register --remove there first, ` +
      "or set GSD_DATA_DIR to a folder for this clone$",
  );
  const refused = await register(clone);
  assertEquals([refused.code, refused.stdout], [1, ""]);
  assertMatch(refused.stderr.trim(), sentence);
  // Nor does it take the first one's hooks away, or its folder by an install.json of another version.
  assertMatch((await register(clone, "--remove")).stderr.trim(), sentence);
  const written = Deno.readTextFileSync(`${data}/install.json`);
  Deno.writeTextFileSync(`${data}/install.json`, written.replace('"version": 1', '"version": 2'));
  assertMatch((await register(clone)).stderr.trim(), sentence);
  Deno.writeTextFileSync(`${data}/install.json`, written);

  const there = { ...clinic.world, paths: { ...clinic.world.paths, root: clone } };
  assertThrows(() => writeSettings(there, `${data}/launches/x.settings.json`), Error, "belongs to");
  const findings = [
    ...await findFindings(checkHooks, there),
    ...await findFindings(checkLaunchers, there),
  ];
  assertMatch(findings[0]!.text, sentence);
  assertEquals(findings.filter(({ autofix }) => autofix !== undefined), [], "nothing to fix here");
  assertEquals(files(), before);

  // A folder of its own, with a settings file of its own.
  clinic.env.GSD_DATA_DIR = `${clinic.dir}/second`;
  assertEquals((await register(clone, "--settings", "own.json")).code, 0);
  delete clinic.env.GSD_DATA_DIR;
  assertEquals(files(), before);

  assertEquals((await register(ROOT, "--remove")).code, 0);
  assertEquals(files().slice(0, 2), [undefined, undefined]);
  const second = await register(clone);
  assertEquals([second.code, second.stderr], [0, ""]);
  assertMatch((await register(ROOT)).stderr, /belongs to the clone .*another clone: /);
  await Deno.remove(clone, { recursive: true });
  assertEquals((await register(ROOT)).code, 0, "a clone that is gone has no claim");
});
