/** The screen as it was at the last wake of a session, so that only what is new is told. */

import { type Locked, readTextIfThere, removeIfThere, withLock, writeAtomic } from "./files.ts";
import { newLines } from "./line_diff.ts";
import { type Paths, safeName } from "./paths.ts";

const LOCK_WAIT_MS = 2000;

function paneFile(paths: Paths, session: string): string {
  return `${paths.state}/panes/${safeName(session)}.txt`;
}

/** The lines that were not there at the last wake; the last ones where nothing is known of it. */
export function newPaneLines(
  paths: Paths,
  session: string,
  lines: string[],
  atLeast: number,
): string[] {
  const outcome = locked(paths, session, () => readTextIfThere(paneFile(paths, session)));
  const before = outcome.kind === "done" ? outcome.value : undefined;
  return before === undefined
    ? lines.slice(-atLeast)
    : newLines(before.split("\n"), lines, atLeast);
}

/** Keeps the screen for the next time, once it has been told. */
export function keepPane(paths: Paths, session: string, lines: string[]): void {
  locked(paths, session, () => writeAtomic(paneFile(paths, session), lines.join("\n")));
}

/** A memory that cannot be used costs the comparison, never the wake. */
function locked<T>(paths: Paths, session: string, work: () => T): Locked<T> {
  try {
    return withLock(`${paths.state}/locks/pane-${safeName(session)}`, LOCK_WAIT_MS, work);
  } catch {
    return { kind: "busy" };
  }
}

export function forgetPane(paths: Paths, session: string): void {
  removeIfThere(paneFile(paths, session));
  removeIfThere(`${paths.state}/locks/pane-${safeName(session)}`);
}
