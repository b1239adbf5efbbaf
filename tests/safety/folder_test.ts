/** Attacks by a repository: nothing that is run, written or registered comes from its folder. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { checkHooks } from "../../lib/doctor/hooks_check.ts";
import { namesIn, readTextIfThere } from "../../lib/files.ts";
import { enqueue } from "../../lib/outbox.ts";
import { ROOT } from "../../lib/paths.ts";
import { run } from "../../lib/process.ts";
import { Clinic } from "../support/clinic.ts";
import { aWake } from "../support/delivery_home.ts";
import { makeHostileFolder } from "../support/hostile_folder.ts";
import { IDLE, readLaunch } from "../support/recovering.ts";
import { inSessionWorld, type SessionWorld } from "../support/session_world.ts";
import { writeExecutable } from "../support/executable.ts";

interface Attack {
  world: SessionWorld;
  folder: string;
  /** What the folder's own code has written. */
  evil: () => string | undefined;
  /** Runs a program in the folder, with a PATH that leads into it. */
  run: (program: string, ...args: string[]) => Promise<{ code: number; shown: string }>;
}

function inHostileFolder(work: (attack: Attack) => Promise<void>): Promise<void> {
  return inSessionWorld(async (world) => {
    const folder = `${world.dir}/repository`;
    makeHostileFolder(folder, `${world.dir}/evil`);
    // A sane program of each name comes last.
    Deno.mkdirSync(`${world.dir}/good`);
    Deno.renameSync(world.standIn("claude", IDLE), `${world.dir}/good/claude`);
    Deno.symlinkSync(world.variables.GSD_TMUX!, `${world.dir}/good/tmux`);
    Deno.symlinkSync(world.variables.GSD_OPENCLAW!, `${world.dir}/good/openclaw`);
    // As npm's programs find Node: by PATH.
    const byPath = "#!/usr/bin/env sh\necho no gateway >&2\nexit 1\n";
    writeExecutable(world.variables.GSD_OPENCLAW!, byPath);
    enqueue(world.paths, aWake({ transport: "cli" }));
    for (const name of ["GSD_TMUX", "GSD_OPENCLAW", "GSD_CLAUDE"]) delete world.variables[name];
    const hostile = [".", "", "bin", "node_modules/.bin", "./bin", `${folder}/node_modules/.bin`];
    const PATH = [...hostile, `${world.dir}/good`, world.variables.PATH, "."].join(":");
    Object.assign(world.variables, { PATH, GSD_SYSTEMCTL: "/bin/true" });
    world.registry({ agents: [{ agent_id: "warden", delivery: { transport: "inbox" } }] });
    await work({
      world,
      folder,
      evil: () => readTextIfThere(`${world.dir}/evil`),
      run: async (program, ...args) => {
        const options = { env: { ...world.variables }, timeoutMs: 300_000, cwd: folder };
        const outcome = await run(program, args, options);
        assert(outcome.kind === "finished", JSON.stringify(outcome));
        return { code: outcome.code, shown: outcome.stdout + outcome.stderr };
      },
    });
  });
}

const COMMANDS = [
  ["register.ts"],
  ["register.ts", "--print"],
  ["commands/doctor.ts"],
  ["commands/doctor.ts", "--fix"],
  ["commands/spawn.ts", "warden", ".", ""],
  ["commands/status.ts"],
  ["commands/watch.ts", "--once"],
  ["commands/recover.ts"],
  ["commands/sync.ts"],
  ["commands/deliver.ts", "--once"],
  ["commands/deliver.ts", "--list"],
  ["commands/install_units.ts"],
  ["commands/menu_driver.ts", "warden-main", "snapshot"],
  ["commands/send.ts", "warden-main", "hi"],
  ["commands/completion.ts", "bash"],
  ["commands/gsd_code.ts", "help"],
];

Deno.test("no command runs anything of the folder that it is called in", () =>
  inHostileFolder(async ({ world, folder, evil, run }) => {
    for (const [file, ...args] of COMMANDS) {
      const words = ["run", "-A", "--quiet", `${ROOT}/${file}`, ...args];
      const { shown } = await run(Deno.execPath(), ...words);
      assertEquals(evil(), undefined, `${file} ${args.join(" ")}\n${shown}`);
    }
    assertEquals(namedIn(world, folder), []);
  }));

