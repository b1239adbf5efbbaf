/** The facts of an installation that the environment tells. */

import { openclawPlaces, readGatewayTarget } from "../delivery/openclaw_config.ts";
import { isSwept } from "../doors/deno_binary.ts";
import { findProgram, isProgram, onPath } from "../doors/programs.ts";
import { realPath } from "../doors/user_file.ts";
import { isFile } from "../files.ts";
import { type Env, pathsFrom } from "../paths.ts";
import { run } from "../process.ts";
import { type Installation, isWithin, type LauncherPlaces } from "./scope.ts";

/** These decide which code a launcher runs. */
export const MOVING_VARIABLES = [
  "DENO_DIR",
  "XDG_CACHE_HOME",
  "OPENCLAW_HOME",
  "OPENCLAW_STATE_DIR",
  "OPENCLAW_CONFIG_PATH",
  "OPENCLAW_PROFILE",
];

export function launcherPlaces(env: Env, openclaw: string | undefined): LauncherPlaces {
  const { config, dotenv } = openclawPlaces(env);
  const reading = readGatewayTarget(env);
  const target = reading.kind === "target" ? reading.target : undefined;
  const host = target === undefined ? undefined : new URL(target.url).hostname;
  const path = lastingPath(env);
  const setsid = onPath((name) => name === "PATH" ? path : undefined, "setsid");
  return {
    ...(openclaw === undefined ? {} : { openclaw }),
    ...(setsid === undefined ? {} : { setsid }),
    path,
    gatewayFiles: [
      config,
      dotenv,
      ...(target?.certificateFile ? [target.certificateFile] : []),
    ],
    gatewayHosts: [...new Set(["127.0.0.1", "localhost", "[::1]", ...(host ? [host] : [])])],
    variables: Object.fromEntries(
      MOVING_VARIABLES.flatMap((name) => env(name) ? [[name, env(name)!]] : []),
    ),
  };
}

/** The folders of PATH that will be there next month, and in which no hook can put a program. */
export function lastingPath(env: Env): string {
  const state = realPath(pathsFrom(env, "").state);
  const folders = (env("PATH") ?? "").split(":").filter((folder) =>
    folder.startsWith("/") && !isSwept(`${folder}/`) && !isWithin(realPath(folder), state)
  );
  const known = ["/usr/local/bin", "/usr/bin", "/bin"];
  return [...new Set([...folders, ...known])].join(":");
}

/**
 * The places that are registered, as far as they still work: doctor, spawn or a timer may run in
 * another environment, and both are right.
 */
export function placesLike(
  written: Pick<Installation, "openclaw" | "variables"> & { path?: string },
  env: Env,
): LauncherPlaces {
  const { path, variables, openclaw: named } = written;
  const registered = registeredEnv(variables, env);
  const then: Env = (name) => name === "PATH" ? path : registered(name);
  const isGood = path !== undefined && lastingPath(then) === path;
  const isNamedNow = !!env("GSD_OPENCLAW");
  const openclaw = (!isNamedNow && named !== undefined && isProgram(named) ? named : undefined) ??
    findProgram(env, "GSD_OPENCLAW", "openclaw") ??
    (isGood ? findProgram(then, "GSD_OPENCLAW", "openclaw") : undefined);
  return launcherPlaces(isGood ? then : registered, openclaw);
}

/** The environment with the registered variables in place of its own. */
function registeredEnv(variables: LauncherPlaces["variables"], env: Env): Env {
  const then: Env = (name) => MOVING_VARIABLES.includes(name) ? variables[name] : env(name);
  const moved = !isFile(openclawPlaces(then).config) && isFile(openclawPlaces(env).config);
  return moved ? (name) => name.startsWith("OPENCLAW_") ? env(name) : then(name) : then;
}

/** Why the deliverer cannot run OpenClaw's program; undefined when it can, or is only slow. */
export async function whyNoOpenclaw(
  places: LauncherPlaces,
  home: string,
): Promise<string | undefined> {
  if (places.openclaw === undefined) return undefined;
  const env = { HOME: home, PATH: places.path, ...places.variables };
  const outcome = await run(places.openclaw, ["--version"], { timeoutMs: 30_000, env, cwd: "/" });
  if (outcome.kind === "missing") return outcome.reason;
  if (outcome.kind === "timeout" || outcome.code === 0) return undefined;
  return outcome.stderr.trim().split("\n")[0] || `it ended with code ${outcome.code}`;
}

/** Why safe launchers cannot be written; undefined when they can. */
export function whyNoLaunchers(
  places: LauncherPlaces,
  state: string,
  allowAll: boolean,
): string | undefined {
  const { openclaw } = places;
  if (openclaw !== undefined && isWithin(realPath(openclaw), realPath(state))) {
    return `${openclaw} lies in the state folder ${state}, where hooks may write`;
  }
  const comma = [...openclaw === undefined ? [] : [openclaw], ...places.gatewayFiles]
    .find((file) => file.includes(","));
  return allowAll || comma === undefined
    ? undefined
    : `Cannot spell out permissions for ${comma}: Deno separates paths by commas and this one ` +
      "holds one; move it, or register with --allow-all";
}
