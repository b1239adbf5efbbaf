/** Which tmux session a Claude session runs in: a small file each, named by Claude's id. */

import { readTextIfThere, writeAtomic } from "./files.ts";
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
