/** Gives a tmux session in which Claude Code was started by hand to an agent. */

import { readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { onOneLine } from "../lib/cli/speaker.ts";
import { taskCommand } from "../lib/cli/task_command.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { messageOf } from "../lib/process.ts";
import { type AdoptResult, adoptSession } from "../lib/sessions/adopt_session.ts";

export const HELP = `Gives a session that was started by hand to an agent.

Usage: gsd-code adopt <session> <agent> [options]

  gsd-code adopt docs warden             the tmux session "docs" is warden's from now on
  gsd-code adopt docs warden --dry-run   only check

Claude Code must run in it, and the registry must have the agent. The session keeps its name. Its
turns, questions and failures wake the agent from the next event on, if our hooks are in Claude
Code's settings; adopt says so where they are not. recover brings it back after a crash.

What only comes with a start (the system prompt of the agent, the mod) it gets at the next one:
gsd-code stop docs, then gsd-code recover docs, goes on with the same conversation.

Options:
  --dry-run   check everything, write nothing
  --json      the result as one JSON object
  --help      this text
`;

const COMMAND = { task: "adopt", help: HELP, flags: ["dry-run", "json"], words: 2 } as const;

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const [session = "", agentId = ""] = given.words;
  if (session === "" || agentId === "") {
    return refuse("adopt needs a tmux session and an agent", COMMAND, world);
  }
  const { json, "dry-run": dryRun } = given.flags;
  try {
    const result = await adoptSession({ session, agentId, dryRun }, world);
    if (json) world.say(JSON.stringify(result, null, 2));
    else print(result, world);
    return warnOf(result, world) ? 1 : 0;
  } catch (error) {
    world.warn(onOneLine(`Cannot adopt "${session}" for ${agentId}: ${messageOf(error)}`));
    return 1;
  }
}

function print({ session, agent_id, state, working_directory }: AdoptResult, world: World): void {
  const said = {
    planned: `${session} in ${working_directory} would be given to ${agent_id}`,
    adopted: `${session} in ${working_directory} is ${agent_id}'s now`,
    already: `${session} is ${agent_id}'s already`,
  };
  world.say(said[state]);
  if (state === "already") return;
  const [stop, start] = [["stop", session], ["recover", session]]
    .map((words) => taskCommand(world, ...words));
  world.say(`The agent's prompt and the mod come with the next start: ${stop} && ${start}`);
}

/** True where the agent hears nothing of the session yet. */
function warnOf({ hooks, agent_id, problem }: AdoptResult, world: World): boolean {
  if (hooks === "missing") {
    const register = taskCommand(world, "register");
    world.warn(`Claude Code in it has none of our hooks: ${register} adds them at once`);
  }
  if (problem !== "") world.warn(`${agent_id} cannot be woken: ${problem}`);
  return hooks === "missing" || problem !== "";
}

if (import.meta.main) Deno.exit(await main(Deno.args));
