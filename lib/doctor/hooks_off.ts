/** What keeps all hooks from running, other than the settings of the user. */

import { modeWithoutHooks } from "../doors/command_words.ts";
import { readableText } from "../doors/user_file.ts";
import { propertyOf, readJson } from "../jsonc/tree.ts";
import { launchCommand } from "../sessions/agent_launch.ts";
import { type DoctorContext, type Finding, note } from "./finding.ts";

/** Of an administrator, above all others. */
const MANAGED = "/etc/claude-code/managed-settings.json";

const MANAGED_RULES: Record<string, string> = {
  disableAllHooks: "no hook and no mod runs; only the watch tells of turns, late",
  allowManagedHooksOnly: "our hooks and our mod do not run; only the watch tells of turns, late",
  allowManagedModsOnly: "our mod is not loaded; instructions go with keys",
};

export function managedNotes(file = MANAGED): Finding[] {
  const text = readableText(file);
  const tree = text === undefined ? undefined : readJson(text);
  return Object.entries(MANAGED_RULES).flatMap(([name, effect]) =>
    tree?.kind === "json" && propertyOf(tree.root, name)?.value === true
      ? [note(`${file} has "${name}": ${effect}`)]
      : []
  );
}

/** Claude Code was told to run none. */
export function withoutHooks({ world, agents }: DoctorContext): Finding[] {
  return agents.flatMap((agent) => {
    const mode = modeWithoutHooks(launchCommand(world, agent));
    const words = `The launch command of ${agent.agent_id} has ${mode}: no hook runs in its ` +
      "sessions; only the watch tells of turns, late";
    return mode === undefined ? [] : [note(words)];
  });
}
