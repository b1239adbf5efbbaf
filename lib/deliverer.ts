/** Starts what carries the wakes, and never waits for it. */

import { DELIVERER_ENV_NAMES, type Env, type Paths, setVariables } from "./paths.ts";
import { readTextIfThere } from "./files.ts";
import { startDetached } from "./process.ts";
import { shellQuote } from "./shell.ts";

/**
 * By the launcher that registration made; without one (a hook run by hand) by Deno itself.
 * `claimedBy`: for a hook, whose deliverer leaves at once where another one serves the agent.
 */
export function startDeliverer(paths: Paths, env: Env, agentId: string, claimedBy?: string): void {
  const passed = { DENO_NO_UPDATE_CHECK: "1", ...setVariables(env, DELIVERER_ENV_NAMES) };
  const args = ["--agent", agentId, ...(claimedBy === undefined ? [] : ["--claimed", claimedBy])];
  const launcher = `${paths.data}/bin/deliver`;
  if (isFor(launcher, paths)) return startDetached(launcher, args, passed);
  const script = `${paths.root}/commands/deliver.ts`;
  startDetached(Deno.execPath(), ["run", "-A", "--quiet", script, ...args], passed);
}

/** A launcher knows one state folder, and looks nowhere else. */
function isFor(launcher: string, paths: Paths): boolean {
  return readTextIfThere(launcher)?.includes(shellQuote(paths.state)) === true;
}
