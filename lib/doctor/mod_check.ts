/** Can the Claude Code of this machine load the mod? */

import { MOD_CALLS, MOD_EVENTS } from "../install/mod_api.ts";
import { launchCommand } from "../sessions/agent_launch.ts";
import { type ModSupport, modSupport } from "../sessions/mod_support.ts";
import { type DoctorContext, type Finding, note, ok } from "./finding.ts";

/** Nothing here is broken: without the mod, instructions go with keys. */
export async function checkMod({ world, agents }: DoctorContext): Promise<Finding[]> {
  const commands = new Set(agents.map((agent) => launchCommand(world, agent)));
  if (commands.size === 0) commands.add(launchCommand(world, { claude_launch_command: "" }));
  const findings = await Promise.all(
    [...commands].map(async (command) =>
      findingOf(command, await modSupport(world, command, { dryRun: true }))
    ),
  );
  return [...new Map(findings.map((finding) => [finding.text, finding])).values()];
}

export function findingOf(command: string, support: ModSupport): Finding {
  const uses = MOD_EVENTS.length + MOD_CALLS.length;
  if (support.kind === "yes") {
    return ok(
      `Claude Code ${support.version} can load the mod: it has all ${uses} events and calls that the mod uses`,
    );
  }
  const which = support.version === undefined ? command : `Claude Code ${support.version}`;
  return note(`${which} runs without the mod: ${support.reason}; instructions go with keys`);
}
