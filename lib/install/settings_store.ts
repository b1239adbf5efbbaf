/** The door to a settings file: one change at a time, whole or not at all, with a way back. */

import { backUp, besides, followLinks, realPath, replacementFor } from "../doors/user_file.ts";
import { readIfThere, readTextIfThere, removeIfThere, withLock, writeAtomic } from "../files.ts";
import { isObject } from "../json.ts";
import { hash, safeName } from "../paths.ts";
import { messageOf } from "../process.ts";
import { shellQuote } from "../text.ts";

/** What a file was without our hooks, for each of our last writes to it. */
export interface Remembered {
  /** Signature of the text we wrote. */
  registered: string;
  /** The text without our hooks; null when there was no file. */
  base: string | null;
}

export type Decision =
  | { kind: "unchanged" }
  | { kind: "refused"; reason: string }
  /** `text` null: the file goes. `base`: to be remembered with it; null: there was no file. */
  | { kind: "write"; text: string | null; base?: string | null };

export type StoreOutcome =
  | { kind: "unchanged"; file: string }
  | { kind: "refused"; reason: string }
  | { kind: "written"; file: string; before: string | null; after: string | null; backup?: string };

export interface StoreOptions {
  /** Where locks and memories are kept. */
  data: string;
  dryRun: boolean;
  now: Date;
}

const MEMORIES = 3;
const TRIES = 5;

export function changeSettings(
  path: string,
  options: StoreOptions,
  decide: (text: string | null, remembered: Remembered[]) => Decision,
): StoreOutcome {
  const file = followLinks(path);
  // The same file by another path has the same lock and the same memory.
  const name = safeName(realPath(file));
  const memoryFile = `${options.data}/registered/${name}.json`;
  const work = () => attempt(file, memoryFile, options, decide);
  try {
    if (options.dryRun) return work();
    const locked = withLock(`${options.data}/locks/${name}.lock`, 10_000, work);
    return locked.kind === "done" ? locked.value : refused(file, "another registration holds it");
  } catch (error) {
    return refused(file, messageOf(error));
  }
}

function attempt(
  file: string,
  memoryFile: string,
  options: StoreOptions,
  decide: (text: string | null, remembered: Remembered[]) => Decision,
): StoreOutcome {
  for (let tries = 0; tries < TRIES; tries++) {
    const bytes = readBytes(file);
    const before = bytes === null ? null : decode(bytes);
    if (before === undefined) return refused(file, "it is not UTF-8 text; convert it first");
    const remembered = readMemory(memoryFile);
    const decision = decide(before, remembered);
    if (decision.kind === "unchanged") return { kind: "unchanged", file };
    if (decision.kind === "refused") return refused(file, decision.reason);
    const { text: after } = decision;
    const info = before === null ? undefined : Deno.statSync(file);
    if (info !== undefined && ((info.mode ?? 0o600) & 0o200) === 0) {
      return refused(file, `it is read-only; make it writable with: chmod u+w ${shellQuote(file)}`);
    }
    if (options.dryRun) return { kind: "written", file, before, after };

    sweep(file);
    // Before anything else is written: it may turn out that it cannot be done.
    const replacement = after === null ? undefined : replacementFor(file, after, temporaryOf(file));
    try {
      const backup = before === null ? undefined : backUp(file, bytes!, options.now);
      // Remembered first: killed in between, the old file still stands and its memory with it.
      remember(memoryFile, file, after, decision.base, remembered);
      // Claude Code writes this file too, and knows no lock of ours.
      if (signature(readBytes(file)) !== signature(bytes)) continue;
      if (replacement === undefined) removeIfThere(file);
      else replacement.put();
      return { kind: "written", file, before, after, ...(backup ? { backup } : {}) };
    } finally {
      replacement?.drop();
    }
  }
  return refused(file, "somebody else keeps changing it");
}

export function signatureOf(text: string): string {
  return `${text.length}-${hash(text)}`;
}

function readBytes(file: string): Uint8Array | null {
  return readIfThere(file, Deno.readFileSync) ?? null;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function signature(bytes: Uint8Array | null): string {
  return bytes === null ? "none" : signatureOf(new TextDecoder("latin1").decode(bytes));
}

function temporaryOf(file: string): string {
  return `${file}.gsd-${Deno.pid}.tmp`;
}

/** Temporary files of a killed registration; the lock keeps others from writing one now. */
function sweep(file: string): void {
  for (const name of besides(file, (rest) => /^\.gsd-\d+\.tmp/.test(rest))) removeIfThere(name);
}

function readMemory(memoryFile: string): Remembered[] {
  try {
    const value: unknown = JSON.parse(readTextIfThere(memoryFile) ?? "");
    const list = isObject(value) && Array.isArray(value.writes) ? value.writes : [];
    return list.filter(isObject).flatMap(({ registered, base }) =>
      typeof registered === "string" && (typeof base === "string" || base === null)
        ? [{ registered, base }]
        : []
    );
  } catch {
    return [];
  }
}

function remember(
  memoryFile: string,
  file: string,
  after: string | null,
  base: string | null | undefined,
  earlier: Remembered[],
): void {
  if (base === undefined) return;
  const registered = signatureOf(after ?? "");
  const writes = [{ registered, base }, ...earlier.filter((one) => one.registered !== registered)];
  const kept = writes.slice(0, MEMORIES);
  writeAtomic(memoryFile, JSON.stringify({ settings: realPath(file), writes: kept }, null, 1));
}

function refused(file: string, reason: string): StoreOutcome {
  return { kind: "refused", reason: `Cannot change ${file}: ${reason}` };
}
