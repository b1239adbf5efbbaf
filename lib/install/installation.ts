/** Looks at this machine: what the commands of hooks and launchers will be made of. */

import { chooseDeno, type DenoChoice } from "../doors/deno_binary.ts";
import { realPath } from "../doors/user_file.ts";
import { readTextIfThere } from "../files.ts";
import { type TimeLimits, timeLimits, type WantedHook, wantedHooks } from "./hook_command.ts";
import { type Env, type Paths, placesFor } from "../paths.ts";
import { messageOf } from "../process.ts";
import { findProgram, isProgram } from "../doors/programs.ts";
import { readRegistry, type Registry } from "../registry.ts";
import { type Installation, whyUnsafe } from "./scope.ts";

export interface Installed {
  kind: "installation";
  install: Installation;
  deno: DenoChoice;
  limits: TimeLimits;
  wanted: WantedHook[];
  notes: string[];
}
export type Look = Installed | { kind: "refused"; reason: string };

export interface LookOptions {
  allowAll: boolean;
  /** The Deno that looks around. */
  running: string;
  /** The Deno that hooks are registered with already; while it is there, it is as good as any. */
  deno?: string;
}

export function lookAround(env: Env, root: string, options: LookOptions): Look {
  const paths = placesFor(env, root);
  const tmux = findProgram(env, "GSD_TMUX", "tmux");
  if (tmux === undefined) {
    return { kind: "refused", reason: missingProgram(env, "GSD_TMUX", "tmux") };
  }
  const deno: DenoChoice = options.deno !== undefined && isProgram(options.deno)
    ? { kind: "as it is", path: options.deno }
    : chooseDeno(options.running, paths, linksTo(options.running, env));
  const home = env("HOME") ?? "/";
  const install: Installation = {
    paths,
    home,
    deno: deno.path,
    tmux,
    transcripts: transcriptFolders(paths, home),
    allowAll: options.allowAll,
  };
  const unsafe = whyUnsafe(install, realPath);
  if (unsafe !== undefined) return { kind: "refused", reason: unsafe };
  const notes: string[] = [];
  const limits = timeLimits(registryFor(paths, notes));
  return {
    kind: "installation",
    install,
    deno,
    limits,
    wanted: wantedHooks(install, limits),
    notes,
  };
}

export function missingProgram(env: Env, variable: string, name: string): string {
  const named = env(variable);
  return named
    ? `Cannot find ${name}: ${variable} is ${named}, and there is no such program`
    : `Cannot find ${name} on PATH: install it, or set ${variable} to its path`;
}

function transcriptFolders(paths: Paths, home: string): string[] {
  const named = [`${paths.claudeConfig}/projects`, `${home}/.claude/projects`];
  return [...new Set([...named, ...named.map(realPath)])];
}

/** The `deno`s on PATH that are this one. */
function linksTo(deno: string, env: Env): string[] {
  const here = realPath(deno);
  return (env("PATH") ?? "").split(":")
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => `${folder}/deno`)
    .filter((path) => realPath(path) === here);
}

function registryFor(paths: Paths, notes: string[]): Registry | undefined {
  const assumed = "the time limits of hooks are the defaults until you register again";
  try {
    const text = readTextIfThere(paths.registry);
    if (text === undefined) {
      notes.push(`There is no registry at ${paths.registry} yet: ${assumed}`);
      return undefined;
    }
    const reading = readRegistry(text);
    if (reading.kind === "registry") return reading.registry;
    notes.push(`Cannot use the registry ${paths.registry}: ${reading.reason}; ${assumed}`);
  } catch (error) {
    notes.push(`Cannot read the registry ${paths.registry}: ${messageOf(error)}; ${assumed}`);
  }
  return undefined;
}
