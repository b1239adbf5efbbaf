/** Are install.json and the launchers right, and do the launchers start without a network? */

import { openclawPlaces } from "../delivery/openclaw_config.ts";
import { isProgram } from "../doors/programs.ts";
import { isFile } from "../files.ts";
import { differingFacts } from "../install/install_file.ts";
import { type InstallPlan, MOVING_VARIABLES, planInstall } from "../install/installation.ts";
import { launchersOf, putLaunchers, stateOf } from "../install/launchers.ts";
import { packagesReady } from "../install/packages.ts";
import { type Installation, installFile, launcherPath } from "../install/scope.ts";
import type { Env } from "../paths.ts";
import { messageOf, run } from "../process.ts";
import { broken, type DoctorContext, type Finding, note, ok } from "./finding.ts";
import { registerCommand } from "./fix_commands.ts";

export async function checkLaunchers(context: DoctorContext): Promise<Finding[]> {
  const { plan, world } = context;
  if (plan.kind === "refused") return [];
  const { install, written, deno } = plan;
  const { data } = install.paths;
  const problems: string[] = [];
  if (deno.kind === "pin" && !isProgram(deno.path)) {
    problems.push(`The Deno of hooks and launchers, ${deno.path}, is missing`);
  }
  const better = await planWithOpenclaw(install, context);
  if (better !== undefined) {
    problems.push(
      `The launcher deliver cannot run ${better.why}, in the PATH of its registration`,
    );
  } else if (written === undefined) {
    problems.push(`${installFile(data)} is missing, or of another version`);
  } else {
    const facts = differingFacts(written, install).join(", ");
    if (facts !== "") problems.push(`${installFile(data)} is out of date: ${facts}`);
  }
  for (const { name, text } of launchersOf(written ?? install)) {
    const path = launcherPath(install.paths, name);
    const state = readState(path, text);
    if (state !== "right") problems.push(`The launcher ${path} is ${state}`);
  }
  const fix = registerCommand(context);
  if (problems.length > 0) {
    const autofix = {
      what: `write the launchers in ${data}/bin again`,
      run: () => void putLaunchers(better?.plan ?? plan),
    };
    return problems.map((text) => broken(text, fix, autofix));
  }

  const registered: Env = (name) =>
    MOVING_VARIABLES.includes(name) ? install.variables[name] : world.env(name);
  const packages = await packagesReady(install, registered);
  if (packages.kind === "missing") {
    return [broken(`A launcher does not start: ${packages.reason}`, fix)];
  }
  return [ok(`The launchers in ${data}/bin start`), ...otherConfig(registered, world.env, fix)];
}

function readState(path: string, text: string): string {
  try {
    const state = stateOf(path, text);
    return state === "different" ? "not as install.json makes it" : state;
  } catch (error) {
    return `unreadable (${messageOf(error)})`;
  }
}

/** The new registration, if OpenClaw's program runs with it and not with the present one. */
async function planWithOpenclaw(
  install: Installation,
  { world }: DoctorContext,
): Promise<{ plan: InstallPlan; why: string } | undefined> {
  const why = await whyNoOpenclaw(install);
  if (why === undefined) return undefined;
  const { allowAll, paths } = install;
  const plan = planInstall(world.env, paths.root, { running: world.deno, as: "now", allowAll });
  if (plan.kind === "refused" || plan.install.path === install.path) return undefined;
  if (await whyNoOpenclaw(plan.install) !== undefined) return undefined;
  return { plan, why: `${install.openclaw}: ${why}` };
}

/** Why the deliverer cannot run OpenClaw's program; undefined when it can, or is only slow. */
async function whyNoOpenclaw(install: Installation): Promise<string | undefined> {
  const { openclaw, home, path, variables } = install;
  if (openclaw === undefined) return undefined;
  const env = { HOME: home, PATH: path, ...variables };
  const outcome = await run(openclaw, ["--version"], { timeoutMs: 30_000, env, cwd: "/" });
  if (outcome.kind === "missing") return outcome.reason;
  if (outcome.kind === "timeout" || outcome.code === 0) return undefined;
  return outcome.stderr.trim().split("\n")[0] || `it ended with code ${outcome.code}`;
}

/** Two OpenClaws on one machine: the user must say which one is meant. */
function otherConfig(registered: Env, env: Env, fix: string): Finding[] {
  const [theirs, here] = [openclawPlaces(registered).config, openclawPlaces(env).config];
  if (theirs === here || !isFile(here)) return [];
  const text = `The launchers use OpenClaw's config ${theirs}, as registered; here it is ${here}`;
  return [note(text, fix)];
}
