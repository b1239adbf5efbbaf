/** Returns a session that a person has taken to its agent, with a wake about what happened. */

import { attempt, readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { callChain } from "../lib/driver/caller.ts";
import { isFromOpenClaw } from "../lib/driver/taken.ts";
import { allProcesses } from "../lib/doors/process_tree.ts";
import { endHold, sessionTarget, stillHeld } from "../lib/sessions/hold_session.ts";

export const HELP = `Gives a session back to its agent.

Usage: gsd-code give <session> [<what you did>] [options]

  gsd-code give warden-main "I fixed the database by hand. Go on with the tests."

The agent gets one wake of the type given_back: what happened meanwhile, the last state, and your
words. From then on it may work in the session again. An agent cannot give a session to itself.

Options:
  --dry-run   check everything, change nothing
  --json      the result as one JSON object
  --help      this text
`;

const COMMAND = { task: "give", help: HELP, flags: ["dry-run", "json"], words: Infinity } as const;

export async function main(
  args: string[],
  world: World = realWorld(),
  chain: () => Promise<string> = async () => callChain(await allProcesses(), Deno.ppid),
): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const [name = "", ...words] = given.words;
  if (name === "") return refuse("give needs a session", COMMAND, world);
  const { "dry-run": dryRun } = given.flags;
  return await attempt(`give "${name}" back`, given.flags, world, async () => {
    if (isFromOpenClaw(world.env("OPENCLAW_SHELL"), await chain())) {
      throw new Error("a person has it, and only a person gives it back");
    }
    const target = await sessionTarget(world, name);
    const said = words.join(" ").trim();
    const result = await endHold(world, target, { isTaken: true, said, dryRun });
    const verb = dryRun ? "would be given" : "is given";
    const to = `${target.agent_id}, with a wake that says what happened`;
    const still = stillHeld(world, target, true);
    const held = still === "" ? "" : `; wakes are still held: ${still}`;
    return { result, say: [`${target.name} ${verb} back to ${to}${held}`] };
  });
}

if (import.meta.main) Deno.exit(await main(Deno.args));
