/** Removes the marks of panes that are gone: `managed/<socket>,<pid of the server>,<session>/<pane>`. */

import { namesIn, removeIfThere } from "../files.ts";
import type { Paths } from "../paths.ts";
import { DAY } from "./delivery.ts";

const KEPT_MS = 30 * DAY;

interface Mark {
  path: string;
  /** The socket and the pid, as far as the folder's name has them. */
  socket: string;
  server: string;
  at: number;
}

/**
 * A socket has one server at a time, so a later mark of another server means that the earlier one
 * is gone. The deliverer may not ask for the process itself. A mark that goes too early comes back
 * with the next event.
 */
export function removeOldMarks({ state }: Pick<Paths, "state">, now: number): void {
  const marks = marksIn(`${state}/managed`);
  const latest = new Map<string, Mark>();
  for (const mark of marks) {
    if (mark.at > (latest.get(mark.socket)?.at ?? -1)) latest.set(mark.socket, mark);
  }
  for (const { path, socket, server, at } of marks) {
    const isReplaced = latest.get(socket)!.server !== server;
    if (isReplaced || at < now - KEPT_MS) attempt(() => removeIfThere(path));
  }
  removeEmptyFolders(`${state}/managed`);
}

function marksIn(folder: string): Mark[] {
  const [, socket = folder, server = ""] = /^(.*),(\d+),\d*$/.exec(folder) ?? [];
  return attempt(() => namesIn(folder))?.flatMap((name): Mark[] => {
    const path = `${folder}/${name}`;
    const info = attempt(() => Deno.lstatSync(path));
    if (info?.isDirectory) return marksIn(path);
    return info?.isFile ? [{ path, socket, server, at: info.mtime?.getTime() ?? 0 }] : [];
  }) ?? [];
}

function removeEmptyFolders(folder: string): void {
  for (const name of attempt(() => namesIn(folder)) ?? []) {
    const path = `${folder}/${name}`;
    if (!attempt(() => Deno.lstatSync(path))?.isDirectory) continue;
    removeEmptyFolders(path);
    attempt(() => Deno.removeSync(path)); // refused while it holds anything
  }
}

/** A mark that cannot be read or removed does not stop the rest. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
