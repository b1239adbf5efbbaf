/** Records what a command has done to a session, and who has called it. */

import { allProcesses } from "../doors/process_tree.ts";
import { record } from "../journal.ts";
import type { Env, Paths } from "../paths.ts";
import { callChain, giverOf } from "./caller.ts";
import { hasTerminal } from "./driver_world.ts";

export async function recordCall(
  { paths, env }: { paths: Paths; env: Env },
  about: { session: string; agent_id: string; reason: string },
): Promise<void> {
  const caller = callChain(await allProcesses(), Deno.ppid, "gsd-code");
  const giver = giverOf({ kind: "outside", chain: caller }, {
    agentId: about.agent_id,
    isTerminal: hasTerminal(),
    login: env("USER") ?? env("LOGNAME"),
  });
  // A session without an agent: who has called is not known.
  const by = giver.by_kind === "unknown" ? {} : giver;
  record(paths, { kind: "session", ...about, ...by, caller });
}
