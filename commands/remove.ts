/** Removes a session in which Claude Code has ended, with all that is kept of it but its log. */

import { attempt, readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { removeSession } from "../lib/sessions/remove_session.ts";

export const HELP = `Removes a session. Nothing stays of it but its log.

Usage: gsd-code remove <session> [options]

  gsd-code stop docs && gsd-code remove docs

Claude Code must have ended in it. The tmux session is closed if only shells are left in it. Its
launch record, memory and open questions are removed. Its journal stays, and so do Claude Code's own
conversation and the agent's entry in the registry. While that names a session and has auto_wake,
recover starts a new one for an agent that has none.

Options:
  --drop-wakes   also where wakes of it wait or are dead letters: they are dropped
  --dry-run      say what would be done, remove nothing
  --json         the result as one JSON object
  --help         this text
`;

const COMMAND = {
  task: "remove",
  help: HELP,
  flags: ["drop-wakes", "dry-run", "json"],
  words: 1,
} as const;

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const [session = ""] = given.words;
  if (session === "") return refuse("remove needs a session", COMMAND, world);
  const { "dry-run": dryRun, "drop-wakes": dropWakes } = given.flags;
  return await attempt(`remove "${session}"`, given.flags, world, async () => {
    const result = await removeSession({ session, dropWakes, dryRun }, world);
    const { length } = result.dropped;
    const also = length === 0 ? "" : `, and ${length} wake${length === 1 ? "" : "s"} with it`;
    const verb = dryRun ? "would be removed" : "is removed";
    return { result, say: [`${result.session} ${verb}${also}`] };
  });
}

if (import.meta.main) Deno.exit(await main(Deno.args));
