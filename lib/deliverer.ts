/** Starts the deliverer, and does not wait for it. */

import { DELIVERER_ENV_NAMES, type Env, type Paths, setVariables } from "./paths.ts";
import { isFile, readTextIfThere } from "./files.ts";
import { startDetached } from "./process.ts";

/**
 * By the launcher that registration made; without one (a hook run by hand) by Deno itself.
 * `claimedBy`: for a hook, whose deliverer leaves at once where another one serves the agent.
 */
export function startDeliverer(paths: Paths, env: Env, agentId: string, claimedBy?: string): void {
  const passed = { DENO_NO_UPDATE_CHECK: "1", ...setVariables(env, DELIVERER_ENV_NAMES) };
  const args = [`--agent=${agentId}`, ...(claimedBy === undefined ? [] : ["--claimed", claimedBy])];
  const launcher = `${paths.data}/bin/deliver`;
  if (isFile(launcher) && !isForOtherState(paths)) return startDetached(launcher, args, passed);
  const script = `${paths.root}/commands/deliver.ts`;
  startDetached(Deno.execPath(), ["run", "-A", "--quiet", script, ...args], passed);
}

/**
 * The launchers know one state folder. Where install.json cannot be used (missing, damaged, or a
 * hook that may not read it), the launcher is used: a registered hook may start nothing else.
 */
export function isForOtherState({ data, state }: Paths): boolean {
  try {
    const known = JSON.parse(readTextIfThere(`${data}/install.json`) ?? "{}")?.state;
    return typeof known === "string" && known !== state;
  } catch {
    return false;
  }
}
