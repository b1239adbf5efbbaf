/** Are install.json and the launchers right, and do the launchers start without a network? */

import { openclawPlaces } from "../delivery/openclaw_config.ts";
import { isProgram } from "../doors/programs.ts";
import { isFile } from "../files.ts";
import { differingFacts } from "../install/install_file.ts";
import type { Installed } from "../install/installation.ts";
import {
  MOVING_VARIABLES,
  placesLike,
  whyNoLaunchers,
  whyNoOpenclaw,
} from "../install/launcher_places.ts";
import { launchersOf, stateOf } from "../install/launchers.ts";
import { packagesReady } from "../install/packages.ts";
import { putLaunchers } from "../install/put_launchers.ts";
import { installFile, launcherPath } from "../install/scope.ts";
import type { Env } from "../paths.ts";
import { messageOf } from "../process.ts";
import type { DoctorContext, Finding } from "./finding.ts";
import { registerCommand } from "./fix_commands.ts";

const CHECK = "launchers";

export async function checkLaunchers(context: DoctorContext): Promise<Finding[]> {
  if (context.look.kind === "refused") return [];
  const { world } = context;
  const { look, stuck } = await withWorkingPath(context.look, world.env);
  const { install, written } = look;
  const { data } = install.paths;
  const impossible = whyNoLaunchers(install, install.paths.state, install.allowAll);
  if (impossible !== undefined) return [{ check: CHECK, level: "broken", text: impossible }];
  const fix = registerCommand(context);
  const autofix = {
    what: `write the launchers in ${data}/bin again`,
    run: () => void putLaunchers(look),
  };
  const broken = (text: string): Finding => ({ check: CHECK, level: "broken", text, fix, autofix });

  const findings: Finding[] = [];
  if (look.deno.kind === "pin" && !isProgram(look.deno.path)) {
    findings.push(broken(`The Deno of hooks and launchers, ${look.deno.path}, is missing`));
  }
  if (stuck !== undefined) {
    findings.push(
      broken(`The launcher deliver cannot run ${stuck}, in the PATH of its registration`),
    );
  } else if (written === undefined) {
    findings.push(broken(`${installFile(data)} is missing, or of another version`));
  } else {
    const facts = differingFacts(written, install);
    const words = facts.join(", ");
    if (facts.length > 0) findings.push(broken(`${installFile(data)} is out of date: ${words}`));
  }
  for (const { name, text } of launchersOf(written ?? install)) {
    const path = launcherPath(install.paths, name);
    const state = readState(path, text);
    if (state !== "right") findings.push(broken(`The launcher ${path} is ${state}`));
  }
  if (findings.length > 0) return findings;

  const registered: Env = (name) =>
    MOVING_VARIABLES.includes(name) ? install.variables[name] : world.env(name);
  const packages = await packagesReady(install, registered);
  if (packages.kind === "missing") {
    const text = `A launcher does not start: ${packages.reason}`;
    return [{ check: CHECK, level: "broken", text, fix }];
  }
  const text = `The launchers in ${data}/bin start`;
  return [{ check: CHECK, level: "ok", text }, ...otherConfig(registered, world.env, fix)];
}

function readState(path: string, text: string): string {
  try {
    const state = stateOf(path, text);
    return state === "different" ? "not as install.json makes it" : state;
  } catch (error) {
    return `unreadable (${messageOf(error)})`;
  }
}

/** With today's PATH where only that one has what openclaw needs. */
async function withWorkingPath(
  look: Installed,
  env: Env,
): Promise<{ look: Installed; stuck?: string }> {
  const { install } = look;
  const why = await whyNoOpenclaw(install, install.home);
  if (why === undefined) return { look };
  const { path: _, ...others } = install;
  const today = placesLike(others, env);
  const isBetter = today.path !== install.path &&
    await whyNoOpenclaw(today, install.home) === undefined;
  if (!isBetter) return { look };
  return {
    look: { ...look, install: { ...install, ...today } },
    stuck: `${install.openclaw}: ${why}`,
  };
}

/** Two OpenClaws on one machine: the reader must say which one is meant. */
function otherConfig(registered: Env, env: Env, fix: string): Finding[] {
  const [theirs, here] = [openclawPlaces(registered).config, openclawPlaces(env).config];
  if (theirs === here || !isFile(here)) return [];
  const text = `The launchers use OpenClaw's config ${theirs}, as registered; here it is ${here}`;
  return [{ check: CHECK, level: "note", text, fix }];
}
