/** Starts what carries the wakes, and never waits for it. */

import { DELIVERER_ENV_NAMES, type Env, type Paths, setVariables } from "./paths.ts";
import { startDetached } from "./process.ts";

/** For one agent or for all. The launcher that registration made; without one (a hook run by hand) Deno itself. */
export function startDeliverer(paths: Paths, env: Env, agentId?: string): void {
  const passed = { DENO_NO_UPDATE_CHECK: "1", ...setVariables(env, DELIVERER_ENV_NAMES) };
  const args = agentId === undefined ? [] : ["--agent", agentId];
  try {
    startDetached(`${paths.data}/bin/deliver`, args, passed);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const script = `${paths.root}/commands/deliver.ts`;
    startDetached(Deno.execPath(), ["run", "-A", "--quiet", script, ...args], passed);
  }
}
