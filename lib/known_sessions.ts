/**
 * Which tmux session a Claude session runs in: a small file each, named by Claude's id. And which
 * tmux sessions were seen before, by their memories.
 */

import { createNew, isFile, isThere, namesInOurs, readTextIfThere, writeAtomic } from "./files.ts";
import { SHELL_CAPTURE_LINES } from "./events.ts";
import { type Env, managedMark, type Paths, safeName } from "./paths.ts";

function fileOf(paths: Paths, claudeId: string): string {
  return `${paths.state}/claude/${safeName(claudeId)}`;
}

/**
 * Known from an earlier event in the same pane, for when tmux cannot be asked. The same conversation
 * may be open in another pane.
 */
export function knownSession(paths: Paths, claudeId: string, env: Env): string | undefined {
  try {
    const text = claudeId === "" ? undefined : readTextIfThere(fileOf(paths, claudeId));
    const [session, place = paneMark(env)] = text?.split("\n") ?? [];
    return place === paneMark(env) ? session : undefined;
  } catch {
    return undefined;
  }
}

export function noteSession(paths: Paths, claudeId: string, session: string, env: Env): void {
  if (claudeId !== "") writeAtomic(fileOf(paths, claudeId), `${session}\n${paneMark(env)}`);
}

/** The tmux server and the pane, as both were when the pane's program was started. */
function paneMark(env: Env): string {
  return `${env("TMUX")?.replace(/,\d*$/, "")} ${env("TMUX_PANE")}`;
}

export function memoryFile(paths: Paths, session: string): string {
  return `${paths.state}/sessions/${safeName(session)}.json`;
}

/** An event of this tmux session has reached an agent before. */
export function isKnownName(paths: Paths, session: string): boolean {
  return isFile(memoryFile(paths, session));
}

/**
 * Marks the pane as managed, so that the registered command need not ask the next time. The mark
 * says how many lines above the screen are wanted, where these are more than it captures.
 */
export function leaveMark(paths: Paths, env: Env, lines = 0): void {
  const mark = managedMark(paths, env("TMUX"), env("TMUX_PANE"));
  try {
    if (mark === undefined) return;
    if (lines > SHELL_CAPTURE_LINES) {
      if (readTextIfThere(mark) !== `${lines}`) writeAtomic(mark, `${lines}`);
    } else if (!isThere(mark)) createNew(mark, "");
  } catch {
    // Without a mark the next event asks again.
  }
}

/** Whether a session has steps to be given. Mostly one look shows that it has none. */
export function hasQueue({ state }: Pick<Paths, "state">, session: string): boolean {
  try {
    return namesInOurs(`${state}/queue`).includes(safeName(session));
  } catch {
    return false;
  }
}
