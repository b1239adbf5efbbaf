/** Which folders and values an installation may take over from the environment. */

import { isSwept } from "../doors/deno_binary.ts";
import { realPath } from "../doors/user_file.ts";
import type { Env } from "../paths.ts";
import { foldersOf } from "../process.ts";
import { isWithin } from "./scope.ts";

/** A program that can write there controls the machine anyway. */
const SYSTEM = ["/usr/local/bin", "/usr/bin", "/bin"];

/**
 * PATH for programs that run unattended: folders that no clean-up removes, and in
 * which no hook, no repository and no other user can put a program.
 */
export function lastingPath(env: Env, state: string): string {
  const away = realPath(state);
  const folders = foldersOf(env("PATH") ?? "").filter((folder) =>
    SYSTEM.includes(folder) ||
    !isSwept(`${folder}/`) && !isWithin(realPath(folder), away) && isOurs(folder)
  );
  return [...new Set([...folders, ...SYSTEM])].join(":");
}

/** The folder exists, and only root and our user can change or replace it. */
function isOurs(folder: string): boolean {
  return infoOf(folder)?.isDirectory === true &&
    [folder, realPath(folder)].every((path) => isClosed(path) && above(path).every(isKept));
}

function above(path: string): string[] {
  const parts = path.split("/").slice(1, -1);
  return ["/", ...parts.map((_, at) => `/${parts.slice(0, at + 1).join("/")}`)];
}

/** No other user can write there. By default each user has a group without other members. */
function isClosed(path: string): boolean {
  const info = infoOf(path);
  // The owner of / counts as root, also in a container.
  const trusted = [0, Deno.uid(), infoOf("/")?.uid];
  if (info === undefined || !trusted.includes(info.uid)) return false;
  const mode = info.mode ?? 0o777;
  const isGroupOurs = [0, Deno.gid()].includes(info.gid);
  return (mode & 0o002) === 0 && ((mode & 0o020) === 0 || isGroupOurs);
}

/** Closed, or with the sticky bit, as /tmp: no other user can replace our files there. */
function isKept(path: string): boolean {
  const info = infoOf(path);
  const isSticky = ((info?.mode ?? 0) & 0o1000) !== 0;
  return isClosed(path) || isSticky && [0, infoOf("/")?.uid].includes(info?.uid);
}

function infoOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}

/** These decide where things are, for hooks, launchers and units. */
const PLACES = [
  ...["HOME", "PATH", "GSD_REGISTRY", "GSD_STATE_DIR", "GSD_DATA_DIR", "CLAUDE_CONFIG_DIR"],
  ...["GSD_TMUX", "GSD_OPENCLAW", "GSD_CLAUDE", "TMUX_TMPDIR", "DENO_DIR"],
  ...["XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"],
  ...["OPENCLAW_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH", "OPENCLAW_PROFILE"],
  ...["OPENCLAW_GATEWAY_URL", "OPENCLAW_GATEWAY_PORT"],
];

/** Why the values of the environment cannot be installed; undefined when they can. */
export function whyOddPlace(env: Env, root: string): string | undefined {
  const values = PLACES.map((name) => [name, env(name) ?? ""] as const);
  const found = [...values, ["this project's folder", root] as const]
    .find(([, value]) => hasControls(value));
  if (found === undefined) return undefined;
  const [what, value] = found;
  return `Cannot use ${what}, which is ${JSON.stringify(value)}: a line end or another control ` +
    "character in it would add lines to launchers and units; give it a plain value";
}

export function hasControls(text: string): boolean {
  // deno-lint-ignore no-control-regex
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text);
}
