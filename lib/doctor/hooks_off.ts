/** What keeps all hooks from running, other than the settings of the user. */

import { modeWithoutHooks } from "../doors/command_words.ts";
import { readableText } from "../doors/user_file.ts";
import { isObject } from "../json.ts";
import { launchCommand } from "../sessions/agent_launch.ts";
import { type DoctorContext, type Finding, note } from "./finding.ts";

/** Of an administrator, above all others. */
const MANAGED = "/etc/claude-code/managed-settings.json";

const MANAGED_RULES: Record<string, string> = {
  disableAllHooks: "no hook and no mod runs; only the watch reports turns, late",
  allowManagedHooksOnly: "our hooks and our mod do not run; only the watch reports turns, late",
  allowManagedModsOnly: "our mod is not loaded; instructions go with keys",
};

export function managedNotes(file = MANAGED): Finding[] {
  const settings = objectIn(readableText(file));
  const plugins = isObject(settings.pluginConfigs) ? Object.values(settings.pluginConfigs) : [];
  // A rule about mods is an option of a plugin that Claude Code brings along.
  const options = plugins.map((plugin) => isObject(plugin) ? plugin.options : undefined);
  const rules = [settings, ...options].filter(isObject);
  return Object.entries(MANAGED_RULES).flatMap(([name, effect]) =>
    rules.some((rule) => rule[name] === true) ? [note(`${file} has "${name}": ${effect}`)] : []
  );
}

function objectIn(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return isObject(value) ? value : {};
  } catch {
    return {}; // Claude Code reads none that is broken
  }
}

/** Claude Code was started with an option that runs none. */
export function startedWithoutHooks({ world, agents }: DoctorContext): Finding[] {
  return agents.flatMap((agent) => {
    const mode = modeWithoutHooks(launchCommand(world, agent));
    const words = `The launch command of ${agent.agent_id} has ${mode}: no hook runs in its ` +
      "sessions; only the watch reports turns, late";
    return mode === undefined ? [] : [note(words)];
  });
}
