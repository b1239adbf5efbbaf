/** What a command sees of the machine it runs on; a test gives it another one. */

import { type Speaker, terminal } from "./speaker.ts";
import { startDeliverer } from "../deliverer.ts";
import { type Env, type Paths, placesFor, ROOT } from "../paths.ts";

export interface World extends Speaker {
  env: Env;
  /** The whole environment, for programs that outlive the command. */
  environment: () => Record<string, string>;
  cwd: () => string;
  /** The Deno that runs the command. */
  deno: string;
  now: () => Date;
  /** Starts what carries an agent's wakes, and does not wait for it. */
  startDeliverer: (agentId: string) => void;
  paths: Paths;
}

export function realWorld(): World {
  const env = (name: string) => Deno.env.get(name);
  const paths = placesFor(env, ROOT);
  return {
    env,
    environment: () => Deno.env.toObject(),
    // A task runs in the project's folder and tells where it was called from.
    cwd: () => (Deno.cwd() === paths.root ? env("INIT_CWD") : undefined) ?? Deno.cwd(),
    deno: Deno.execPath(),
    now: () => new Date(),
    ...terminal,
    startDeliverer: (agentId) => startDeliverer(paths, env, agentId),
    paths,
  };
}
