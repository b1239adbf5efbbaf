/** Changes a settings file: one change at a time, whole or not at all, with a backup. */

import {
  backUp,
  besides,
  followLinks,
  readableText,
  realPath,
  replacementFor,
} from "../doors/user_file.ts";
import { namesIn, readIfThere, removeIfThere, withLock, writeAtomic } from "../files.ts";
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

export type SettingsDecision =
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

/** Decides the change from the present text; null: there is no file. */
type Decide = (text: string | null, remembered: Remembered[]) => SettingsDecision;

const MEMORIES = 3;
const TRIES = 5;

export function changeSettings(
  path: string,
  options: StoreOptions,
  decide: Decide,
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
  decide: Decide,
): StoreOutcome {
  for (let tries = 0; tries < TRIES; tries++) {
    const content = readContent(file);
    if (content.kind === "not text") return refused(file, "it is not UTF-8 text; convert it first");
    const before = content.kind === "missing" ? null : content.text;
    const remembered = readMemory(memoryFile).writes;
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
    // Before anything else is written, since it may fail.
    const replacement = after === null ? undefined : replacementFor(file, after, temporaryOf(file));
    try {
      const backup = content.kind === "text" ? backUp(file, content.bytes, options.now) : undefined;
      // First, so that a kill in between leaves the old file and the memory of it.
      remember(memoryFile, file, after, decision.base, remembered);
      // Claude Code writes this file too, without our lock.
      const now = readContent(file);
      if (now.kind !== content.kind || now.kind === "text" && now.text !== before) continue;
      if (replacement === undefined) removeIfThere(file);
      else replacement.put();
      return { kind: "written", file, before, after, ...(backup ? { backup } : {}) };
    } finally {
      replacement?.drop();
    }
  }
  return refused(file, "another program keeps changing it");
}

export function signatureOf(text: string): string {
  return `${text.length}-${hash(text)}`;
}

export type FileContent =
  | { kind: "missing" }
  | { kind: "text"; text: string; bytes: Uint8Array }
  | { kind: "not text" };

/** Throws where the file cannot be read. */
export function readContent(file: string): FileContent {
  const bytes = readIfThere(file, Deno.readFileSync);
  if (bytes === undefined) return { kind: "missing" };
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: "text", text, bytes };
  } catch {
    return { kind: "not text" };
  }
}

function temporaryOf(file: string): string {
  return `${file}.gsd-${Deno.pid}.tmp`;
}

/** Temporary files of a killed registration; the lock keeps others from writing one now. */
function sweep(file: string): void {
  for (const name of besides(file, (rest) => /^\.gsd-\d+\.tmp/.test(rest))) removeIfThere(name);
}

/** The settings files that we have written to. */
export function rememberedSettings(data: string): string[] {
  const memories = namesIn(`${data}/registered`).map((name) => `${data}/registered/${name}`);
  return memories.flatMap((file) => readMemory(file).settings ?? []);
}

function readMemory(memoryFile: string): { settings?: string; writes: Remembered[] } {
  try {
    const { settings, writes } = JSON.parse(readableText(memoryFile) ?? "");
    return {
      ...(typeof settings === "string" ? { settings } : {}),
      writes: Array.isArray(writes) ? writes.filter(isRemembered) : [],
    };
  } catch {
    return { writes: [] };
  }
}

function isRemembered(value: unknown): value is Remembered {
  return isObject(value) && typeof value.registered === "string" &&
    (typeof value.base === "string" || value.base === null);
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
