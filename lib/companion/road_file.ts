/** roads/: a socket for each running companion, and a small file that says whose it is. */

import { namesIn, readJsonIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { isObject } from "../json.ts";
import { hash, type Paths, safeName } from "../paths.ts";

export interface Road {
  session: string;
  pane: string;
  /** tmux's server: the number of its process. */
  server: number;
  /** The companion. */
  pid: number;
  /** Claude Code. */
  claude_pid: number;
  socket: string;
  since: string;
}

/** The system's limit for the path of a socket, with the zero at its end. */
const LONGEST_SOCKET = 107;

export function roadsDir({ state }: Pick<Paths, "state">): string {
  return `${state}/roads`;
}

/** Without its ending; undefined where the state folder's path is too long for any socket. */
export function roadName(paths: Pick<Paths, "state">, session: string): string | undefined {
  const names = [safeName(session), hash(session)].map((name) => `${roadsDir(paths)}/${name}`);
  return names.find((name) => new TextEncoder().encode(`${name}.sock`).length <= LONGEST_SOCKET);
}

export function writeRoad(path: string, road: Road): void {
  writeAtomic(path, JSON.stringify(road));
}

export function removeRoad(name: string): void {
  removeIfThere(`${name}.json`);
  removeIfThere(`${name}.sock`);
}

/** The possible places of a session's companions. Each Claude Code in the session has its own. */
export function roadPlaces(
  paths: Pick<Paths, "state">,
  { session, pane }: { session: string; pane: string },
): string[] {
  const names = [session, `${session}.${pane.slice(1)}`].map((own) => roadName(paths, own));
  return names.filter((name) => name !== undefined);
}

/** Whether the socket of this place is the one with the given inode. */
export function isSocketAt(name: string, inode: number | null): boolean {
  try {
    return Deno.statSync(`${name}.sock`).ino === inode;
  } catch {
    return false;
  }
}

/** The roads that companions have announced; one that was killed leaves its own behind. */
export function listRoads(paths: Pick<Paths, "state">): Road[] {
  const dir = roadsDir(paths);
  return namesIn(dir).filter((name) => name.endsWith(".json")).flatMap((name) => {
    const road = readRoad(`${dir}/${name}`);
    return road === undefined ? [] : [road];
  });
}

export function readRoad(path: string): Road | undefined {
  const value = readJsonIfThere(path);
  if (!isObject(value)) return undefined;
  const isRoad = ["session", "pane", "socket"].every((name) => typeof value[name] === "string") &&
    ["server", "pid", "claude_pid"].every((name) => typeof value[name] === "number");
  return isRoad ? value as unknown as Road : undefined;
}

/** `$TMUX` is `socket,pid,session`. */
export function serverOf(tmuxVariable: string): number {
  return Number(tmuxVariable.split(",").at(-2) ?? 0);
}
