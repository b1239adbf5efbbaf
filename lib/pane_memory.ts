/** The screen as it was at the last wake of a session, so that only what is new is told. */

import { readTextIfThere, removeIfThere, withLock, writeAtomic } from "./files.ts";
import { newLines } from "./line_diff.ts";
import { type Paths, safeName } from "./paths.ts";

const LOCK_WAIT_MS = 2000;

export function paneFile(paths: Paths, session: string): string {
  return `${paths.state}/panes/${safeName(session)}.txt`;
}

/** Keeps `lines` for the next time and returns those that were not there the last time. */
export function rememberPane(
  paths: Paths,
  session: string,
  lines: string[],
  atLeast: number,
): string[] {
  const path = paneFile(paths, session);
  const outcome = withLock(`${paths.state}/locks/pane-${safeName(session)}`, LOCK_WAIT_MS, () => {
    const before = readTextIfThere(path);
    writeAtomic(path, lines.join("\n"));
    return before === undefined ? undefined : newLines(before.split("\n"), lines, atLeast);
  });
  // First time, or another hook holds the memory: then the last lines are what there is to tell.
  return (outcome.kind === "done" ? outcome.value : undefined) ?? lines.slice(-atLeast);
}

export function forgetPane(paths: Paths, session: string): void {
  removeIfThere(paneFile(paths, session));
  removeIfThere(`${paths.state}/locks/pane-${safeName(session)}`);
}
