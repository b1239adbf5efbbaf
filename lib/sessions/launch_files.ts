/** The files of a launch, in the data folder, where no hook may write. */

import { namesIn, readTextIfThere, writeAtomic } from "../files.ts";
import { isObject } from "../json.ts";
import { type Conversation, type Launch, launchScript } from "./launch.ts";
import { type Paths, safeName } from "../paths.ts";

interface LaunchFiles {
  record: string;
  script: string;
  prompt: string;
  settings: string;
}

export function launchFiles(paths: Paths, session: string): LaunchFiles {
  const base = `${paths.data}/launches/${safeName(session)}`;
  return {
    record: `${base}.json`,
    script: `${base}.sh`,
    prompt: `${base}.prompt.txt`,
    settings: `${base}.settings.json`,
  };
}

export function writeLaunch(paths: Paths, launch: Launch): void {
  writeAtomic(launchFiles(paths, launch.session).record, JSON.stringify(launch, null, 2) + "\n");
}

export function writeScript(paths: Paths, launch: Launch, conversation: Conversation): string {
  const { script } = launchFiles(paths, launch.session);
  writeAtomic(script, launchScript(launch, conversation), { mode: 0o700 });
  return script;
}

/** An agent's launches under any name, the latest first; without those that have moved. */
export function launchesOf(paths: Paths, agentId: string): Launch[] {
  return allLaunches(paths)
    .filter((launch) => launch.agent_id === agentId && launch.moved_to === undefined);
}

/** All launches, the latest first. */
export function allLaunches(paths: Paths): Launch[] {
  const dir = `${paths.data}/launches`;
  return namesIn(dir).filter((name) => name.endsWith(".json") && !name.endsWith(".settings.json"))
    .flatMap((name) => parseLaunch(readTextIfThere(`${dir}/${name}`)) ?? [])
    .sort((a, b) => a.started_at < b.started_at ? 1 : -1);
}

function parseLaunch(text: string | undefined): Launch | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    if (!isObject(value) || !isObject(value.env)) return undefined;
    const texts = ["session", "agent_id", "working_directory", "command", "settings_file"];
    const more = ["prompt_file", "system_prompt", "claude_session_id", "started_at"];
    const whole = [...texts, ...more].every((name) => typeof value[name] === "string") &&
      Object.values(value.env).every((entry) => typeof entry === "string");
    const later = [
      "tmux_socket",
      "tmux_server",
      "moved_to",
      "first_command",
      "stopped_at",
      "adopted_at",
    ]
      .every((name) => value[name] === undefined || typeof value[name] === "string");
    const { recovery } = value;
    const isKnown = recovery === undefined || isObject(recovery) && isObject(recovery.conversation);
    return whole && later && isKnown ? value as unknown as Launch : undefined;
  } catch {
    return undefined;
  }
}
