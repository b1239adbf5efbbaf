/** Starts sessions again after a crash or a reboot. */

import { isRefusedAsRoot } from "../lib/doors/as_root.ts";
import { milliseconds, readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { type HeldLock, holdLock, noteOn } from "../lib/doors/held_lock.ts";
import { onOneLine } from "../lib/cli/speaker.ts";
import { messageOf } from "../lib/process.ts";
import { recoverAll, type RecoveryOptions } from "../lib/recovery/recovery.ts";
import type { AgentResult } from "../lib/recovery/recovery_result.ts";
import { realWorld, type World } from "../lib/cli/world.ts";

export const HELP = `Starts the sessions again that should be running and are not.

Usage: gsd-code recover [<session>…] [options]

  gsd-code recover                   every agent that is enabled and has auto_wake
  gsd-code recover --agent warden    this one alone
  gsd-code recover docs              this session alone, however it ended
  gsd-code recover --dry-run         say what would be done

A session in which Claude Code runs is not touched. Others are started as before, in their own
conversation, and their agent is woken once. Waiting wakes are delivered. No session is killed and
no file is deleted. A second run has nothing to do.

If an agent has several sessions, those that were cut off come back: killed, or lost with their tmux
server or the machine. A session that was left with /exit or closed stays closed while another one
runs; --agent brings back one that was left, as long as its tmux session exists. An agent without
any session gets its latest one back. What gsd-code stop has ended stays so until it is named.
Skipped sessions are listed with the reason and the way back; one that was left and is gone is listed
for a day.

Options:
  --agent <id>          this agent only; may be given several times
  --unattended          as after a boot: what a person has left stays away, also with --agent
  --skip-sync           do not ask OpenClaw for its sessions first
  --timeout <seconds>   how long to wait for each Claude Code (60)
  --dry-run             change nothing
  --json                the result as one JSON object
  --help                this text
`;

const COMMAND = {
  task: "recover",
  help: HELP,
  flags: ["unattended", "skip-sync", "dry-run", "json"],
  values: { agent: "an agent's id", timeout: "seconds" },
  words: Infinity,
} as const;

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const timeoutMs = milliseconds(given.values.timeout?.at(-1) ?? "60");
  if (timeoutMs === undefined) return refuse("--timeout needs seconds", COMMAND, world);
  const options: RecoveryOptions = {
    only: given.values.agent ?? [],
    unattended: given.flags.unattended,
    sessions: given.words,
    sync: !given.flags["skip-sync"],
    timeoutMs,
    dryRun: given.flags["dry-run"],
  };
  if (isRefusedAsRoot("recover", world)) return 1;
  try {
    const lock = options.dryRun
      ? undefined
      : lockOrRefuse(world, [...options.only, ...options.sessions]);
    try {
      const results = await recoverAll(options, world);
      if (given.flags.json) world.say(JSON.stringify({ agents: results }, null, 2));
      print(results, given.flags.json, world);
      return results.some((result) => result.outcome === "failed") ? 1 : 0;
    } finally {
      lock?.release();
    }
  } catch (error) {
    world.warn(onOneLine(`Cannot recover: ${messageOf(error)}`));
    return 1;
  }
}

function lockOrRefuse(world: World, only: string[]): HeldLock {
  const path = `${world.paths.state}/locks/recover`;
  const lock = holdLock(path, only.join(", ") || "all agents");
  if (lock !== undefined) return lock;
  throw new Error(
    `another recovery is running, for ${noteOn(path) || "others"}; try again when it has ended`,
  );
}

/** Failures are always printed; the rest only without --json. */
function print(results: AgentResult[], isJson: boolean, world: World): void {
  for (const { agent_id, session, outcome, detail, conversation } of results) {
    const how = conversation === "" ? "" : ` (${conversation})`;
    const why = detail === "" ? "" : `: ${detail}`;
    const where = session === "" ? "" : ` in ${session}`;
    const line = onOneLine(`${agent_id}${where}: ${outcome}${how}${why}`);
    if (outcome === "failed") world.warn(line);
    else if (!isJson) world.say(line);
  }
  if (results.length === 0 && !isJson) world.say("The registry has no agents");
}

if (import.meta.main) Deno.exit(await main(Deno.args));
