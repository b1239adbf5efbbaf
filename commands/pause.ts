/** Holds the wakes of an agent or of a session for a while. */

import { attempt, readCommandLine, refuse } from "../lib/cli/command_line.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { beginHold, durationIn, holdTarget } from "../lib/sessions/hold_session.ts";

export const HELP = `Holds the wakes of an agent or of a session. Nothing is dropped.

Usage: gsd-code pause <agent or session> [options]

  gsd-code pause warden              all sessions of the agent, until gsd-code resume warden
  gsd-code pause warden-main         this session
  gsd-code pause warden --for 2h     until then

Claude Code works on, and its wakes wait; so do the steps of a queue. At the end the agent gets one wake
for each session: what happened meanwhile, and the last state. A second pause changes the time. A name
that is an agent's id means the agent. (enabled: false in the registry is another thing: there no wake
is made at all.)

Options:
  --for <time>   such as 90s, 30m, 2h, 1d or 1h30m; without it until gsd-code resume
  --dry-run      check everything, change nothing
  --json         the result as one JSON object
  --help         this text
`;

const COMMAND = {
  task: "pause",
  help: HELP,
  flags: ["dry-run", "json"],
  values: { for: "a time, such as 2h" },
  words: 1,
} as const;

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const given = readCommandLine(args, COMMAND, world);
  if (typeof given === "number") return given;
  const [name = ""] = given.words;
  if (name === "") return refuse("pause needs an agent or a session", COMMAND, world);
  const time = given.values.for?.at(-1);
  const forMs = time === undefined ? undefined : durationIn(time);
  if (time !== undefined && forMs === undefined) {
    return refuse(`--for needs a time such as 90s, 30m, 2h or 1d, not "${time}"`, COMMAND, world);
  }
  const { "dry-run": dryRun } = given.flags;
  return await attempt(`pause "${name}"`, given.flags, world, async () => {
    const target = await holdTarget(world, name);
    const span = forMs === undefined ? {} : { forMs };
    const result = await beginHold(world, target, { isTaken: false, dryRun, ...span });
    const verb = dryRun ? "would be paused" : "is paused";
    const until = result.until ?? "gsd-code resume";
    const what = `The ${target.kind} ${target.name}`;
    return { result, say: [`${what} ${verb} until ${until}: its wakes are held`] };
  });
}

if (import.meta.main) Deno.exit(await main(Deno.args));
