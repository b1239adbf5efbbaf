/** Puts recovery after boot and the watch into systemd, or removes them. */

import { readCommandLine } from "../lib/cli/command_line.ts";
import { ensureDir, readTextIfThere, removeIfThere, writeAtomic } from "../lib/files.ts";
import { planInstall } from "../lib/install/installation.ts";
import { keepLaunchers } from "../lib/install/launchers.ts";
import { lastingPath } from "../lib/install/safe_places.ts";
import { PLACE_ENV_NAMES, setVariables } from "../lib/paths.ts";
import { messageOf, run } from "../lib/process.ts";
import { findProgram } from "../lib/doors/programs.ts";
import { OLD_UNITS, UNIT_MARK, UNITS, unitText } from "../lib/install/units.ts";
import { realWorld, type World } from "../lib/cli/world.ts";

export const HELP = `Lets systemd bring sessions back after boot and watch over them.

Usage: gsd-code install-units [options]

  gsd-code install-units             write the units of your user and enable them
  gsd-code install-units --dry-run   show what would be written
  gsd-code install-units --remove    disable and remove them

They run as you, without root. To have them run before you log in, allow it once:
  loginctl enable-linger
Keys that Claude Code or OpenClaw need from the environment go into
~/.config/gsd-code-skill/env, one NAME=value on a line. Without systemd see docs/sessions.md.

Options:
  --remove    remove the units
  --dry-run   change nothing
  --help      this text
`;

const WITHOUT = "without systemd see docs/sessions.md for cron";

/** The variables that the programs must have as they are now. */
const PASSED = [
  ...PLACE_ENV_NAMES,
  ...["TMUX_TMPDIR", "GSD_TMUX", "GSD_CLAUDE", "CLAUDE_CONFIG_DIR"],
];

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const spec = { task: "install-units", help: HELP, flags: ["remove", "dry-run"] } as const;
  const given = readCommandLine(args, spec, world);
  if (typeof given === "number") return given;
  const { "dry-run": dryRun, remove: isRemoval } = given.flags;
  try {
    return isRemoval ? await remove(world, dryRun) : await install(world, dryRun);
  } catch (error) {
    world.warn(`Cannot ${isRemoval ? "remove" : "install"} the units: ${messageOf(error)}`);
    return 1;
  }
}

async function install(world: World, dryRun: boolean): Promise<number> {
  const dir = unitDir(world);
  const environment = {
    DENO_NO_UPDATE_CHECK: "1",
    ...setVariables(world.env, PASSED),
    PATH: lastingPath(world.env, world.paths.state),
  };
  const { root, data } = world.paths;
  const plan = planInstall(world.env, root, { running: world.deno, as: "registered" });
  if (plan.kind === "refused") throw new Error(plan.reason);
  if (!dryRun) keepLaunchers(plan);
  let changed = 0;
  for (const name of UNITS) {
    const template = Deno.readTextFileSync(`${root}/systemd/${name}`);
    const text = unitText(template, { bin: `${data}/bin`, environment });
    const path = `${dir}/${name}`;
    const present = readTextIfThere(path);
    if (present === text) continue;
    if (present !== undefined && !present.startsWith(UNIT_MARK)) {
      throw new Error(`${path} is not ours; move it away first`);
    }
    changed++;
    if (dryRun) {
      world.say(`Would write ${path}:\n${text}`);
      continue;
    }
    ensureDir(dir);
    writeAtomic(path, text); // for the user alone: an address may hold a password
    world.say(`Wrote ${path}`);
  }
  const old = oursAmong(OLD_UNITS, dir);
  if (dryRun) {
    for (const name of old) world.say(`Would remove ${dir}/${name}: the watch does what it did`);
    const isRight = changed + old.length === 0;
    world.say(isRight ? "The units are as they should be" : `Would enable ${UNITS.join(", ")}`);
    return 0;
  }
  if (changed + old.length === 0) world.say("The units are as they should be");
  const failed = await removeOld(world, dir, old) ??
    await systemctl(world, ["daemon-reload"]) ??
    await systemctl(world, ["enable", ...UNITS]) ??
    await systemctl(world, ["restart", "gsd-watch.service"]);
  if (failed !== undefined) {
    world.warn(`The units are in ${dir}, but not enabled: ${failed}; ${WITHOUT}`);
    return 1;
  }
  world.say(`Enabled: ${UNITS.join(", ")}`);
  return 0;
}

/** Those of the units that install-units has written. */
function oursAmong(names: readonly string[], dir: string): string[] {
  return names.filter((name) => readTextIfThere(`${dir}/${name}`)?.startsWith(UNIT_MARK));
}

/** Removes units of an earlier version: two would deliver waiting wakes. Why it failed. */
async function removeOld(world: World, dir: string, old: string[]): Promise<string | undefined> {
  if (old.length === 0) return undefined;
  const timers = old.filter((name) => name.endsWith(".timer"));
  const failed = timers.length === 0
    ? undefined
    : await systemctl(world, ["disable", "--now", ...timers]);
  for (const name of old) {
    removeIfThere(`${dir}/${name}`);
    world.say(`Removed ${dir}/${name}: the watch does what it did`);
  }
  return failed;
}

async function remove(world: World, dryRun: boolean): Promise<number> {
  const dir = unitDir(world);
  const ours = oursAmong([...UNITS, ...OLD_UNITS], dir);
  if (ours.length === 0) {
    world.say("No units of ours are installed");
    return 0;
  }
  if (dryRun) {
    for (const name of ours) world.say(`Would remove ${dir}/${name}`);
    return 0;
  }
  const running = ours.filter((name) => name !== "gsd-recover.service");
  const failed = await disable(world, ["--now"], running) ??
    await disable(world, [], ours.filter((name) => !running.includes(name)));
  for (const name of ours) {
    removeIfThere(`${dir}/${name}`);
    world.say(`Removed ${dir}/${name}`);
  }
  const unseen = failed ?? await systemctl(world, ["daemon-reload"]);
  if (unseen === undefined) return 0;
  world.warn(`The units are removed, but systemd could not be notified: ${unseen}`);
  return 1;
}

async function disable(
  world: World,
  words: string[],
  names: string[],
): Promise<string | undefined> {
  if (names.length === 0) return undefined;
  return await systemctl(world, ["disable", ...words, ...names]);
}

function unitDir(world: World): string {
  const config = world.env("XDG_CONFIG_HOME");
  return `${config?.startsWith("/") ? config : `${world.env("HOME") ?? ""}/.config`}/systemd/user`;
}

/** Why it could not be done; undefined when it was. */
async function systemctl(world: World, words: string[]): Promise<string | undefined> {
  const program = findProgram(world.env, "GSD_SYSTEMCTL", "systemctl");
  if (program === undefined) return "there is no systemctl on PATH";
  const outcome = await run(program, ["--user", ...words], {
    env: world.environment(),
    timeoutMs: 30_000,
  });
  if (outcome.kind === "finished" && outcome.code === 0) return undefined;
  const why = outcome.kind === "finished" ? outcome.stderr.trim() : outcome.kind;
  return `systemctl --user ${words[0]} failed: ${why}`;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
