/** Prints the completion script of a shell, and answers that script's questions. */

import { complete, type Names } from "../lib/cli/complete.ts";
import { SCRIPTS } from "../lib/cli/completion_scripts.ts";
import { taskCommand } from "../lib/cli/task_command.ts";
import { realWorld, type World } from "../lib/cli/world.ts";
import { namesIn, readTextIfThere } from "../lib/files.ts";
import { currentName } from "../lib/known_sessions.ts";
import { originalName, type Paths } from "../lib/paths.ts";
import { readRegistry, type Registry, tmuxSessionName } from "../lib/registry.ts";

export const HELP =
  `Prints the script that completes gsd-code in a shell: commands, options, names of sessions and agents.

Usage: gsd-code completion bash|zsh

  source <(gsd-code completion bash)    in ~/.bashrc
  source <(gsd-code completion zsh)     in ~/.zshrc

  --help   this text
`;

export async function main(args: string[], world: World = realWorld()): Promise<number> {
  // The scripts' own call, on every press of Tab: no package is loaded for it.
  if (args[0] === "--words") {
    // bash takes --agent=x for three words.
    const words = args.slice(1).filter((word) => word !== "=");
    const candidates = await complete(words, namesOf(world.paths));
    const lines = candidates.map(({ word, about }) => `${word}\t${about}`);
    if (lines.length > 0) world.say(lines.join("\n"));
    return 0;
  }
  const file = new URL("../lib/cli/command_line.ts", import.meta.url).href;
  const cli: typeof import("../lib/cli/command_line.ts") = await import(file);
  const spec = { task: "completion", help: HELP, flags: [], words: 1 } as const;
  const given = cli.readCommandLine(args, spec, world);
  if (typeof given === "number") return given;
  const [shell = ""] = given.words;
  if (shell !== "bash" && shell !== "zsh") {
    return cli.refuse("completion needs the name of a shell: bash or zsh", spec, world);
  }
  world.say(SCRIPTS[shell](taskCommand(world, "completion")).trimEnd());
  return 0;
}

/** The registry's names; other sessions are known by their launch records. */
function namesOf(paths: Paths): Names {
  let registry: Registry | undefined;
  const agents = () => (registry ??= registryAt(paths.registry))?.agents ?? [];
  const launched = () =>
    namesIn(`${paths.data}/launches`)
      .filter((name) => name.endsWith(".json") && !name.endsWith(".settings.json"))
      .map((name) => originalName(name.slice(0, -".json".length)))
      .filter((name) => currentName(paths, name) === name);
  return {
    agents: () => unique(agents().map((agent) => agent.agent_id)),
    sessions: () =>
      unique([
        ...agents().map((agent) => tmuxSessionName(agent.tmux_session_name)),
        ...launched(),
      ]),
  };
}

function registryAt(path: string): Registry | undefined {
  try {
    const reading = readRegistry(readTextIfThere(path) ?? "");
    return reading.kind === "registry" ? reading.registry : undefined;
  } catch {
    return undefined;
  }
}

function unique(names: string[]): string[] {
  return [...new Set(names)].filter((name) => name !== "").sort();
}

if (import.meta.main) Deno.exit(await main(Deno.args));
