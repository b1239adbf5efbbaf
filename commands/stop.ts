/** Ends Claude Code in a session, after its turn; recover leaves it alone then. */

import { attempt, milliseconds, readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { taskCommand } from "../lib/cli/task_command.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { type StopResult, stopSession } from "../lib/sessions/stop_session.ts";

export const HELP = `Ends Claude Code in a session. Its conversation is kept.

Usage: gsd-code stop <session> [options]

  gsd-code stop docs           when its turn is over
  gsd-code stop docs --now     at once, also in the middle of a turn

Without --now it waits until Claude has nothing to do, no dialog is open and the input box is empty.
recover leaves a stopped session alone: gsd-code recover docs brings it back with its
conversation, gsd-code remove docs gives it up. A session that was killed before is only marked so.

Options:
  --now              do not wait for the end of the turn
  --wait <seconds>   how long to wait for it (600)
  --dry-run          say what would be done, and what is in the way now
  --json             the result as one JSON object
  --help             this text
`;

const COMMAND = {
  task: "stop",
  help: HELP,
  flags: ["now", "dry-run", "json"],
  values: { wait: "seconds" },
  words: 1,
} as const;

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const [session = ""] = given.words;
  if (session === "") return refuse("stop needs a session", COMMAND, world);
  const waitMs = milliseconds(given.values.wait?.at(-1) ?? "600");
  if (waitMs === undefined) return refuse("--wait needs seconds", COMMAND, world);
  const { now, "dry-run": dryRun } = given.flags;
  return await attempt(`stop "${session}"`, given.flags, world, async () => {
    const result = await stopSession({ session, now, waitMs, dryRun }, world);
    return { result, say: linesOf(result, world) };
  });
}

function linesOf({ session, state }: StopResult, world: World): string[] {
  const said = {
    planned: `Claude Code in ${session} would be ended`,
    stopped: `Claude Code in ${session} has ended; its conversation is kept`,
    "not running": `Claude Code did not run in ${session}; recover leaves it alone now`,
  };
  const again = `Start it again: ${taskCommand(world, "recover", session)}`;
  return [said[state], ...state === "planned" ? [] : [again]];
}

if (import.meta.main) Deno.exit(await main(Deno.args));
