import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { checkLaunchers } from "../lib/doctor/launchers_check.ts";
import { Clinic, DENOS } from "./support/clinic.ts";
import { writeExecutable } from "./support/executable.ts";

/** A home that is registered where openclaw and its node lie in a folder of their own. */
async function registeredWithNode(): Promise<{ clinic: Clinic; node: string; poorer: string }> {
  const clinic = await Clinic.create();
  const node = `${clinic.env.HOME}/node/bin`;
  await Deno.mkdir(node, { recursive: true });
  program(`${node}/node`, "exit 0");
  program(`${node}/openclaw`, "exec node");
  delete clinic.env.GSD_OPENCLAW;
  const poorer = clinic.env.PATH!;
  clinic.env.PATH = `${node}:${poorer}`;
  clinic.registerHooks();
  await clinic.fix(checkLaunchers);
  return { clinic, node, poorer };
}

Deno.test("checkLaunchers() fixes what is broken and keeps the environment of the registration", async () => {
  const { clinic, node, poorer } = await registeredWithNode();
  await using _ = clinic;
  const bin = `${clinic.world.paths.data}/bin`;
  const written = clinic.read(`${bin}/deliver`);
  assertStringIncludes(written, `PATH=${node}:`);
  clinic.env.PATH = poorer;
  await Deno.writeTextFile(`${bin}/menu-driver`, "#!/bin/sh\n");
  await clinic.fix(checkLaunchers);
  assertEquals(clinic.read(`${bin}/deliver`), written);
  await Deno.writeTextFile(`${bin}/deliver`, written.replace("cd /\n", ""));
  await clinic.fix(checkLaunchers);
  assertEquals(clinic.read(`${bin}/deliver`), written);
  assertEquals((await clinic.ask(checkLaunchers)).broken, []);
});

Deno.test("checkLaunchers() keeps an openclaw that was named at the registration alone", async () => {
  await using clinic = await Clinic.create();
  clinic.program("GSD_OPENCLAW", "exit 0");
  clinic.registerHooks();
  await clinic.fix(checkLaunchers);
  delete clinic.env.GSD_OPENCLAW;
  clinic.env.PATH = await without("openclaw", clinic);
  assertEquals((await clinic.ask(checkLaunchers)).broken, []);
});

Deno.test("checkLaunchers() finds a deliverer that cannot run openclaw since its node has moved", async () => {
  const { clinic, node, poorer } = await registeredWithNode();
  await using _ = clinic;
  const moved = `${clinic.env.HOME}/node-new`;
  await Deno.mkdir(moved);
  await Deno.rename(`${node}/node`, `${moved}/node`);
  // Whatever node this machine has would do, too.
  program(`${node}/openclaw`, `case "$(command -v node)" in ${moved}/*) ;; *) nonode;; esac`);
  assertEquals((await clinic.ask(checkLaunchers)).broken, [], "no PATH helps");

  clinic.env.PATH = `${moved}:${node}:${poorer}`;
  const { broken, findings } = await clinic.ask(checkLaunchers);
  assertEquals(broken.length, 1);
  assertMatch(broken[0]!, /deliver cannot run .*openclaw.*: .*not found.*PATH of its registration/);
  assertMatch(findings[0]!.fix!, / register$/);
  await clinic.fix(checkLaunchers);
  assertEquals((await clinic.ask(checkLaunchers)).broken, []);
});

Deno.test("checkLaunchers() accepts another PATH than the registered one", async () => {
  await using clinic = await Clinic.create();
  clinic.registerHooks();
  await clinic.fix(checkLaunchers);
  clinic.env.PATH = `/opt/some/venv/bin:${clinic.env.PATH}`;
  assertEquals((await clinic.ask(checkLaunchers)).broken, []);
  const launcher = `${clinic.world.paths.data}/bin/deliver`;
  const text = clinic.read(launcher).replace("\nPATH=", `\nPATH=${clinic.world.paths.state}/bin:`);
  await Deno.writeTextFile(launcher, text);
  assertEquals((await clinic.ask(checkLaunchers)).broken.length, 1);
});

