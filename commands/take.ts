/** A person takes a session: its agent does nothing in it, and is told nothing, until it is given. */

import { readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { onOneLine } from "../lib/cli/speaker.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { messageOf } from "../lib/process.ts";
import { shellQuote } from "../lib/text.ts";
import { beginHold, sessionTarget } from "../lib/sessions/hold_session.ts";

export const HELP = `Takes a session for a person.

Usage: gsd-code take <session> [options]

  gsd-code take warden-main && tmux attach -t =warden-main
  gsd-code give warden-main "I fixed the database by hand"

Until gsd-code give, the agent's instructions and answers are refused with that reason, and its wakes
are held. It can look at the screen. What you type yourself in Claude Code works as always; for your
own calls of send and menu-driver there is their option for a person, named in the refusal.

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
  const { json, "dry-run": dryRun } = given.flags;
  try {
    const target = await sessionTarget(world, name);
    const result = beginHold(world, target, { isTaken: true, dryRun });
    if (json) world.say(JSON.stringify(result, null, 2));
    else if (dryRun) world.say(`${target.name} would be taken from ${target.agent_id}`);
    else {
      world.say(`${target.name} is yours: ${target.agent_id} does nothing in it, and is not woken`);
      world.say(`Give it back: gsd-code give ${shellQuote(target.name)} "what you did"`);
    }
    return 0;
  } catch (error) {
    world.warn(onOneLine(`Cannot take "${name}": ${messageOf(error)}`));
    return 1;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
