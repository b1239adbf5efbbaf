/** Gives a tmux session in which Claude Code was started by hand to an agent. */

import { attempt, readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { taskCommand } from "../lib/cli/task_command.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
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
  const { "dry-run": dryRun } = given.flags;
  return await attempt(`adopt "${session}" for ${agentId}`, given.flags, world, async () => {
    const result = await adoptSession({ session, agentId, dryRun }, world);
    return { result, say: linesOf(result, world), warn: warningsOf(result, world) };
  });
}

function linesOf(
  { session, agent_id, state, working_directory }: AdoptResult,
  world: World,
): string[] {
  const said = {
    planned: `${session} in ${working_directory} would be given to ${agent_id}`,
    adopted: `${session} in ${working_directory} is ${agent_id}'s now`,
    already: `${session} is ${agent_id}'s already`,
  };
  if (state === "already") return [said[state]];
  const [stop, start] = [["stop", session], ["recover", session]]
    .map((words) => taskCommand(world, ...words));
  const next = `The agent's prompt and the mod come with the next start: ${stop} && ${start}`;
  return [said[state], next];
}

/** Why the agent gets no wakes of the session yet. */
function warningsOf({ hooks, agent_id, problem }: AdoptResult, world: World): string[] {
  const register = taskCommand(world, "register");
  const missing = `Claude Code in it has none of our hooks: ${register} adds them at once`;
  return [
    ...hooks === "missing" ? [missing] : [],
    ...problem === "" ? [] : [`${agent_id} cannot be woken: ${problem}`],
  ];
}

if (import.meta.main) Deno.exit(await main(Deno.args));
