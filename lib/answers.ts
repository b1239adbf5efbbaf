/**
 * Questions that wait for an answer, a folder per tmux session. `<id>.json` is the question, written
 * by the hook that waits; `<id>.answer.json` is an answer, written by the menu driver; the hook takes
 * it by renaming it to `<id>.taken.json`, so that it is either taken or withdrawn, never both.
 */

import { namesIn, readTextIfThere, removeIfThere, writeAtomic } from "./files.ts";
import { isObject } from "./json.ts";
import { hash, type Paths, safeName } from "./paths.ts";

export type PendingKind = "question" | "permission" | "plan";

export interface Pending {
  id: string;
  kind: PendingKind;
  session: string;
  /** Another Claude of the same tmux session does not close it. */
  claude_session_id?: string;
  /** The turn in which it was asked. */
  prompt_id?: string;
  agent_id: string;
  tool: string;
  tool_input: Record<string, unknown>;
  asked_at: string;
  /** After this the hook no longer waits; the dialog may still be on the screen. */
  until: string;
  /** The hook that waits. */
  pid: number;
  wake_id?: string;
}

export type GivenDecision =
  | {
    kind: "answers";
    answers: Record<string, string>;
    annotations: Record<string, { preview?: string; notes?: string }>;
  }
  | { kind: "allow" }
  | { kind: "deny"; message: string };

export interface Given {
  /** Who gave it: an agent's id where it is known, else the user's name. */
  by: string;
  /** Through the waiting hook, or with keys on the screen. */
  via: "hook" | "keys";
  at: string;
  decision: GivenDecision;
}

export function pendingDir(paths: Paths, session: string): string {
  return `${paths.state}/pending/${safeName(session)}`;
}

type Part = "" | ".answer" | ".taken";

function fileOf(paths: Paths, session: string, id: string, part: Part): string {
  return `${pendingDir(paths, session)}/${safeName(id)}${part}.json`;
}

/** The name of one permission: the same tool with the same input in one prompt is one decision. */
export function permissionId(
  sessionId: string,
  promptId: string,
  tool: string,
  input: unknown,
): string {
  return "p-" + hash([sessionId, promptId, tool, JSON.stringify(input)].join("\n"));
}

/** Opens a question; an answer left over from an earlier asking of it goes. */
export function openPending(paths: Paths, pending: Pending): void {
  const { session, id } = pending;
  removeIfThere(fileOf(paths, session, id, ".answer"));
  removeIfThere(fileOf(paths, session, id, ".taken"));
  writeAtomic(fileOf(paths, session, id, ""), JSON.stringify(pending, null, 1));
}

/** What is open in a session, the latest last, whether or not a hook still waits for it. */
export function listPending(paths: Paths, session: string): Pending[] {
  return namesIn(pendingDir(paths, session))
    .filter((name) => name.endsWith(".json") && !/\.(answer|taken)\.json$/.test(name))
    .map((name) => readPending(`${pendingDir(paths, session)}/${name}`))
    .filter((pending) => pending !== undefined)
    .sort((a, b) => a.asked_at < b.asked_at ? -1 : 1);
}

/** A hook waits for it: the time is not up, and `isAlive` says that its process is there. */
export function isWaiting(
  pending: Pending,
  now: number,
  isAlive: (pid: number) => boolean,
): boolean {
  return Date.parse(pending.until) > now && isAlive(pending.pid);
}

/** Lays an answer before the waiting hook. */
export function giveAnswer(paths: Paths, pending: Pending, given: Given): void {
  const { session, id } = pending;
  writeAtomic(fileOf(paths, session, id, ".answer"), JSON.stringify(given, null, 1));
}

