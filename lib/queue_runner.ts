/** Starts the process that gives a session its next step, and does not wait for it. */

import { isForOtherState } from "./deliverer.ts";
import { isFile, readTextIfThere, removeIfThere, writeAtomic } from "./files.ts";
import { DELIVERER_ENV_NAMES, type Env, type Paths, setVariables } from "./paths.ts";
import { startDetached } from "./process.ts";
import { whatNext } from "./next_move.ts";
import { readQueue } from "./steps_file.ts";

/** By the launcher that registration made; without one by Deno itself. */
export function startRunner(paths: Paths, env: Env, session: string): void {
  const passed = { DENO_NO_UPDATE_CHECK: "1", ...setVariables(env, DELIVERER_ENV_NAMES) };
  const launcher = `${paths.data}/bin/queue-run`;
  if (isFile(launcher) && !isForOtherState(paths)) {
    return startDetached(launcher, [session], passed);
  }
  const script = `${paths.root}/commands/queue.ts`;
  const programs = setVariables(env, ["GSD_TMUX", "TMUX_TMPDIR", "GSD_TMUX_SOCKET"]);
  startDetached(Deno.execPath(), ["run", "-A", "--quiet", script, "run", session], {
    ...passed,
    ...programs,
  });
}

function claimFile({ state }: Paths, claim: string): string {
  return `${state}/locks/queue-of-${claim}`;
}

/** The registered command knows no session, so it passes its process number. */
export function leaveToRunner(paths: Paths, claim: string, session: string): boolean {
  // The registered command may be of a version that knows no queue.
  if (!/^\d+$/.test(claim) || !isFile(`${paths.data}/bin/queue-run`)) return false;
  writeAtomic(claimFile(paths, claim), session);
  return true;
}

/** The session that a hook has left to the runner with this number. */
export function takeClaim(paths: Paths, claim: string): string | undefined {
  if (!/^\d+$/.test(claim)) return undefined;
  const session = readTextIfThere(claimFile(paths, claim));
  removeIfThere(claimFile(paths, claim));
  return session;
}

/** Starts a runner if the queue has something to do. */
export function startIfQueued(paths: Paths, env: Env, session: string, now: Date): boolean {
  const queue = readQueue(paths, session);
  if (queue === undefined) return false;
  if (whatNext(queue, { now: now.getTime() }).kind === "rest") return false;
  startRunner(paths, env, session);
  return true;
}
