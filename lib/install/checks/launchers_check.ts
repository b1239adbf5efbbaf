/** Can hooks start what they call, and can that start without a network? */

import { readTextIfThere } from "../../files.ts";
import { placesLike, whyNoLaunchers } from "../launcher_places.ts";
import { launchersOf, launcherText, stateOf } from "../launchers.ts";
import { putLaunchers } from "../put_launchers.ts";
import { packagesReady } from "../packages.ts";
import { messageOf } from "../../process.ts";
import { findProgram } from "../programs.ts";
import { launcherPath } from "../scope.ts";
import type { Finding, Patient } from "./finding.ts";
import { registerCommand } from "./mend.ts";

const CHECK = "launchers";

export async function checkLaunchers(patient: Patient): Promise<Finding[]> {
  const { look, world } = patient;
  if (look.kind === "refused") return [];
  const { install } = look;
  const openclaw = findProgram(world.env, "GSD_OPENCLAW", "openclaw");
  const places = placesLike(textOf(launcherPath(install.paths, "deliver")), world.env, openclaw);
  const impossible = whyNoLaunchers(places, install.paths.state, install.allowAll);
  if (impossible !== undefined) return [{ check: CHECK, level: "broken", text: impossible }];
  const mend = registerCommand(patient);
  const repair = {
    what: `write the launchers in ${install.paths.data}/bin anew`,
    run: () => void putLaunchers(look, world.env, "all"),
  };
  const findings: Finding[] = [];
  for (const launcher of launchersOf(install, places)) {
    const path = launcherPath(install.paths, launcher.name);
    let state: string;
    try {
      state = stateOf(path, launcherText(launcher, install, places));
    } catch (error) {
      state = `unreadable (${messageOf(error)})`;
    }
    if (state === "right") continue;
    const text = state === "different"
      ? `The launcher ${path} is not as it would be written now`
      : `The launcher ${path} is ${state}`;
    findings.push({ check: CHECK, level: "broken", text, mend, repair });
  }
  if (findings.length > 0) return findings;
  const packages = await packagesReady(install, world.env);
  return packages.kind === "ready"
    ? [{ check: CHECK, level: "ok", text: `The launchers in ${install.paths.data}/bin start` }]
    : [{
      check: CHECK,
      level: "broken",
      text: `A launcher does not start: ${packages.reason}`,
      mend,
    }];
}

function textOf(file: string): string | undefined {
  try {
    return readTextIfThere(file);
  } catch {
    return undefined; // said by its state
  }
}
