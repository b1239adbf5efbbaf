/** The machine as a command sees it. Tests replace it. */

import { type Speaker, terminal } from "./speaker.ts";
import { startDeliverer } from "../deliverer.ts";
import { type Env, type Paths, placesFor, ROOT } from "../paths.ts";
import { safeEnvironment } from "../process.ts";

export interface World extends Speaker {
  env: Env;
  /** The whole environment, for programs that outlive the command. */
  environment: () => Record<string, string>;
  cwd: () => string;
  /** The Deno that runs the command. */
  deno: string;
  now: () => Date;
  /** Starts an agent's deliverer and does not wait for it. */
  startDeliverer: (agentId: string) => void;
  paths: Paths;
}

export function realWorld(): World {
  const environment = safeEnvironment();
  const env: Env = (name) => environment[name];
  const paths = placesFor(env, ROOT);
  return {
    env,
    environment: () => ({ ...environment }),
    // `deno task` runs in the project's folder; INIT_CWD is the folder of the call.
    cwd: () => (Deno.cwd() === paths.root ? env("INIT_CWD") : undefined) ?? Deno.cwd(),
    deno: Deno.execPath(),
    now: () => new Date(),
    ...terminal,
    startDeliverer: (agentId) => startDeliverer(paths, env, agentId),
    paths,
  };
}
