/** Attacks on what is installed: PATH, units, and the places that the environment names. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main as installUnits } from "../../commands/install_units.ts";
import { main as doctor } from "../../commands/doctor.ts";
import { main as spawn } from "../../commands/spawn.ts";
import { main as register } from "../../register.ts";
import { findProgram } from "../../lib/doors/programs.ts";
import { namesIn } from "../../lib/files.ts";
import { lastingPath } from "../../lib/install/safe_places.ts";
import { UNITS, unitText } from "../../lib/install/units.ts";
import { enqueue, isDelivered } from "../../lib/outbox.ts";
import { ROOT } from "../../lib/paths.ts";
import { run } from "../../lib/process.ts";
import { aWake } from "../support/delivery_home.ts";
import { TestHome } from "../support/home.ts";
import { inSessionWorld, type SessionWorld } from "../support/session_world.ts";
import { writeExecutable } from "../support/executable.ts";
import { until } from "../support/until.ts";

const SYSTEM = "/usr/local/bin:/usr/bin:/bin";

Deno.test("lastingPath() takes no folder that another can fill, or that is not there", async () => {
  await using home = new TestHome();
  const folder = (name: string, mode = 0o755) => {
    const path = `${home.dir}/${name}`;
    Deno.mkdirSync(path, { recursive: true });
    Deno.chmodSync(path, mode);
    return path;
  };
  const taken = (path: string) => lastingPath(() => path, home.paths.state);
  const good = folder("good");
  assertEquals(taken(good), `${good}:${SYSTEM}`);
  const ours = folder("ours", 0o775);
  assertEquals(taken(ours), `${ours}:${SYSTEM}`, "the group is our own");

  folder("open", 0o777);
  folder("open/below");
  Deno.symlinkSync(`${home.dir}/open`, `${home.dir}/link`);
  const file = `${home.dir}/file`;
  Deno.writeTextFileSync(file, "");
  const refused = {
    "npm's programs of a folder": folder("app/node_modules/.bin"),
    "those in /tmp": "/tmp/node_modules/.bin",
    "what is below them": folder("app/node_modules/.bin/x"),
    "a missing folder": `${home.dir}/missing`,
    "a folder for all": folder("all", 0o777),
    "a folder for all, sticky": folder("sticky", 0o1777),
    "/tmp": "/tmp",
    "a folder in one for all": `${home.dir}/open/below`,
    "a link to one for all": `${home.dir}/link`,
    "a file": file,
    "the current folder": ".",
    "the current folder, unnamed": "",
    "a folder below the current one": "bin",
    "the state folder": folder("state/bin"),
  };
  for (const [what, path] of Object.entries(refused)) assertEquals(taken(path), SYSTEM, what);
  if (Deno.uid() !== 0) return; // only root can give a folder away
  const theirs = folder("theirs");
  Deno.chownSync(theirs, 12345, Deno.gid());
  const group = folder("group", 0o775);
  Deno.chownSync(group, 0, 12345);
  for (const path of [theirs, group]) assertEquals(taken(path), SYSTEM, path);
});

Deno.test("findProgram() finds none in the current folder", async () => {
  await using home = new TestHome();
  Deno.mkdirSync(`${home.dir}/node_modules/.bin`, { recursive: true });
  home.writeProgram("node_modules/.bin/tmux-here", "true");
  home.writeProgram("tmux-here", "true");
  const before = Deno.cwd();
  Deno.chdir(home.dir);
  try {
    for (const path of [".", "", ":", "..", "node_modules/.bin", `${home.dir}/node_modules/.bin`]) {
      const env: Record<string, string> = { PATH: path };
      assertEquals(findProgram((name) => env[name], "GSD_X", "tmux-here"), undefined, path);
    }
  } finally {
    Deno.chdir(before);
  }
});

const NAMES = ["GSD_STATE_DIR", "GSD_DATA_DIR", "GSD_REGISTRY", "HOME", "XDG_CONFIG_HOME", "PATH"];
const ODD = ["\nExecStartPre=/bin/touch pwned", "\r", "\x1b[2J", "\x7f", "\u2028x"];

for (const name of NAMES) {
  Deno.test(`a control character in ${name} is refused in one sentence, and nothing is written`, () =>
    inSessionWorld(async (world) => {
      const usual = world.variables[name] ?? `${world.dir}/config`;
      for (const odd of ODD) {
        world.variables[name] = usual + odd;
        const state = world.variables.GSD_STATE_DIR!;
        const hostile = { ...world, paths: { ...world.paths, state } };
        const before = treeOf(world.dir);
        for (const command of [installUnits, register]) {
          world.warned.length = 0;
          assertEquals(await command([], hostile), 1);
          assertEquals(world.warned.length, 1);
          assertStringIncludes(world.warned[0]!, `${name}, which is "`);
          assertEquals(world.warned[0]!.split("\n").length, 1);
        }
        assertEquals(treeOf(world.dir), before, `${name} with ${JSON.stringify(odd)}`);
      }
    }));
}

Deno.test("spawn and doctor refuse such a place as well", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_CLAUDE = world.standIn("claude", "01-idle-fresh.txt");
    world.variables.TMUX_TMPDIR = "/tmp\nExecStartPre=/bin/false";
    assertEquals(await spawn(["w", world.dir, "", "--new"], world), 1);
    assertMatch(world.warned.join("\n"), /Cannot use TMUX_TMPDIR, which is "\/tmp\\nExec/);
    assertEquals(await doctor([], world), 1);
    assertMatch(world.said.join("\n"), /BROKEN hooks: Cannot use TMUX_TMPDIR/);
  }));

Deno.test("unitText() lets no value add a line, and means for systemd what it says", async () => {
  await using home = new TestHome();
  const odd = `${home.dir}/my "dir" 100% $HOME 'q' [x] \\ é`;
  Deno.mkdirSync(odd);
  for (const name of ["gsd-code", "recover"]) {
    writeExecutable(`${odd}/${name}`, "#!/bin/sh\n");
  }
  const environment = { PATH: "/usr/bin", GSD_STATE_DIR: odd, GSD_TMUX: "%h $x" };
  const template = (name: string) => Deno.readTextFileSync(`${ROOT}/systemd/${name}`);
  for (const bad of ["\n", "\r", "\0"]) {
    for (const values of [{ bin: bad }, { environment: { A: bad } }]) {
      let reason = "";
      try {
        unitText(template(UNITS[1]), { bin: "/b", environment, ...values });
      } catch (error) {
        reason = String(error);
      }
      assertMatch(reason, /holds a control character/);
    }
  }
  const analyze = findProgram((name) => Deno.env.get(name), "GSD_X", "systemd-analyze");
  const env = { ...home.env, XDG_RUNTIME_DIR: home.dir, SYSTEMD_LOG_LEVEL: "warning" };
  for (const name of UNITS) {
    const text = unitText(template(name), { bin: odd, environment });
    Deno.writeTextFileSync(`${home.dir}/${name}`, text);
    assertEquals(/@[A-Z]+@/.test(text), false);
  }
  if (analyze === undefined) return;
  const files = UNITS.map((name) => `${home.dir}/${name}`);
  const verify = ["verify", "--user", "--man=no", ...files];
  const verified = await run(analyze, verify, { env, timeoutMs: 300_000 });
  assertEquals(verified, { kind: "finished", code: 0, stdout: "", stderr: "" });
});

Deno.test("the units start launchers of the registration, and no others", () =>
  inSessionWorld(async (world) => {
    world.variables.GSD_SYSTEMCTL = `${world.dir}/systemctl`;
    writeExecutable(`${world.dir}/systemctl`, "#!/bin/sh\n");
    assertEquals(await installUnits([], world), 0, world.warned.join("\n"));
    const words = await execStart(world, "gsd-watch.service");
    assertEquals(words, ["/bin/sh", `${world.paths.data}/bin/gsd-code`, "watch"]);
    const recover = await execStart(world, "gsd-recover.service");
    assertEquals(recover, ["/bin/sh", `${world.paths.data}/bin/recover`]);
    // As systemd starts it: what waits is delivered by the launcher with few permissions.
    assertEquals(/ -A /.test(Deno.readTextFileSync(`${world.paths.data}/bin/deliver`)), false);
    world.registry({ agents: [] });
    const created_at = new Date(Date.now() - 60_000).toISOString();
    const wake = aWake({ transport: "inbox", created_at });
    enqueue(world.paths, wake);
    const env = { HOME: world.variables.HOME!, DENO_NO_UPDATE_CHECK: "1" };
    const outcome = await run(words[0]!, [...words.slice(1), "--once"], {
      env,
      timeoutMs: 300_000,
    });
    assert(outcome.kind === "finished");
    assertEquals([outcome.code, outcome.stderr], [0, ""]);
    await until("the wake to be delivered", () => isDelivered(world.paths, wake));

    // Other places than those of the registration would leave its wakes to nobody.
    world.variables.GSD_STATE_DIR = `${world.dir}/other`;
    const other = { ...world, paths: { ...world.paths, state: `${world.dir}/other` } };
    assertEquals(await installUnits([], other), 1);
    assertMatch(world.warned.at(-1)!, /registered with the state .*: register again/);
  }));

async function execStart(world: SessionWorld, unit: string): Promise<string[]> {
  const folder = `${world.dir}/home/.config/systemd/user`;
  const text = await Deno.readTextFile(`${folder}/${unit}`);
  return /^ExecStart=(.*)$/m.exec(text)![1]!.split(" ");
}

function treeOf(dir: string): string[] {
  return namesIn(dir).flatMap((name) => {
    const path = `${dir}/${name}`;
    return Deno.lstatSync(path).isDirectory ? [path, ...treeOf(path)] : [path];
  });
}
