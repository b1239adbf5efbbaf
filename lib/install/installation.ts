/** Plans an installation: the facts of this machine that install.json and the launchers are made of. */

import { addressOf, urlIn } from "../delivery/gateway_address.ts";
import { openclawPlaces, readGatewayTarget } from "../delivery/openclaw_config.ts";
import { chooseDeno, type DenoChoice } from "../doors/deno_binary.ts";
import { findProgram, isProgram, onPath } from "../doors/programs.ts";
import { realPath, statIfThere } from "../doors/user_file.ts";
import { isFile, readTextIfThere } from "../files.ts";
import { type Env, type Paths, pathsFrom, placesFor } from "../paths.ts";
import { foldersOf, messageOf } from "../process.ts";
import { readRegistry, type Registry } from "../registry.ts";
import { timeLimits, type WantedHook, wantedHooks } from "./hook_command.ts";
import { installedRoot, readInstallation } from "./install_file.ts";
import { lastingPath, whyOddPlace } from "./safe_places.ts";
import { type Installation, type LauncherPlaces, whyUnsafe } from "./scope.ts";

export interface InstallPlan {
  kind: "plan";
  install: Installation;
  /** As install.json has it now. */
  written?: Installation;
  deno: DenoChoice;
  wanted: WantedHook[];
  notes: string[];
}

export type PlanResult = InstallPlan | { kind: "refused"; reason: string };

export interface PlanOptions {
  /** The Deno that runs this. */
  running: string;
  /**
   * "now": what a new registration would write. "registered": the same, but values of install.json
   * are kept while they work. Doctor, spawn or a timer may run in another environment.
   */
  as: "now" | "registered";
  /** Default: as registered. */
  allowAll?: boolean;
}

export function planInstall(env: Env, root: string, options: PlanOptions): PlanResult {
  const { running, as, allowAll } = options;
  const odd = whyOddPlace(env, root);
  if (odd !== undefined) return { kind: "refused", reason: odd };
  const paths = placesFor(env, root);
  const written = readInstallation(paths.data);
  const otherClone = whyOtherClone(paths);
  if (otherClone !== undefined) return { kind: "refused", reason: otherClone };
  const kept = as === "registered" ? written : undefined;
  const tmux = registeredProgram(env, "GSD_TMUX", kept?.tmux) ??
    findProgram(env, "GSD_TMUX", "tmux");
  if (tmux === undefined) {
    return { kind: "refused", reason: missingProgram(env, "GSD_TMUX", "tmux") };
  }
  const deno: DenoChoice = kept !== undefined && isProgram(kept.deno)
    ? { kind: "as it is", path: kept.deno }
    : chooseDeno(running, paths, linksTo(running, env));
  const home = env("HOME") ?? "/";
  const then = kept === undefined ? env : registeredEnv(kept, env);
  const openclaw = registeredProgram(env, "GSD_OPENCLAW", kept?.openclaw) ??
    findProgram(env, "GSD_OPENCLAW", "openclaw") ?? findProgram(then, "GSD_OPENCLAW", "openclaw");
  const install: Installation = {
    paths,
    home,
    deno: deno.path,
    tmux,
    transcripts: transcriptFolders(paths, home, written),
    allowAll: allowAll ?? kept?.allowAll ?? false,
    ...launcherPlaces(then, openclaw),
    // Only register accepts another address.
    ...(kept?.gateway === undefined ? {} : { gateway: kept.gateway }),
  };
  const unsafe = whyUnsafe(install);
  if (unsafe !== undefined) return { kind: "refused", reason: unsafe };
  const notes: string[] = [];
  const wanted = wantedHooks(paths, timeLimits(registryFor(paths, notes)));
  return { kind: "plan", install, written, deno, wanted, notes };
}

/** One data folder serves one clone. Why this clone cannot have it; undefined where it can. */
export function whyOtherClone({ data, root }: Paths): string | undefined {
  const owner = installedRoot(data);
  if (owner === undefined || realPath(owner) === realPath(root)) return undefined;
  if (!isFile(`${owner}/register.ts`)) return undefined; // that clone is gone
  return `The folder ${data} belongs to the clone ${owner}: run deno task register --remove there ` +
    "first, or set GSD_DATA_DIR to a folder for this clone";
}

/** The program that is registered, while it is there and the variable names no other. */
function registeredProgram(env: Env, variable: string, path?: string): string | undefined {
  return path !== undefined && !env(variable) && isProgram(path) ? path : undefined;
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
  return foldersOf(env("PATH") ?? "")
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

/** These decide which code a launcher runs, and who gets the gateway's token. */
export const MOVING_VARIABLES = [
  "DENO_DIR",
  "XDG_CACHE_HOME",
  "OPENCLAW_HOME",
  "OPENCLAW_STATE_DIR",
  "OPENCLAW_CONFIG_PATH",
  "OPENCLAW_PROFILE",
  "OPENCLAW_GATEWAY_URL",
  "OPENCLAW_GATEWAY_PORT",
];

/** The facts that the environment decides. */
export function launcherPlaces(env: Env, openclaw: string | undefined): LauncherPlaces {
  const { config, dotenv } = openclawPlaces(env);
  const reading = readGatewayTarget(env);
  const target = reading.kind === "target" ? reading.target : undefined;
  const url = urlIn(reading);
  const host = url === undefined ? [] : [new URL(url).hostname];
  const path = lastingPath(env, pathsFrom(env, "").state);
  const setsid = onPath((name) => name === "PATH" ? path : undefined, "setsid");
  return {
    ...(openclaw === undefined ? {} : { openclaw }),
    ...(setsid === undefined ? {} : { setsid }),
    path,
    gatewayFiles: [config, dotenv, ...(target?.certificateFile ? [target.certificateFile] : [])],
    gatewayHosts: [...new Set(["127.0.0.1", "localhost", "[::1]", ...host])],
    ...(url === undefined ? {} : { gateway: addressOf(url) }),
    variables: Object.fromEntries(
      MOVING_VARIABLES.flatMap((name) => env(name) ? [[name, env(name)!]] : []),
    ),
  };
}

/** Today's environment with the registered PATH and variables, as far as they still work. */
function registeredEnv({ path, variables }: Installation, env: Env): Env {
  const then: Env = (name) => {
    if (name === "PATH") return path;
    return MOVING_VARIABLES.includes(name) ? variables[name] : env(name);
  };
  const isPathSafe = lastingPath(then, pathsFrom(then, "").state) === path;
  const hasConfigMoved = !isFile(openclawPlaces(then).config) && isFile(openclawPlaces(env).config);
  return (name) => {
    const isOutdated = name === "PATH" && !isPathSafe ||
      name.startsWith("OPENCLAW_") && hasConfigMoved;
    return isOutdated ? env(name) : then(name);
  };
}
