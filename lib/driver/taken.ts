/** A session that a person has taken: an agent may look, and nothing else. */

import { whyTaken } from "../doors/holds.ts";
import type { Caller } from "./caller.ts";
import type { DriverWorld } from "./driver_world.ts";

/** Why this call is refused; undefined where the session is free, or a person insists. */
export function whyTakenFrom(
  { paths, env }: Pick<DriverWorld, "paths" | "env">,
  session: string,
  { anyway }: { anyway: boolean },
  caller: Caller,
): string | undefined {
  const taken = whyTaken(paths, session);
  if (taken === undefined) return undefined;
  if (!anyway) return `${taken}; a person at a terminal adds --anyway`;
  return isFromOpenClaw(env("OPENCLAW_SHELL"), caller.chain)
    ? `${taken}; --anyway is for a person, and this call comes from OpenClaw`
    : undefined;
}

/** OpenClaw marks the shells of its agents, and is above the commands that they run. */
export function isFromOpenClaw(mark: string | undefined, chain: string): boolean {
  return !!mark || /openclaw/i.test(chain);
}
