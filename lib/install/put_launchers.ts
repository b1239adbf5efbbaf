/** Writes install.json, and the launchers that are made of it. */

import { pinDeno } from "../doors/deno_binary.ts";
import { writeInstallation } from "./install_file.ts";
import type { Installed } from "./installation.ts";
import { whyNoLaunchers } from "./launcher_places.ts";
import { installLaunchers } from "./launchers.ts";

/** The paths of the launchers that were not right before. Throws before it writes anything. */
export function putLaunchers({ install, deno }: Installed): string[] {
  const reason = whyNoLaunchers(install, install.paths.state, install.allowAll);
  if (reason !== undefined) throw new Error(reason);
  if (deno.kind === "pin") pinDeno(deno.from, deno.path);
  writeInstallation(install);
  return installLaunchers(install);
}
