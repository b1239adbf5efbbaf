/**
 * Which tmux session a Claude session runs in: a small file each, named by Claude's id. And which
 * tmux sessions were heard of before, by their memories.
 */

import { isFile, readTextIfThere, writeAtomic } from "./files.ts";
import { type Paths, safeName } from "./paths.ts";

function fileOf(paths: Paths, claudeId: string): string {
  return `${paths.state}/claude/${safeName(claudeId)}`;
}

/** Known from an earlier event; for when tmux can no longer be asked, or not yet. */
export function knownSession(paths: Paths, claudeId: string): string | undefined {
  try {
    return claudeId === "" ? undefined : readTextIfThere(fileOf(paths, claudeId));
  } catch {
    return undefined;
  }
}

export function noteSession(paths: Paths, claudeId: string, session: string): void {
  if (claudeId !== "") writeAtomic(fileOf(paths, claudeId), session);
}

export function memoryFile(paths: Paths, session: string): string {
  return `${paths.state}/sessions/${safeName(session)}.json`;
}

/** An event of this tmux session has reached an agent before. */
export function isKnownName(paths: Paths, session: string): boolean {
  return isFile(memoryFile(paths, session));
}
