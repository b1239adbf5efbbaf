/** Can hooks start what they call, and can that start without a network? */

import { isFile } from "../files.ts";
import { openclawPlaces } from "../delivery/openclaw_config.ts";
import type { Env } from "../paths.ts";
import { messageOf } from "../process.ts";
import { type LauncherPlaces, TELLING, whyNoLaunchers } from "../install/launcher_places.ts";
import { launchersOf, launcherText, stateOf } from "../install/launchers.ts";
import { packagesReady } from "../install/packages.ts";
import { mendLaunchers } from "../install/put_launchers.ts";
import { isProgram } from "../doors/programs.ts";
import { type Installation, launcherPath } from "../install/scope.ts";
import { placesLike, readWritten, whyNoOpenclaw } from "../install/written_places.ts";
import type { Finding, Patient } from "./finding.ts";
import { registerCommand } from "./mend.ts";

const CHECK = "launchers";

export async function checkLaunchers(patient: Patient): Promise<Finding[]> {
  const { look, world } = patient;
  if (look.kind === "refused") return [];
  const { install } = look;
  const { places, stuck } = await placesNow(install, world.env);
  const impossible = whyNoLaunchers(places, install.paths.state, install.allowAll);
  if (impossible !== undefined) return [{ check: CHECK, level: "broken", text: impossible }];
  const mend = registerCommand(patient);
  const repair = {
    what: `write the launchers in ${install.paths.data}/bin anew`,
    run: () => mendLaunchers(look, places),
  };
  const findings: Finding[] = [];
  if (look.deno.kind === "pin" && !isProgram(look.deno.path)) {
    const text = `The Deno of hooks and launchers, ${look.deno.path}, is missing`;
    findings.push({ check: CHECK, level: "broken", text, mend, repair });
  }
  for (const launcher of launchersOf(install, places)) {
    const path = launcherPath(install.paths, launcher.name);
    let state: string;
    try {
      state = stateOf(path, launcherText(launcher, install, places));
    } catch (error) {
      state = `unreadable (${messageOf(error)})`;
    }
    if (state === "right") continue;
    const text = state === "different" && stuck !== undefined && launcher.name === "deliver"
      ? `The launcher ${path} cannot run ${stuck}; it looks for programs in the PATH of its ` +
        "registration"
      : state === "different"
      ? `The launcher ${path} is not as it would be written now`
      : `The launcher ${path} is ${state}`;
    findings.push({ check: CHECK, level: "broken", text, mend, repair });
  }
  if (findings.length > 0) return findings;
  const told: Env = (name) => TELLING.includes(name) ? places.variables[name] : world.env(name);
  const packages = await packagesReady(install, told);
  if (packages.kind === "missing") {
    const text = `A launcher does not start: ${packages.reason}`;
    return [{ check: CHECK, level: "broken", text, mend }];
  }
  const text = `The launchers in ${install.paths.data}/bin start`;
  return [{ check: CHECK, level: "ok", text }, ...otherConfig(told, world.env, mend)];
}

/** The places that launchers were written with, unless only today's PATH has what openclaw needs. */
async function placesNow(
  install: Installation,
  env: Env,
): Promise<{ places: LauncherPlaces; stuck?: string }> {
  const written = readWritten(install.paths);
  const places = placesLike(written, env);
  const why = await whyNoOpenclaw(places, install.home);
  if (why === undefined) return { places };
  const today = placesLike({ ...written, path: undefined }, env);
  const isBetter = today.path !== places.path &&
    await whyNoOpenclaw(today, install.home) === undefined;
  return isBetter ? { places: today, stuck: `${places.openclaw}: ${why}` } : { places };
}

/** Two OpenClaws on one machine: which of them is meant is for the reader to say. */
function otherConfig(told: Env, env: Env, mend: string): Finding[] {
  const [theirs, here] = [openclawPlaces(told).config, openclawPlaces(env).config];
  if (theirs === here || !isFile(here)) return [];
  const text = `The launchers go by OpenClaw's config ${theirs}, as registered; here it is ${here}`;
  return [{ check: CHECK, level: "note", text, mend }];
}
