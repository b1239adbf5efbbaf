/**
 * Questions that wait for an answer, a folder per tmux session. `<id>.json` is the question, written
 * by the hook that waits; `<id>.answer.json` is an answer, written by the menu driver; the hook takes
 * it by renaming it to `<id>.taken.json`, so that it is either taken or withdrawn, never both.
 */

import {
  appendLine,
  isThere,
  namesIn,
  readJsonIfThere,
  removeIfThere,
  writeAtomic,
} from "./files.ts";
import { isObject } from "./json.ts";
import { askedName, type Paths, pendingDir, safeName } from "./paths.ts";
import type { ByKind } from "./records.ts";
import type { Choice } from "./question_answers.ts";
import { maskFields, maskTexts } from "./text.ts";

export type PendingKind = "question" | "permission" | "plan" | "form";

export interface Pending {
  id: string;
  kind: PendingKind;
  session: string;
  /** The pane that shows its dialog. */
  pane?: string;
  /** Another Claude of the same tmux session does not close it. */
  claude_session_id?: string;
  /** The turn in which it was asked. */
  prompt_id?: string;
  /** Claude Code's id of the subagent that asks; absent where Claude itself does. */
  subagent?: string;
  agent_id: string;
  tool: string;
  tool_input: Record<string, unknown>;
  asked_at: string;
  /** After this the hook no longer waits; the dialog may still be on the screen. */
  until: string;
  /** Who waits: the hook, or the companion after it. */
  pid: number;
  wake_id?: string;
  /** Of the secret that an answer for the hook must carry. */
  secret_sha256: string;
  /** Of a question, where PreToolUse has reported it. */
  tool_use_id?: string;
  /** The wake shows it in part. The file has all of it, and at its end the code. */
  cut?: { file: string; code_sha256: string };
}

export type GivenDecision =
  | {
    kind: "answers";
    answers: Record<string, string>;
    annotations: Record<string, { preview?: string; notes?: string }>;
    /** The same by numbers. The words above are masked, those that the hook has are not. */
    choices?: Choice[];
  }
  | { kind: "allow" }
  | { kind: "deny"; message: string }
  | { kind: "form"; action: "accept" | "decline"; content?: Record<string, unknown> }
  /** The hook ends without a reply: Claude Code shows the form to a person. */
  | { kind: "leave" };

export interface Given {
  /** Who gave it: an agent's id where it is known, else the user's name. */
  by: string;
  by_kind?: ByKind;
  /** The programs that have called the driver, for the journal. */
  caller?: string;
  /** Through the waiting hook, or with keys on the screen. */
  via: "hook" | "keys";
  at: string;
  decision: GivenDecision;
  /** From the wake; without the right one the hook takes no answer. */
  secret?: string;
}

/** `.shown`: the waiting hook has seen its dialog on the screen. */
export type Part = "" | ".answer" | ".taken" | ".shown";

export function fileOf(paths: Paths, session: string, id: string, part: Part): string {
  return `${pendingDir(paths, session)}/${safeName(id)}${part}.json`;
}

/** What one Claude has asked: among very many files it is found by this one. */
export function askedFile(paths: Paths, session: string, claudeId: string): string {
  return `${pendingDir(paths, session)}/${askedName(claudeId)}`;
}

/** Of the names in a session's folder, those of questions. */
export function openNames(names: string[]): string[] {
  return names.filter((name) =>
    name.endsWith(".json") && !/\.(answer|taken|shown)\.json$/.test(name)
  );
}

/**
 * Opens a question; an answer left over from an earlier asking of it goes. False when the id is
 * open for another input: an answer to that one must not decide this one.
 */
export function openPending(paths: Paths, pending: Pending): boolean {
  const { session, id, claude_session_id: claude } = pending;
  if (!isFreeFor(paths, pending)) return false;
  removeIfThere(fileOf(paths, session, id, ".answer"));
  removeIfThere(fileOf(paths, session, id, ".taken"));
  removeIfThere(fileOf(paths, session, id, ".shown"));
  if (claude) appendLine(askedFile(paths, session, claude), id);
  const masked = { ...pending, tool_input: maskedInput(pending) };
  writeAtomic(fileOf(paths, session, id, ""), JSON.stringify(masked, null, 1));
  return true;
}