Deno.test("checkLaunchers() accepts the registered Deno while it is there", async () => {
  await using clinic = await Clinic.create();
  const other = `${clinic.dir}/deno-2`;
  await Deno.symlink(Deno.execPath(), other);
  clinic.deno = other;
  clinic.registerHooks();
  await clinic.fix(checkLaunchers);
  clinic.deno = DENOS.installed;
  assertEquals((await clinic.ask(checkLaunchers)).broken, []);
  await Deno.remove(clinic.installed().deno);
  assertMatch((await clinic.ask(checkLaunchers)).broken.join("\n"), /out of date: deno$/m);
});

Deno.test("checkLaunchers() finds that the pinned Deno is gone, and pins it again", async () => {
  await using clinic = await Clinic.create();
  clinic.deno = clinic.npxDeno();
  clinic.registerHooks();
  await clinic.fix(checkLaunchers);
  assertEquals((await clinic.ask(checkLaunchers)).broken, []);

  const pinned = `${clinic.world.paths.data}/bin/deno`;
  await Deno.remove(pinned);
  const missing = `The Deno of hooks and launchers, ${pinned}, is missing`;
  assertEquals((await clinic.ask(checkLaunchers)).broken, [missing]);
  await clinic.fix(checkLaunchers);
  assertEquals((await clinic.ask(checkLaunchers)).broken, []);
});

Deno.test("checkLaunchers() accepts variables that were not set at the registration", async () => {
  await using clinic = await Clinic.create();
  clinic.registerHooks();
  await clinic.fix(checkLaunchers);
  clinic.env.XDG_CACHE_HOME = `${clinic.dir}/cache`;
  clinic.env.OPENCLAW_PROFILE = "work";
  assertEquals((await clinic.ask(checkLaunchers)).findings.map(({ level }) => level), ["ok"]);
  const denoDir = clinic.env.DENO_DIR!;
  clinic.env.DENO_DIR = `${clinic.dir}/empty`;
  const bin = `${clinic.world.paths.data}/bin`;
  await Deno.remove(`${bin}/deliver`);
  assertEquals((await clinic.ask(checkLaunchers)).broken.length, 1);
  await clinic.fix(checkLaunchers);
  assertStringIncludes(clinic.read(`${bin}/deliver`), `DENO_DIR=${denoDir}`);
});

Deno.test("checkLaunchers() notices that OpenClaw's config has moved, and that it is another one here", async () => {
  await using clinic = await Clinic.create();
  clinic.gateway(1, "token");
  clinic.registerHooks();
  await clinic.fix(checkLaunchers);
  const [old, place] = [`${clinic.env.HOME}/.openclaw`, `${clinic.env.HOME}/elsewhere`];
  await Deno.mkdir(place);
  await Deno.copyFile(`${old}/openclaw.json`, `${place}/openclaw.json`);
  clinic.env.OPENCLAW_STATE_DIR = place;
  const both = await clinic.ask(checkLaunchers);
  assertEquals(both.broken, []);
  assertMatch(both.notes.join(), /\.openclaw\/openclaw\.json.*elsewhere\/openclaw\.json/);
  await Deno.remove(`${old}/openclaw.json`);
  const [moved, ...more] = (await clinic.ask(checkLaunchers)).broken;
  assertMatch(moved!, /install\.json is out of date: gateway_files, variables$/);
  assertEquals(more, []);
  await clinic.fix(checkLaunchers);
  assertEquals((await clinic.ask(checkLaunchers)).broken, []);
});

/** The folders of PATH that do not hold this program. */
async function without(name: string, clinic: Clinic): Promise<string> {
  const folders: string[] = [];
  for (const folder of clinic.env.PATH!.split(":")) {
    const there = await Deno.stat(`${folder}/${name}`).then(() => true, () => false);
    if (!there) folders.push(folder);
  }
  return folders.join(":");
}

function program(path: string, script: string): void {
  writeExecutable(path, `#!/bin/sh\n${script}\n`);
}
