/** Questions that are settled: their files are removed, and a hook that still waits for one exits. */

import {
  askedFile,
  fileOf,
  type Given,
  type GivenDecision,
  openNames,
  type Part,
  type Pending,
  type PendingKind,
  readGiven,
  readPending,
} from "./answers.ts";
import { namesIn, readTextIfThere, removeIfThere } from "./files.ts";
import { record } from "./journal.ts";
import { isLike } from "./text.ts";
import { hash, type Paths, pendingDir, safeName } from "./paths.ts";

/** Which to close: one by its id, those of a kind, or (with neither) all of the session. */
export interface ClosingOf {
  id?: string;
  kind?: PendingKind;
  /** Except this one, and what was asked with it in the same turn. */
  but?: { id: string; prompt_id?: string };
  /** Those of this Claude; those of another one only when no hook waits for them any more. */
  claude?: string;
  /** A turn has ended, but subagents still run: what they ask stays open. */
  keepSubagents?: boolean;
  /** What Claude Code reports as chosen: where it is not what we gave, the human was quicker. */
  answers?: Record<string, string>;
}

export type Closed = {
  id: string;
  by: "hook" | "keys" | "human";
  who?: string;
  /** The request, where its file could be read. */
  pending?: Pick<Pending, "kind" | "tool" | "tool_input" | "subagent" | "wake_id" | "asked_at">;
};

/** Says who settled each: without an answer of ours it was the human at the terminal. */
export function closePending(paths: Paths, session: string, of: ClosingOf = {}): Closed[] {
  const dir = pendingDir(paths, session);
  const names = new Set(namesIn(dir));
  if (names.size === 0) return [];
  const closed: Closed[] = [];
  const unreadable = new Set<string>();
  const open = openNames([...names]);
  const toRead = namesToRead(paths, session, open, of);
  for (const name of toRead) {
    const pending = readPending(`${dir}/${name}`);
    if (pending === undefined) unreadable.add(name);
    if (pending === undefined || !isMeant(pending, of)) continue;
    const { id } = pending;
    // With an id, look at the files again: an answer may come just now. Else the listing is enough.
    const parts = (["", ".answer", ".taken", ".shown"] as Part[])
      .map((part) => fileOf(paths, session, id, part))
      .filter((path) => of.id !== undefined || names.has(path.slice(dir.length + 1)));
    const taken = parts.find((path) => path.endsWith(".taken.json"));
    const given = taken === undefined ? undefined : readGiven(taken);
    const isOurs = given !== undefined && fits(given.decision, of.answers);
    if (given !== undefined && !isOurs) noteQuicker(paths, pending);
    const by = isOurs ? viaOf(given) : "human";
    closed.push({ id, by, ...(isOurs ? { who: given.by } : {}), pending });
    for (const path of parts) removeIfThere(path);
  }
  const kept = removeAskings(dir, [...names], of);
  // Without a hook beside the dialog only the keys were noted.
  if (of.id !== undefined && closed.length === 0) {
    const given = readGiven(fileOf(paths, session, of.id, ".taken"));
    if (given !== undefined && fits(given.decision, of.answers)) {
      closed.push({ id: of.id, by: viaOf(given), who: given.by });
    }
    removeIfThere(fileOf(paths, session, of.id, ".taken"));
  }
  if (of.id === undefined && of.kind === undefined && of.but === undefined) {
    if (of.claude && !of.keepSubagents) removeIfThere(askedFile(paths, session, of.claude));
    // Unreadable files and leftovers are removed with the last one.
    const isLast = () => openNames(namesIn(dir)).every((name) => unreadable.has(name));
    if (kept === 0 && toRead.length === open.length && isLast()) {
      removeIfThere(dir, { recursive: true });
    }
  }
  return closed;
}

/** Why an answer of ours did not count. */
export const QUICKER = "a person answered first, with another answer";

/** Before the files go: the driver that gave the answer looks here when they are gone. */
function noteQuicker(paths: Paths, { session, agent_id, wake_id, id }: Pending): void {
  const about = { session, agent_id, wake_id, question_id: id };
  record(paths, { kind: "answered", ...about, by: "human", reason: QUICKER });
}

/** Only these two words: a wake shows them outside of its fence. */
function viaOf({ via }: Given): Given["via"] {
  return via === "hook" ? "hook" : "keys";
}

/** Removes what PreToolUse has noted of questions (questions.ts); how many of others are left. */
function removeAskings(dir: string, names: string[], of: ClosingOf): number {
  const askings = names.filter((name) => /\.(told|claimed)$/.test(name));
  const meant = askings.filter((name) => isAskingMeant(name, of));
  for (const name of meant) removeIfThere(`${dir}/${name}`);
  return askings.length - meant.length;
}

function isAskingMeant(name: string, of: ClosingOf): boolean {
  const [claude, turn, , , id] = name.split(".");
  if (of.id !== undefined) return id === of.id;
  if (of.kind !== undefined && of.kind !== "question") return false;
  if (of.but !== undefined && (id === of.but.id || turn === hash(of.but.prompt_id ?? ""))) {
    return false;
  }
  return !of.claude || claude === hash(of.claude);
}

/** A hook reads no more files of other Claudes than this, however many there are. */
const MOST_OF_OTHERS = 10;

/**
 * The files to look into. Where a Claude closes its own and there are very many, these are the ones
 * that it has asked, and some of the others: the next event looks into more of them.
 */
function namesToRead(paths: Paths, session: string, open: string[], of: ClosingOf): string[] {
  if (of.id !== undefined) {
    const name = `${safeName(of.id)}.json`;
    return open.filter((one) => one === name);
  }
  if (!of.claude || open.length <= MOST_OF_OTHERS) return open;
  const asked = readTextIfThere(askedFile(paths, session, of.claude))?.split("\n") ?? [];
  const ids = new Set(asked.map((id) => `${safeName(id)}.json`));
  const own = open.filter((name) => ids.has(name));
  const others = open.filter((name) => !ids.has(name));
  const first = Math.floor(Math.random() * others.length);
  const some = [...others.slice(first), ...others.slice(0, first)].slice(0, MOST_OF_OTHERS);
  return [...own, ...some];
}

function isMeant(pending: Pending, of: ClosingOf): boolean {
  if (of.id !== undefined && pending.id !== of.id) return false;
  if (of.kind !== undefined && pending.kind !== of.kind) return false;
  if (of.keepSubagents && pending.subagent !== undefined) return false;
  return !isBeside(pending, of.but) && !(isAnothers(pending, of) && isInTime(pending));
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

function isEndOf(masked: string, text: string): boolean {
  return text.endsWith(masked) || isLike(masked, text);
}

/** Is that what Claude Code reports as chosen? */
export function fits(
  decision: GivenDecision,
  reported: Record<string, string> | undefined,
): boolean {
  if (reported === undefined || decision.kind !== "answers") return true;
  // 2.1.197 joins several choices without the quotes.
  const plain = (answer: string | undefined) => answer?.replaceAll('"', "").trim();
  // On a screen a question may be wrapped, and its beginning may be cut off.
  const bare = (text: string) => text.replace(/\s+/g, "");
  const reportedFor = (question: string) =>
    reported[question] ??
      Object.entries(reported).find(([asked]) => isEndOf(bare(question), bare(asked)))?.[1];
  // Ours is masked, Claude Code's is not.
  return Object.entries(decision.answers).every(([question, answer]) => {
    const theirs = plain(reportedFor(question));
    return theirs !== undefined && isLike(plain(answer) ?? "", theirs);
  });
}