/** The answer, once: whoever calls next finds none. */
export function takeAnswer(paths: Paths, pending: Pending): Given | undefined {
  const { session, id } = pending;
  const taken = fileOf(paths, session, id, ".taken");
  try {
    Deno.renameSync(fileOf(paths, session, id, ".answer"), taken);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  return readGiven(taken);
}

export function isTaken(paths: Paths, pending: Pending): boolean {
  return readGiven(fileOf(paths, pending.session, pending.id, ".taken")) !== undefined;
}

/** Takes an answer back that nobody has taken; false when the hook was quicker. */
export function withdrawAnswer(paths: Paths, pending: Pending): boolean {
  try {
    Deno.removeSync(fileOf(paths, pending.session, pending.id, ".answer"));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Notes an answer that went to the screen with keys, for who asks later who gave it. */
export function noteKeys(
  paths: Paths,
  { session, id }: Pick<Pending, "session" | "id">,
  given: Given,
): void {
  writeAtomic(fileOf(paths, session, id, ".taken"), JSON.stringify(given, null, 1));
}

function readGiven(path: string): Given | undefined {
  const value = readJson(path);
  return isObject(value) && isObject(value.decision) ? value as unknown as Given : undefined;
}

/** Is this very asking still open? Another hook may have asked the same thing again since. */
export function isStillOpen(paths: Paths, pending: Pending): boolean {
  return readPending(fileOf(paths, pending.session, pending.id, ""))?.pid === pending.pid;
}

/** Which to close: one by its id, those of a kind, or (with neither) all of the session. */
export interface ClosingOf {
  id?: string;
  kind?: PendingKind;
  /** Not this one, nor what was asked beside it in the same turn. */
  but?: { id: string; prompt_id?: string };
  /** Those of this Claude; of another one only what nobody waits for any more. */
  claude?: string;
  /** What Claude Code reports as chosen: where it is not what we gave, the human was quicker. */
  answers?: Record<string, string>;
}

export type Closed = { id: string; by: "hook" | "keys" | "human"; who?: string };

/**
 * What was asked is settled: its files go, and a hook that still waits for it leaves. Says who
 * settled it: without an answer of ours it was the human at the terminal.
 */
export function closePending(paths: Paths, session: string, of: ClosingOf = {}): Closed[] {
  const dir = pendingDir(paths, session);
  const names = namesIn(dir);
  if (names.length === 0) return [];
  const closed: Closed[] = [];
  for (const pending of listPending(paths, session)) {
    if (of.id !== undefined && pending.id !== of.id) continue;
    if (of.kind !== undefined && pending.kind !== of.kind) continue;
    if (isBeside(pending, of.but) || (isAnothers(pending, of) && isInTime(pending))) continue;
    const given = readGiven(fileOf(paths, session, pending.id, ".taken"));
    const ours = given !== undefined && fits(given.decision, of.answers);
    closed.push({
      id: pending.id,
      by: ours ? given.via : "human",
      ...(ours ? { who: given.by } : {}),
    });
    for (const part of ["", ".answer", ".taken"] as const) {
      removeIfThere(fileOf(paths, session, pending.id, part));
    }
  }
  // Without a hook beside the dialog only the keys were noted.
  if (of.id !== undefined && closed.length === 0) {
    const given = readGiven(fileOf(paths, session, of.id, ".taken"));
    if (given !== undefined && fits(given.decision, of.answers)) {
      closed.push({ id: of.id, by: given.via, who: given.by });
    }
    removeIfThere(fileOf(paths, session, of.id, ".taken"));
  }
  // What could not be read, or lost its other half, goes with the last of them.
  const isWhole = of.id === undefined && of.kind === undefined && of.but === undefined;
  if (isWhole && listPending(paths, session).length === 0) {
    removeIfThere(dir, { recursive: true });
  }
  return closed;
}

function isAnothers({ claude_session_id: asked }: Pending, { claude }: ClosingOf): boolean {
  return !!asked && !!claude && asked !== claude;
}

function isInTime(pending: Pending): boolean {
  return Date.parse(pending.until) > Date.now();
}

function isBeside(pending: Pending, but: ClosingOf["but"]): boolean {
  if (but === undefined) return false;
  return pending.id === but.id || (!!but.prompt_id && pending.prompt_id === but.prompt_id);
}

function fits(decision: GivenDecision, reported: Record<string, string> | undefined): boolean {
  if (reported === undefined || decision.kind !== "answers") return true;
  // 2.1.197 joins several choices without the quotes.
  const plain = (answer: string | undefined) => answer?.replaceAll('"', "").trim();
  // On a screen a question may be wrapped, and its beginning may be cut off.
  const bare = (text: string) => text.replace(/\s+/g, "");
  const reportedFor = (question: string) =>
    reported[question] ??
      Object.entries(reported).find(([asked]) => bare(asked).endsWith(bare(question)))?.[1];
  return Object.entries(decision.answers).every(([question, answer]) =>
    plain(reportedFor(question)) === plain(answer)
  );
}

function readPending(path: string): Pending | undefined {
  const value = readJson(path);
  if (!isObject(value) || !isObject(value.tool_input)) return undefined;
  return typeof value.id === "string" && typeof value.session === "string" &&
      typeof value.pid === "number" && typeof value.asked_at === "string"
    ? value as unknown as Pending
    : undefined;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readTextIfThere(path) ?? "null");
  } catch {
    return undefined;
  }
}
