/** What the launchers need to know beyond what hooks do. */

import { realPath } from "../doors/user_file.ts";
import { isSwept } from "../doors/deno_binary.ts";
import { openclawPlaces, readGatewayTarget } from "../delivery/openclaw_config.ts";
import { type Env, pathsFrom } from "../paths.ts";
import { onPath } from "../doors/programs.ts";
import { isWithin } from "./scope.ts";

export interface LauncherPlaces {
  openclaw?: string;
  /** Not everywhere; where it is, no terminal can end what is started by it. */
  setsid?: string;
  /** For programs that look for others, as openclaw does for node. */
  path: string;
  /** Files that tell where OpenClaw's gateway is and how to be let in. */
  gatewayFiles: readonly string[];
  gatewayHosts: readonly string[];
  /** Where Deno and OpenClaw keep their things, when they are told so by their own variables. */
  variables: Readonly<Record<string, string>>;
}

/** Who may set one of these decides which code a launcher runs. */
export const TELLING = [
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
      TELLING.flatMap((name) => env(name) ? [[name, env(name)!]] : []),
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

/** Why launchers cannot be made that hold; undefined when they can. */
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
