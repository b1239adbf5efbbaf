/** Gives a session another name, with everything that is kept of it. */

import { attempt, readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { startIfQueued } from "../lib/queue_runner.ts";
import { renameSession } from "../lib/sessions/rename_session.ts";

export const HELP = `Gives a session another name.

Usage: gsd-code rename <session> <new name> [options]

  gsd-code rename warden-main-2 docs

The tmux session is renamed, and its memory, open questions, waiting wakes, journal and launch record
go along. Claude Code does not notice. The session stays its agent's. Wakes that the agent has already
read still work: menu-driver finds the session by its old name.

It is refused while a question is open whose hook waits for the answer, and for a name in use.

Options:
  --dry-run   check everything, change nothing
  --json      the result as one JSON object
  --help      this text
`;

const COMMAND = { task: "rename", help: HELP, flags: ["dry-run", "json"], words: 2 } as const;

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const [from = "", to = ""] = given.words;
  if (from === "" || to === "") {
    return refuse("rename needs a session and its new name", COMMAND, world);
  }
  const { "dry-run": dryRun } = given.flags;
  return await attempt(`rename "${from}" to "${to}"`, given.flags, world, async () => {
    const result = await renameSession({ from, to, dryRun }, world);
    // A runner that works for the earlier name has left.
    if (!dryRun) startIfQueued(world.paths, world.env, to, world.now());
    return { result, say: [`${result.from} ${dryRun ? "would be called" : "is called"} ${to}`] };
  });
}

if (import.meta.main) Deno.exit(await main(Deno.args));
