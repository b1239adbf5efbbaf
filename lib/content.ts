/** Where the words of a wake come from: the event, the transcript, the screen; one of them. */

import { type HookEvent, textOf } from "./events.ts";
import { linesFromEnd, sleepSync } from "./files.ts";
import { keepPane, newPaneLines } from "./pane_memory.ts";
import type { Paths } from "./paths.ts";
import {
  joinBlocks,
  readLastTurn,
  sinceLastStop,
  type TurnReading,
  withEarlierBlocks,
} from "./transcript.ts";

// What hooks read and settle with beside the words.
export { closePending } from "./answers.ts";
export { forgetPane } from "./pane_memory.ts";

export type Source = "event" | "transcript" | "pane" | "none";

export interface Content {
  text: string;
  source: Source;
  tokens?: number;
}

/** How far back a transcript is read: a turn's last answer lies at its end. */
const MOST_BYTES = 64 * 1024 * 1024;
/** The last line was seen up to 107 ms late. */
const LATE_LINE_MS = 500;

const UNKNOWN: TurnReading = { blocks: [], finished: false, isFinalMessage: false };

/** Claude's words at the end of a turn; "" where neither event nor transcript has any. */
export function finalText(event: HookEvent): Content {
  const eventText = textOf(event.fields, "last_assistant_message");
  if (eventText.trim() !== "") {
    // Only the end of the file can hold more of this message: nothing is searched for.
    const turn = readStoppedTurn(event, 0) ?? UNKNOWN;
    return { text: withEarlierBlocks(eventText, turn), source: "event", tokens: turn.tokens };
  }
  const first = readStoppedTurn(event);
  return fromTranscript(first === undefined ? UNKNOWN : waitForEnd(first, event));
}

/** What the transcript holds of the turn now, finished or not. */
export function textSoFar(event: HookEvent): Content {
  return fromTranscript(readTurn(event) ?? UNKNOWN);
}

function fromTranscript(turn: TurnReading): Content {
  const text = joinBlocks(turn.blocks);
  return { text, source: text === "" ? "none" : "transcript", tokens: turn.tokens };
}

/** Reads again until the answer is whole and the file rests, or the time is up. */
function waitForEnd(first: TurnReading, event: HookEvent): TurnReading {
  const until = performance.now() + LATE_LINE_MS;
  let turn = first;
  while (performance.now() < until) {
    sleepSync(25);
    const next = readStoppedTurn(event) ?? turn;
    if (turn.finished && next.blocks.length === turn.blocks.length) return next;
    turn = next;
  }
  return turn;
}

function readStoppedTurn(event: HookEvent, mostBehindOthers?: number): TurnReading | undefined {
  const turn = readTurn(event, mostBehindOthers);
  return turn && sinceLastStop(turn, event.fields.stop_hook_active === true);
}

/** undefined when there is no transcript that could be read. */
function readTurn(
  { transcriptPath, promptId }: HookEvent,
  mostBehindOthers?: number,
): TurnReading | undefined {
  if (transcriptPath === "") return undefined;
  try {
    if (!Deno.statSync(transcriptPath).isFile) return undefined;
    return readLastTurn(linesFromEnd(transcriptPath, MOST_BYTES), promptId, mostBehindOthers);
  } catch {
    return undefined;
  }
}

export interface PaneText {
  /** Compared only when it is asked for: most wakes have better words. */
  text(): string;
  /** To be called when the wake is on its way: only what was told is not new any more. */
  keep(): void;
}

/** The screen's new lines since the last wake. */
export function paneText(
  paths: Paths,
  session: string,
  capture: string | undefined,
  atLeast: number,
): PaneText {
  if (capture === undefined) return { text: () => "", keep() {} };
  const lines = conversationLines(capture);
  return {
    text: () => newPaneLines(paths, session, lines, atLeast).join("\n").replace(/^\n+/, ""),
    keep: () => keepPane(paths, session, lines),
  };
}

const RULE = /^\s*─{10,}/;

/**
 * The screen without what Claude Code draws around the conversation:
 *   ────────────
 *   ❯ draft
 *   ────────────
 *     ⏵⏵ auto mode on (shift+tab to cycle)
 */
function conversationLines(capture: string): string[] {
  const lines = capture.split("\n").map((line) => line.trimEnd());
  const rules = lines.flatMap((line, index) => RULE.test(line) ? [index] : []);
  const [upper, lower] = [rules.at(-2), rules.at(-1)];
  const isInputBox = upper !== undefined && lower !== undefined &&
    /^[❯!]/.test(lines[upper + 1] ?? "") && lines.length - lower <= 12;
  const kept = isInputBox ? lines.slice(0, upper) : lines;
  while (kept.length > 0 && kept.at(-1) === "") kept.pop();
  while (kept.length > 0 && kept[0] === "") kept.shift();
  return kept;
}
