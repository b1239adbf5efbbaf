/** All that the state folder keeps of a session by its name: moved to another name, or removed. */

import {
  isFolder,
  isThere,
  namesIn,
  readTextIfThere,
  removeIfThere,
  writeAtomic,
} from "../files.ts";
import { isObject } from "../json.ts";
import { type Paths, pendingDir, queueDir, safeName } from "../paths.ts";

/** Folders whose files are not named by sessions. */
const OF_OTHERS = [
  ...["outbox", "dead", "inbox", "content", "replies", "claude", "managed", "locks"],
  ...["paused-agents", "quiet", "budgets", "watch"],
];
/** What stays when a session is removed. */
const LOG = ["journal", "texts"];
const LOCKS = ["session-", "keys-", "pane-", "queue-", "queue-run-", "escape-"];

interface SessionFile {
  folder: string;
  path: string;
  /** What follows the session's name: ".json", ".jsonl.1"; "" for a folder. */
  rest: string;
}

/** Everything named after a session, also in folders that this file does not know. */
export function filesOf(paths: Paths, session: string): SessionFile[] {
  const name = safeName(session);
  const folders = namesIn(paths.state).filter((folder) =>
    !OF_OTHERS.includes(folder) && isFolder(`${paths.state}/${folder}`)
  );
  // No name of a tmux session has a dot.
  return folders.flatMap((folder) =>
    namesIn(`${paths.state}/${folder}`)
      .filter((file) => file === name || file.startsWith(`${name}.`))
      .map((file) => ({
        folder,
        path: `${paths.state}/${folder}/${file}`,
        rest: file.slice(name.length),
      }))
  );
}

/** Moves what is kept of a session to another name. Can be run again after a crash. */
export function moveFiles(paths: Paths, from: string, to: string): void {
  for (const { folder, path, rest } of filesOf(paths, from)) {
    const target = `${paths.state}/${folder}/${safeName(to)}${rest}`;
    if (!isThere(target)) Deno.renameSync(path, target);
    else if (folder === "journal") joinTexts(path, target);
    else if (isFolder(path)) moveInto(path, target);
    else removeIfThere(path); // what was written under the new name is newer
  }
  setSession(`${paths.state}/sessions/${safeName(to)}.json`, to);
  const pending = pendingDir(paths, to);
  for (const name of namesIn(pending)) {
    if (name.endsWith(".json")) setSession(`${pending}/${name}`, to);
  }
  changeClaudeFiles(paths, from, (text) => [to, ...text.split("\n").slice(1)].join("\n"));
  removeLocks(paths, from);
}

/** Its queue goes on in the session that has its conversation now. */
export function moveQueue(paths: Paths, from: string, to: string): void {
  const queue = queueDir(paths, from);
  if (isFolder(queue) && !isThere(queueDir(paths, to))) Deno.renameSync(queue, queueDir(paths, to));
}

/** Removes what is kept of a session, except its log. */
export function removeFiles(paths: Paths, session: string): void {
  for (const { folder, path } of filesOf(paths, session)) {
    if (!LOG.includes(folder)) removeIfThere(path, { recursive: true });
  }
  changeClaudeFiles(paths, session, () => undefined);
  removeLocks(paths, session);
}

/** The older text goes before the newer one. */
function joinTexts(older: string, newer: string): void {
  const text = (readTextIfThere(older) ?? "") + (readTextIfThere(newer) ?? "");
  writeAtomic(newer, text);
  removeIfThere(older);
}

function moveInto(folder: string, target: string): void {
  for (const name of namesIn(folder)) Deno.renameSync(`${folder}/${name}`, `${target}/${name}`);
  removeIfThere(folder, { recursive: true });
}

function setSession(path: string, session: string): void {
  try {
    const value: unknown = JSON.parse(readTextIfThere(path) ?? "null");
    if (!isObject(value) || value.session === undefined || value.session === session) return;
    writeAtomic(path, JSON.stringify({ ...value, session }));
  } catch {
    // Not JSON: an answer that is being written, or a broken file, says nothing about a session.
  }
}

/** The files of Claude's ids begin with the session's name. */
function changeClaudeFiles(
  paths: Paths,
  session: string,
  change: (text: string) => string | undefined,
): void {
  const dir = `${paths.state}/claude`;
  for (const name of namesIn(dir)) {
    const text = readTextIfThere(`${dir}/${name}`) ?? "";
    if (text.split("\n")[0] !== session) continue;
    const changed = change(text);
    if (changed === undefined) removeIfThere(`${dir}/${name}`);
    else writeAtomic(`${dir}/${name}`, changed);
  }
}

function removeLocks({ state }: Paths, session: string): void {
  for (const lock of LOCKS) removeIfThere(`${state}/locks/${lock}${safeName(session)}`);
}
