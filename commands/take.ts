/** A person takes a session: until it is given back, its agent can do nothing in it. */

import { attempt, readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { shellQuote } from "../lib/text.ts";
import { beginHold, sessionTarget } from "../lib/sessions/hold_session.ts";

export const HELP = `Takes a session for a person.

Usage: gsd-code take <session> [options]

  gsd-code take warden-main && tmux attach -t '=warden-main'
  gsd-code give warden-main "I fixed the database by hand"

Until gsd-code give, the agent's instructions and answers are refused with that reason, and its wakes
are held. It can look at the screen. What you type yourself in Claude Code works as always; for your
own calls of send and menu-driver need their option "anyway" (see their help).

Options:
  --dry-run   check everything, change nothing
  --json      the result as one JSON object
  --help      this text
`;

const COMMAND = { task: "take", help: HELP, flags: ["dry-run", "json"], words: 1 } as const;

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const [name = ""] = given.words;
  if (name === "") return refuse("take needs a session", COMMAND, world);
  const { "dry-run": dryRun } = given.flags;
  return await attempt(`take "${name}"`, given.flags, world, async () => {
    const target = await sessionTarget(world, name);
    const result = await beginHold(world, target, { isTaken: true, dryRun });
    const { agent_id } = target;
    const say = dryRun ? [`${target.name} would be taken from ${agent_id}`] : [
      `${target.name} is yours: ${agent_id} does nothing in it, and is not woken`,
      `Give it back: gsd-code give ${shellQuote(target.name)} "what you did"`,
    ];
    return { result, say };
  });
}

if (import.meta.main) Deno.exit(await main(Deno.args));
