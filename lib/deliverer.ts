/** Starts what carries the wakes, and never waits for it. */

import { DELIVERER_ENV_NAMES, type Env, type Paths, setVariables } from "./paths.ts";
import { readTextIfThere } from "./files.ts";
import { startDetached } from "./process.ts";

/**
 * By the launcher that registration made; without one (a hook run by hand) by Deno itself.
 * `claimedBy`: for a hook, whose deliverer leaves at once where another one serves the agent.
 */
export function startDeliverer(paths: Paths, env: Env, agentId: string, claimedBy?: string): void {
  const passed = { DENO_NO_UPDATE_CHECK: "1", ...setVariables(env, DELIVERER_ENV_NAMES) };
  const args = ["--agent", agentId, ...(claimedBy === undefined ? [] : ["--claimed", claimedBy])];
  const launcher = `${paths.data}/bin/deliver`;
  if (isInstalledFor(paths)) return startDetached(launcher, args, passed);
  const script = `${paths.root}/commands/deliver.ts`;
  startDetached(Deno.execPath(), ["run", "-A", "--quiet", script, ...args], passed);
}

/** The launchers know one state folder. */
function isInstalledFor(paths: Paths): boolean {
  const text = readTextIfThere(`${paths.data}/install.json`);
  return text !== undefined && JSON.parse(text).state === paths.state;
}