Deno.test("no launcher runs anything of the folder that it is called in", () =>
  inHostileFolder(async ({ world, folder, evil, run }) => {
    const made = await run(Deno.execPath(), "run", "-A", "--quiet", `${ROOT}/register.ts`);
    assertEquals(made.code, 0, made.shown);
    const bin = `${world.paths.data}/bin`;
    Object.assign(world.variables, { TMUX: "/none,0,0", TMUX_PANE: "%0" });
    const calls = [
      ["gsd-code", "doctor"],
      ["gsd-code", "doctor", "--fix"],
      ["gsd-code", "status"],
      ["gsd-code", "register"],
      ["gsd-code", "menu-driver", "warden-main", "snapshot"],
      ["gsd-code", "deliver", "--once"],
      ["menu-driver", "warden-main", "snapshot"],
      ["deliver", "--wait", "--once"],
      ["recover", "--skip-sync", "--dry-run"],
      ["hook", "stop"],
    ];
    for (const [name, ...args] of calls) {
      const { shown } = await run(`${bin}/${name}`, ...args);
      assertEquals(evil(), undefined, `${name} ${args.join(" ")}\n${shown}`);
      assertEquals(/not found|Cannot find|syntax error/i.test(shown), false, `${name}: ${shown}`);
    }
    assertEquals(namedIn(world, folder), []);
  }));

Deno.test("spawn starts the Claude Code of PATH, not the one of the folder", () =>
  inHostileFolder(async ({ world, folder, evil, run }) => {
    const words = ["run", "-A", "--quiet", `${ROOT}/commands/spawn.ts`, "warden", ".", ""];
    const { code, shown } = await run(Deno.execPath(), ...words);
    assertEquals([code, evil()], [0, undefined], shown);
    assert(readTextIfThere(`${world.dir}/claude.args`) !== undefined);
    const { env, working_directory } = readLaunch(world.paths, "warden-main");
    assertEquals(working_directory, folder);
    const isOfFolder = (one: string) =>
      !one.startsWith("/") || one.startsWith(folder) || one.endsWith("/node_modules/.bin");
    assertEquals(env.PATH!.split(":").filter(isOfFolder), []);
  }));

/** Files of the installation that name the folder. */
function namedIn({ paths }: SessionWorld, folder: string): string[] {
  const files = [
    `${paths.data}/install.json`,
    // A Deno that came by npx is linked there, too.
    ...namesIn(`${paths.data}/bin`).filter((name) => name !== "deno")
      .map((name) => `${paths.data}/bin/${name}`),
  ];
  return files.filter((file) => readTextIfThere(file)?.includes(folder));
}

Deno.test("doctor names the hooks of a folder, and neither runs, fixes nor counts them", async () => {
  for (const at of ["", "/second"]) {
    await using clinic = await Clinic.create();
    const folder = `${clinic.dir}/repository`;
    const evil = `${clinic.dir}/evil`;
    makeHostileFolder(folder, evil);
    const world = { ...clinic.world, cwd: () => folder + at };
    const settings = readTextIfThere(`${folder}${at}/.claude/settings.json`);
    const { findings, context } = await ask(world);
    assertEquals(context.registered, []);
    const named = findings.filter(({ text }) => text.includes(folder));
    assert(named.length > 0);
    assertEquals(named.filter(({ level, autofix, fix }) => level !== "note" || autofix || fix), []);
    assertMatch(named[0]!.text, /look like ours, but register did not write them there/);
    assert(findings.some(({ text }) => text.startsWith("Our hooks are not registered in")));
    for (const { fix } of findings) assertEquals(fix?.includes(folder) ?? false, false, fix);
    assertEquals(readTextIfThere(`${folder}${at}/.claude/settings.json`), settings);
    assertEquals(readTextIfThere(evil), undefined);
  }

  async function ask(world: Clinic["world"]) {
    const { gatherContext } = await import("../../lib/doctor/doctor_context.ts");
    const gathered = gatherContext(world, undefined);
    assert(gathered.kind === "context");
    return { findings: checkHooks(gathered.context), context: gathered.context };
  }
});
