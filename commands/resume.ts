/** Ends a pause: the agent gets one wake about what happened. */

import { attempt, readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { endHold, holdTarget, stillHeld } from "../lib/sessions/hold_session.ts";

export const HELP = `Ends a pause.

Usage: gsd-code resume <agent or session> [options]

  gsd-code resume warden

The agent gets one wake for each session of which wakes were held, of the type resumed: what happened
meanwhile, and the last state. Where nothing was held, no wake is sent. (gsd-code recover brings
back a Claude Code that has ended. gsd-code queue <session> resume goes on with a queue that was paused.)

Options:
  --dry-run   check everything, change nothing
  --json      the result as one JSON object
  --help      this text
`;

const COMMAND = { task: "resume", help: HELP, flags: ["dry-run", "json"], words: 1 } as const;

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const [name = ""] = given.words;
  if (name === "") return refuse("resume needs an agent or a session", COMMAND, world);
  const { "dry-run": dryRun } = given.flags;
  return await attempt(`resume "${name}"`, given.flags, world, async () => {
    const target = await holdTarget(world, name);
    const result = await endHold(world, target, { isTaken: false, dryRun });
    const still = stillHeld(world, target);
    const done = still !== ""
      ? `${dryRun ? "would be" : "is"} resumed, but wakes are still held: ${still}`
      : dryRun
      ? "would be resumed"
      : `is resumed: what was held since ${result.since} is sent now`;
    return { result, say: [`The ${target.kind} ${target.name} ${done}`] };
  });
}

if (import.meta.main) Deno.exit(await main(Deno.args));
