/** A session in which a limit of spending is reached: an agent may end work there, and begin none. */

import { readStop } from "../doors/spending_stops.ts";
import type { Caller } from "./caller.ts";
import type { DriverWorld } from "./driver_world.ts";
import type { Verb } from "./menu_order.ts";
import { isFromOpenClaw } from "./taken.ts";

/** Commands that free context, start a new conversation, end Claude Code, or only print. */
const FREE = /^\/(compact|clear|exit|quit|context|cost|usage|status)(?=\s|$)/;

/** Why this call is refused; undefined where it begins nothing, or a person insists. */
export function whySpentFrom(
  { paths, env }: Pick<DriverWorld, "paths" | "env">,
  session: string,
  verb: Pick<Verb, "kind"> & { text?: string },
  { anyway }: { anyway: boolean },
  caller: Caller,
): string | undefined {
  const isFree = verb.kind === "type" ? FREE.test(verb.text ?? "") : verb.kind !== "clear_then";
  const stop = isFree ? undefined : readStop(paths, session);
  if (stop === undefined || (verb.kind === "clear_then" && stop.clears)) return undefined;
  const why = `a limit is reached: ${stop.why}; gsd-code budget ${session} says what ends that`;
  if (!anyway) return `${why}; a person at a terminal adds --anyway`;
  return isFromOpenClaw(env("OPENCLAW_SHELL"), caller.chain)
    ? `${why}; --anyway is for a person, and this call comes from OpenClaw`
    : undefined;
}
