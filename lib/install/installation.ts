/** Looks at this machine: the facts that install.json and the launchers are made of. */

import { chooseDeno, type DenoChoice } from "../doors/deno_binary.ts";
import { realPath, statIfThere } from "../doors/user_file.ts";
import { isFile, readTextIfThere } from "../files.ts";
import { type TimeLimits, timeLimits, type WantedHook, wantedHooks } from "./hook_command.ts";
import { installedRoot, readInstallation } from "./install_file.ts";
import { launcherPlaces, placesLike } from "./launcher_places.ts";
import { type Env, type Paths, placesFor } from "../paths.ts";
import { messageOf } from "../process.ts";
import { findProgram, isProgram } from "../doors/programs.ts";
import { readRegistry, type Registry } from "../registry.ts";
import { type Installation, whyUnsafe } from "./scope.ts";

export interface Installed {
  kind: "installation";
  install: Installation;
  /** As install.json has it now. */
  written?: Installation;
  deno: DenoChoice;
  limits: TimeLimits;
  wanted: WantedHook[];
  notes: string[];
}
export type Look = Installed | { kind: "refused"; reason: string };

export interface LookOptions {
  /** The Deno that looks around. */
  running: string;
  /**
   * "now": what a new registration would write. "registered": the same, but what install.json says
   * stays while it works; the environment may be a poorer one than that of the registration.
   */
  as: "now" | "registered";
  /** Without it, as registered. */
  allowAll?: boolean;
}

export function lookAround(env: Env, root: string, { running, as, allowAll }: LookOptions): Look {
  const paths = placesFor(env, root);
  const written = readInstallation(paths.data);
  const refusal = whyOtherClone(paths);
  if (refusal !== undefined) return { kind: "refused", reason: refusal };
  const kept = as === "registered" ? written : undefined;
  const tmux = tmuxFor(env, kept);
  if (tmux === undefined) {
    return { kind: "refused", reason: missingProgram(env, "GSD_TMUX", "tmux") };
  }
  const deno: DenoChoice = kept !== undefined && isProgram(kept.deno)
    ? { kind: "as it is", path: kept.deno }
    : chooseDeno(running, paths, linksTo(running, env));
  const home = env("HOME") ?? "/";
  const install: Installation = {
    paths,
    home,
    deno: deno.path,
    tmux,
    transcripts: transcriptFolders(paths, home, written),
    allowAll: allowAll ?? kept?.allowAll ?? false,
    ...(kept === undefined
      ? launcherPlaces(env, findProgram(env, "GSD_OPENCLAW", "openclaw"))
      : placesLike(kept, env)),
  };
  const unsafe = whyUnsafe(install, realPath);
  if (unsafe !== undefined) return { kind: "refused", reason: unsafe };
  const notes: string[] = [];
  const limits = timeLimits(registryFor(paths, notes));
  return {
    kind: "installation",
    install,
    ...(written === undefined ? {} : { written }),
    deno,
    limits,
    wanted: wantedHooks(paths, limits),
    notes,
  };
}

/** One data folder serves one clone. Why this clone cannot have it; undefined where it can. */
export function whyOtherClone({ data, root }: Paths): string | undefined {
  const owner = installedRoot(data);
  if (owner === undefined || realPath(owner) === realPath(root)) return undefined;
  if (!isFile(`${owner}/register.ts`)) return undefined; // that clone is gone
  return `The folder ${data} belongs to the clone ${owner}: run deno task register --remove there ` +
    "first, or set GSD_DATA_DIR to a folder for this clone";
}

function tmuxFor(env: Env, kept: Installation | undefined): string | undefined {
  if (kept !== undefined && !env("GSD_TMUX") && isProgram(kept.tmux)) return kept.tmux;
  return findProgram(env, "GSD_TMUX", "tmux");
}

export function missingProgram(env: Env, variable: string, name: string): string {
  const named = env(variable);
  return named
    ? `Cannot find ${name}: ${variable} is ${named}, and there is no such program`
    : `Cannot find ${name} on PATH: install it, or set ${variable} to its path`;
}

/** A session may have been spawned with another CLAUDE_CONFIG_DIR: its folder stays readable. */
function transcriptFolders(paths: Paths, home: string, written?: Installation): string[] {
  const named = [`${paths.claudeConfig}/projects`, `${home}/.claude/projects`];
  const earlier = written?.transcripts.filter((folder) => statIfThere(folder)?.isDirectory) ?? [];
  return [...new Set([...named, ...named.map(realPath), ...earlier])].sort();
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
