import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { namesIn, readTextIfThere } from "../lib/files.ts";
import { launcherPlaces, planInstall } from "../lib/install/installation.ts";
import { installLaunchers } from "../lib/install/launchers.ts";
import { ROOT } from "../lib/paths.ts";
import { run } from "../lib/process.ts";
import { writeSettings } from "../lib/sessions/agent_launch.ts";
import { Clinic, type DENOS } from "./support/clinic.ts";
import { until } from "./support/until.ts";
import { writeExecutable } from "./support/executable.ts";

Deno.test("deliver runs nothing that a hook put into the state folder and named in its environment", async () => {
  await using clinic = await Clinic.create();
  const { state, data } = clinic.world.paths;
  const [evil, seen] = [`${clinic.dir}/evil`, `${clinic.dir}/seen`];
  const fakeDeno = `${clinic.dir}/deno`;
  put(fakeDeno, `env > ${seen}.part; mv ${seen}.part ${seen}`);
  await Deno.mkdir(`${state}/bin`, { recursive: true });
  for (const name of ["setsid", "openclaw", "env", "mv", "cd"]) {
    put(`${state}/bin/${name}`, `echo ${name} >> ${evil}`);
  }
  // Even where the folder was on PATH at the registration.
  const path = `${state}/bin:${clinic.env.PATH}`;
  clinic.env.PATH = path;
  const plan = planInstall(clinic.world.env, ROOT, { running: fakeDeno, as: "now" });
  assert(plan.kind === "plan");
  installLaunchers({ ...plan.install, deno: fakeDeno });

  const chosen = {
    PATH: path,
    HOME: state,
    DENO_DIR: state,
    NODE_OPTIONS: `--require ${state}/x.cjs`,
    GSD_OPENCLAW: `${state}/bin/openclaw`,
    OPENCLAW_CONFIG_PATH: `${state}/openclaw.json`,
    "BASH_FUNC_cd%%": `() { echo cd >> ${evil}; }`,
  };
  await Deno.symlink("/bin/bash", `${clinic.dir}/sh`);
  for (const shell of ["/bin/sh", `${clinic.dir}/sh`]) {
    for (const args of [["--agent", "warden"], ["--wait", "--agent", "warden"]]) {
      const words = [`${data}/bin/deliver`, ...args];
      const outcome = await run(shell, words, { timeoutMs: 300_000, env: chosen });
      assertEquals(outcome, { kind: "finished", code: 0, stdout: "", stderr: "" });
      const env = await until("the deliverer to start", () => readTextIfThere(seen));
      await Deno.remove(seen);
      assertEquals(readTextIfThere(evil), undefined);
      const found = env.split("\n").filter((line) =>
        line.includes(state) && !/^(GSD_STATE_DIR|BASH_FUNC)/.test(line)
      );
      assertEquals(found, []);
    }
  }
});

Deno.test("launcherPlaces() reads OpenClaw's .env where OpenClaw does, wherever its config is", () => {
  const env: Record<string, string> = { HOME: "/h", OPENCLAW_CONFIG_PATH: "/etc/oc/openclaw.json" };
  const { gatewayFiles } = launcherPlaces((name) => env[name], undefined);
  assertEquals(gatewayFiles, ["/etc/oc/openclaw.json", "/h/.openclaw/.env"]);
});

Deno.test("planInstall() refuses a comma where permissions are spelled out, and a writable openclaw", async () => {
  await using clinic = await Clinic.create();
  const why = (allowAll: boolean) => {
    const plan = planInstall(clinic.world.env, ROOT, { running: clinic.deno, as: "now", allowAll });
    return plan.kind === "refused" ? plan.reason : undefined;
  };
  clinic.env.OPENCLAW_STATE_DIR = "/h/a,b";
  assertStringIncludes(why(false)!, "permissions for /h/a,b/openclaw.json");
  assertEquals(why(true), undefined);
  assertThrows(() => writeSettings(clinic.world, `${clinic.dir}/settings.json`), Error, "comma");
  assertEquals(namesIn(clinic.world.paths.data), []);

  delete clinic.env.OPENCLAW_STATE_DIR;
  for (
    const [folder, words] of [["x,y", "comma"], ["state", "Cannot keep hooks away from OpenClaw"]]
  ) {
    const dir = folder === "state" ? clinic.world.paths.state : `${clinic.dir}/${folder}`;
    await Deno.mkdir(dir, { recursive: true });
    clinic.env.GSD_OPENCLAW = `${dir}/openclaw`;
    clinic.program("GSD_OPENCLAW", "exit 0");
    assertStringIncludes(why(false)!, words!);
  }
  assertStringIncludes(why(true)!, "lies in the state folder");
});

for (const kind of ["installed", "npx"] as const) {
  Deno.test(`writeSettings() leaves launchers alone that work, and goes by the registration: Deno ${kind}`, () =>
    writesSettings(kind));
}

async function writesSettings(kind: keyof typeof DENOS): Promise<void> {
  await using clinic = await Clinic.create();
  const { data } = clinic.world.paths;
  // Nothing here starts it: any program outside of temporary folders does for an installed one.
  clinic.deno = kind === "installed" ? "/bin/sh" : clinic.npxDeno();
  const deno = kind === "installed" ? clinic.deno : `${data}/bin/deno`;
  clinic.env.OPENCLAW_PROFILE = "work";
  clinic.registerHooks({ allowAll: true });
  const settings = `${data}/launches/warden-main.settings.json`;
  writeSettings(clinic.world, settings);
  const deliver = clinic.read(`${data}/bin/deliver`);
  assertStringIncludes(deliver, " -A ");
  assertStringIncludes(deliver, "OPENCLAW_PROFILE=work");

  // A timer's environment: poorer than that of the registration, and with another Deno.
  delete clinic.env.OPENCLAW_PROFILE;
  const facts = clinic.read(`${data}/install.json`);
  clinic.deno = Deno.execPath();
  writeSettings(clinic.world, settings);
  assertEquals(clinic.read(`${data}/bin/deliver`), deliver);
  assertEquals(clinic.read(`${data}/install.json`), facts);
  assertEquals(
    JSON.parse(clinic.read(settings)).hooks,
    JSON.parse(clinic.read(clinic.settings)).hooks,
  );

  for (
    const spoilt of [
      deliver.replaceAll(ROOT, "/gone"),
      deliver.replaceAll(`${deno} run`, "/gone run"),
    ]
  ) {
    assert(spoilt !== deliver);
    await Deno.writeTextFile(`${data}/bin/deliver`, spoilt);
    writeSettings(clinic.world, settings);
    assertStringIncludes(clinic.read(`${data}/bin/deliver`), `${ROOT}/commands/deliver.ts`);
    assertStringIncludes(clinic.read(`${data}/bin/deliver`), `${deno} run`);
  }
  assertEquals(namesIn(`${data}/bin`).includes("deno"), kind === "npx");
}

function put(path: string, script: string): void {
  writeExecutable(path, `#!/bin/sh\n${script}\n`);
}
