/** The files of a launch, in the data folder, where no hook may write. */

import { namesIn, readJsonIfThere, writeAtomic } from "../files.ts";
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
    .flatMap((name) => launchIn(readJsonIfThere(`${dir}/${name}`)) ?? [])
    .sort((a, b) => a.started_at < b.started_at ? 1 : -1);
}

const ALWAYS = [
  ...["session", "agent_id", "working_directory", "command", "settings_file"],
  ...["prompt_file", "system_prompt", "claude_session_id", "started_at"],
];
const SOMETIMES = [
  ...["tmux_socket", "tmux_server", "moved_to", "first_command", "stopped_at", "adopted_at"],
  "memory_before",
];

function launchIn(value: unknown): Launch | undefined {
  if (!isObject(value) || !isObject(value.env)) return undefined;
  const { recovery } = value;
  const isWhole = ALWAYS.every((name) => typeof value[name] === "string") &&
    Object.values(value.env).every((entry) => typeof entry === "string") &&
    SOMETIMES.every((name) => ["undefined", "string"].includes(typeof value[name])) &&
    (recovery === undefined || isObject(recovery) && isObject(recovery.conversation));
  return isWhole ? value as unknown as Launch : undefined;
}
