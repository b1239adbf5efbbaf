/** Updates the OpenClaw session keys and ids in the registry. */

import { readCommandLine } from "../lib/cli/command_line.ts";
import { onOneLine } from "../lib/cli/speaker.ts";
import { messageOf } from "../lib/process.ts";
import { syncRegistry, type SyncResult } from "../lib/sessions/sync_registry.ts";
import { realWorld, type World } from "../lib/cli/world.ts";

export const HELP = `Fills and refreshes the OpenClaw session keys and ids in the registry.

Usage: gsd-code sync [options]

  gsd-code sync               ask OpenClaw for its sessions, write what changed, say what it was
  gsd-code sync --dry-run     the same without writing

An agent that has a key keeps it and gets the id that belongs to it; one with only an id gets the
key. One with neither gets the session of its topic_id, else its main session. An agent that has no
session in OpenClaw, or another one than the registry says, is named; the exit code is 1 then.

Options:
  --dry-run   say what would change, and change nothing
  --json      the result as one JSON object
  --help      this text
`;

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  const spec = { task: "sync", help: HELP, flags: ["dry-run", "json"] } as const;
  const given = readCommandLine(args, spec, world);
  if (typeof given === "number") return given;
  const { "dry-run": dryRun, json } = given.flags;
  try {
    const result = await syncRegistry(world, dryRun);
    if (json) world.say(JSON.stringify(result, null, 2));
    else print(result, dryRun, world);
    return result.notes.length === 0 ? 0 : 1;
  } catch (error) {
    world.warn(onOneLine(`Cannot sync: ${messageOf(error)}`));
    return 1;
  }
}

function print(result: SyncResult, dryRun: boolean, world: World): void {
  for (const { field, agent_id, from, to } of result.changes) {
    const whose = agent_id === "" ? "the registry" : agent_id;
    const name = field.replace(/^agents\[\d+\]\./, "");
    const change = from === "" ? `is now ${to}` : `is now ${to}, was ${from}`;
    const line = dryRun
      ? `Would set ${name} of ${whose} to ${to}`
      : `${name} of ${whose} ${change}`;
    world.say(onOneLine(line));
  }
  if (result.changes.length === 0) {
    world.say(result.notes.length === 0 ? "Everything is up to date" : "Nothing was changed");
  }
  for (const note of result.notes) world.warn(onOneLine(note));
}

if (import.meta.main) Deno.exit(await main(Deno.args));
