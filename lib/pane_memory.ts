/** The screen as it was at the last wake of a session, and which of its lines are new since. */

import { type Locked, readTextIfThere, removeIfThere, withLock, writeAtomic } from "./files.ts";
import { hash, later, type Paths, safeName } from "./paths.ts";

const LOCK_WAIT_MS = 2000;

function paneFile(paths: Paths, session: string): string {
  return `${paths.state}/panes/${safeName(session)}.txt`;
}

/** The lines that were not there at the last wake; the last ones where nothing is known of it. */
async function newPaneLines(
  paths: Paths,
  session: string,
  lines: string[],
  atLeast: number,
): Promise<string[]> {
  const outcome = locked(paths, session, () => readTextIfThere(paneFile(paths, session)));
  const before = outcome.kind === "done" ? outcome.value : undefined;
  const last = lines.slice(-atLeast);
  if (before === undefined) return last;
  try {
    const { newLines }: typeof import("./pane_diff.ts") = await import(later("./pane_diff.ts"));
    return newLines(before.split("\n"), lines, atLeast, hash);
  } catch {
    return last; // missing or broken, as in the middle of an update
  }
}

/** Keeps the screen that a wake was made of as hashes of its lines: it may have shown a secret. */
function keepPane(paths: Paths, session: string, lines: string[]): void {
  locked(
    paths,
    session,
    () => writeAtomic(paneFile(paths, session), lines.map(hash).join("\n")),
  );
}

/** Without the memory nothing is compared, but the wake is still sent. */
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

export interface PaneText {
  /** Compared only when it is asked for: most wakes have better words. */
  text(): Promise<string>;
  /** Call it when the wake is queued: from then on these lines are not new. */
  keep(): void;
}

/** The screen's new lines since the last wake. */
export function paneText(
  paths: Paths,
  session: string,
  capture: string | undefined,
  atLeast: number,
): PaneText {
  if (capture === undefined) return { text: () => Promise.resolve(""), keep() {} };
  const lines = turnLines(capture);
  return {
    text: async () =>
      (await newPaneLines(paths, session, lines, atLeast)).join("\n").replace(/^\n+/, ""),
    keep: () => keepPane(paths, session, lines),
  };
}

const RULE = /^\s*─{10,}/;
const SPINNER = /^[·✢✳✶✻✽*] \S+… ?(\(|$)/;
/** `✻ Cooked for 1s · done 4:51 PM` */
const TURN_END = /^[·✢✳✶✻✽*] \S+ for \d+[smh]\b/;
const PROMPT = /^[❯!] \S/;

/**
 * Of the screen the last turn, without what Claude Code draws around it:
 *   ❯ the prompt
 *   ● words
 *   ✻ Cooking… (running Stop hook · 0s)
 *     ⎿  Tip: …
 *                     ◐ medium · /effort
 *   ────────────
 *   ❯ draft
 *   ────────────
 *     ⏵⏵ auto mode on (shift+tab to cycle)
 */
function turnLines(capture: string): string[] {
  const lines = capture.split("\n").map((line) => line.trimEnd());
  const rules = lines.flatMap((line, index) => RULE.test(line) ? [index] : []);
  const [upper, lower] = [rules.at(-2), rules.at(-1)];
  const isInputBox = upper !== undefined && lower !== undefined &&
    /^[❯!]/.test(lines[upper + 1] ?? "") && lines.length - lower <= 12;
  const kept = isInputBox ? withoutHints(lines.slice(0, upper)) : lines;
  while (kept.length > 0 && isBlankOrEnd(kept.at(-1)!)) kept.pop();
  const before = kept.findLastIndex((line) => PROMPT.test(line) || TURN_END.test(line));
  const turn = kept.slice(before + 1);
  while (turn.length > 0 && turn[0] === "") turn.shift();
  return turn;
}

/** Above the box: hints at the right edge, and the spinner with its tip. */
function withoutHints(lines: string[]): string[] {
  const kept = [...lines];
  while (/^( {20,}\S.*)?$/.test(kept.at(-1) ?? "x")) kept.pop();
  const spinner = kept.findLastIndex((line) => SPINNER.test(line));
  const isLast = spinner !== -1 &&
    kept.slice(spinner + 1).every((line) => /^( {2}.*)?$/.test(line));
  return isLast ? kept.slice(0, spinner) : kept;
}

function isBlankOrEnd(line: string): boolean {
  return line === "" || TURN_END.test(line);
}
