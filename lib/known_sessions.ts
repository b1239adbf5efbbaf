/**
 * What is known of tmux sessions: which Claude runs in one (a small file each, named by Claude's
 * id), which were seen before, by their memories, and whose they are, by their launch records.
 */

import { SHELL_CAPTURE_LINES } from "./events.ts";
import {
  createNew,
  isFile,
  isThere,
  namesIn,
  namesInOurs,
  readTextIfThere,
  writeAtomic,
} from "./files.ts";
import { isObject } from "./json.ts";
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
  try {
    if (claudeId !== "") writeAtomic(fileOf(paths, claudeId), noteOf(session, env));
  } catch {
    // With a full disk there is only tmux to ask.
  }
}

function noteOf(session: string, env: Env): string {
  return `${session}\n${paneMark(env)}`;
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

/** The records of spawn and adopt are in the data folder, which hooks can read and not write. */
export function launchesDir({ data }: Pick<Paths, "data">): string {
  return `${data}/launches`;
}

/** Where a conversation runs: its id, or "", and the environment of its pane. */
export interface Running {
  claudeId: string;
  env: Env;
}

/** Where an event comes from, with the socket of its tmux server. */
export interface Origin extends Running {
  socket: string;
}

/** The agent that a session has by its record; undefined without one that can be used. */
export function ownerOf(
  paths: Paths,
  session: string,
  from?: Origin,
): string | undefined {
  const record = recordOf(paths, session);
  if (record === undefined || record.moved_to !== undefined) return undefined;
  if (from !== undefined && isNamesake(paths, session, record, from)) return undefined;
  return textOr(record.agent_id, undefined);
}

/** A session on another tmux server than that of the record only has its name, unless it has moved. */
function isNamesake(
  paths: Paths,
  session: string,
  { tmux_socket, claude_session_id }: Record<string, unknown>,
  from: Origin,
): boolean {
  const own = textOr(tmux_socket, from.socket);
  if (isSameSocket(own, from.socket)) return false;
  return from.claudeId === "" || !hasMoved(paths, session, claude_session_id, from);
}

/**
 * A session has moved to another tmux server where the conversation of its record, or of its last
 * event, goes on. `/clear` begins another one: then its last event was in this very pane.
 */
export function hasMoved(
  paths: Paths,
  session: string,
  recorded: unknown,
  { claudeId, env }: Running,
): boolean {
  const last = claudeIdIn(memoryFile(paths, session));
  if (claudeId !== "" && [recorded, last].includes(claudeId)) return true;
  try {
    return typeof last === "string" && last !== "" &&
      readTextIfThere(fileOf(paths, last)) === noteOf(session, env);
  } catch {
    return false;
  }
}

/** macOS has /tmp and /var in /private; whether tmux says so depends on its version. */
export function isSameSocket(one: string, other: string): boolean {
  const plain = (path: string) => path.replace(/^\/private(?=\/(tmp|var)\/)/, "");
  return plain(one) === plain(other);
}

function claudeIdIn(file: string): unknown {
  try {
    const memory: unknown = JSON.parse(readTextIfThere(file) ?? "");
    return isObject(memory) ? memory.claude_session_id : undefined;
  } catch {
    return undefined; // missing or broken
  }
}

/** The name that a session has now; a session that was renamed is found by its earlier names. */
export function currentName(paths: Pick<Paths, "data">, session: string): string {
  const seen = new Set<string>();
  for (let name = session; !seen.has(name);) {
    seen.add(name);
    const next = textOr(recordOf(paths, name)?.moved_to, undefined);
    if (next === undefined) return name;
    name = next;
  }
  return session;
}

/** When the session was ended by `gsd-code stop`; undefined where it was not. */
export function stoppedAt(paths: Pick<Paths, "data">, session: string): string | undefined {
  return textOr(recordOf(paths, session)?.stopped_at, undefined);
}

/** `stop` waits less for the end. */
const STOPPED_WITHIN_MS = 120_000;

/** One that was stopped long before has been started again since. */
export function isEndOfStop(stoppedAt: string | undefined, endedAt: number): boolean {
  return Math.abs(endedAt - Date.parse(stoppedAt ?? "")) < STOPPED_WITHIN_MS;
}

/** The tmux server that its record names. */
export function socketOfRecord(paths: Paths, session: string): string | undefined {
  return textOr(recordOf(paths, session)?.tmux_socket, undefined);
}

function recordOf(
  paths: Pick<Paths, "data">,
  session: string,
): Record<string, unknown> | undefined {
  const [dir, name] = [launchesDir(paths), `${safeName(session)}.json`];
  try {
    // A look into the folder: to ask for a file that is missing costs a hook more.
    const text = namesIn(dir).includes(name) ? readTextIfThere(`${dir}/${name}`) : undefined;
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return isObject(value) && value.session === session ? value : undefined;
  } catch {
    return undefined; // broken, or the launchers of an earlier version may not read it
  }
}

function textOr<T>(value: unknown, other: T): string | T {
  return typeof value === "string" && value !== "" ? value : other;
}