function isFreeFor(paths: Paths, pending: Pending): boolean {
  const open = readPending(fileOf(paths, pending.session, pending.id, ""));
  return open === undefined || isOfInput(open, pending);
}

/** Is what is open, as it is on disk, about this input? */
export function isOfInput(
  open: Pending,
  asked: Pick<Pending, "kind" | "tool" | "tool_input">,
): boolean {
  return open.tool === asked.tool &&
    JSON.stringify(open.tool_input) === JSON.stringify(maskedInput(asked));
}

/** Another process waits for it from now on; false when it has been closed. */
export function passOn(
  paths: Paths,
  { session, id }: Pick<Pending, "session" | "id">,
  to: Pick<Pending, "pid" | "until">,
): boolean {
  const path = fileOf(paths, session, id, "");
  const open = readPending(path);
  if (open === undefined) return false;
  writeAtomic(path, JSON.stringify({ ...open, ...to }, null, 1));
  return true;
}

/** On disk secrets are masked: the waiting hook replies with the input that it has in memory. */
function maskedInput({ kind, tool_input }: Pick<Pending, "kind" | "tool_input">): unknown {
  return kind === "question" ? maskTexts(tool_input) : maskFields(tool_input);
}

/** What is open in a session, the latest last, whether or not a hook still waits for it. */
export function listPending(paths: Paths, session: string): Pending[] {
  return openNames(namesIn(pendingDir(paths, session)))
    .map((name) => readPending(`${pendingDir(paths, session)}/${name}`))
    .filter((pending) => pending !== undefined)
    .sort((a, b) => a.asked_at < b.asked_at ? -1 : 1);
}

/** A hook waits for it: the time is not up, and `isAlive` says that its process is there. */
export function hookWaits(
  pending: Pending,
  now: number,
  isAlive: (pid: number) => boolean,
): boolean {
  return Date.parse(pending.until) > now && isAlive(pending.pid);
}

/** Writes an answer for the waiting hook. */
export function giveAnswer(paths: Paths, pending: Pending, given: Given): void {
  const { session, id } = pending;
  writeAtomic(fileOf(paths, session, id, ".answer"), JSON.stringify(given, null, 1));
}

/** Takes the answer. It can be taken once. The taker checks its secret. */
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

/** Drops an answer that was taken and does not count. */
export function dropTaken(paths: Paths, { session, id }: Pending): void {
  removeIfThere(fileOf(paths, session, id, ".taken"));
}

export function isAnswerTaken(paths: Paths, pending: Pending): boolean {
  return readGiven(fileOf(paths, pending.session, pending.id, ".taken")) !== undefined;
}

/** Takes back an answer that the hook has not taken; false when it has. */
export function withdrawAnswer(paths: Paths, pending: Pending): boolean {
  try {
    Deno.removeSync(fileOf(paths, pending.session, pending.id, ".answer"));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Notes who answered with keys on the screen; PostToolUse reads it. */
export function noteKeys(
  paths: Paths,
  { session, id }: Pick<Pending, "session" | "id">,
  given: Given,
): void {
  const masked = { ...given, decision: maskTexts(given.decision) };
  writeAtomic(fileOf(paths, session, id, ".taken"), JSON.stringify(masked, null, 1));
}

export function readGiven(path: string): Given | undefined {
  const value = readJsonIfThere(path);
  return isObject(value) && isObject(value.decision) ? value as unknown as Given : undefined;
}

/** Notes that its dialog is on the screen: Claude Code may hold a dialog back. */
export function noteShown(paths: Paths, { session, id }: Pending): void {
  writeAtomic(fileOf(paths, session, id, ".shown"), "{}");
}

export function wasShown(paths: Paths, { session, id }: Pending): boolean {
  return isThere(fileOf(paths, session, id, ".shown"));
}

/** Is this very asking still open? Another hook may have asked the same thing again since. */
export function isStillOpen(paths: Paths, pending: Pending): boolean {
  return readPending(fileOf(paths, pending.session, pending.id, ""))?.pid === pending.pid;
}

export function readPending(path: string): Pending | undefined {
  const value = readJsonIfThere(path);
  if (!isObject(value) || !isObject(value.tool_input)) return undefined;
  return typeof value.id === "string" && typeof value.session === "string" &&
      typeof value.pid === "number" && typeof value.asked_at === "string"
    ? value as unknown as Pending
    : undefined;
}
