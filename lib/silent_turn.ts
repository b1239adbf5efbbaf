/**
 * A turn in which Claude said nothing. Its Stop carries the words of the turn before: only their
 * place in the transcript, before the turn's own prompt, shows that they were sent.
 */

import { type HookEvent, textOf } from "./events.ts";
import {
  fromEnd,
  isFeedback,
  isPrompt,
  lastLines,
  type Line,
  parseEntry,
  textIn,
} from "./transcript.ts";

export interface SilentTurn {
  /** A person ran a shell line (`!cmd`): nothing was asked of Claude. */
  isShellLine: boolean;
  /** The last block of text before the turn; "" where none was found. */
  wordsBefore: string;
  /** The prompt of the last turn that was not such a shell line; "" where none was found. */
  promptBefore: string;
}

/** Undefined for a turn that has a word, or that is not written yet. */
export function readSilentTurn(lines: Iterable<Line>, promptId: string): SilentTurn | undefined {
  const turn: SilentTurn = { isShellLine: false, wordsBefore: "", promptBefore: "" };
  let isOpened = false;
  let openedAt = NaN;
  for (const line of lastLines(lines)) {
    const entry = parseEntry(line.text);
    if (entry === undefined || entry.type === "system") continue;
    const text = textIn(entry.message.content);
    if (entry.type === "assistant") {
      if (text === "") continue;
      // A new file may have its first lines in another order: then the time decides.
      if (!isOpened || timeOf(entry.fields) >= openedAt) return undefined;
      if (turn.wordsBefore === "") turn.wordsBefore = text;
      continue;
    }
    const linePrompt = textOf(entry.fields, "promptId");
    if (!isOpened) {
      if (promptId !== "" && linePrompt !== promptId) {
        if (isOfShell(text)) continue; // a later one
        return undefined;
      }
      isOpened = isPrompt(entry.fields, entry.message) || isFeedback(entry);
      turn.isShellLine = isOfShell(text);
      openedAt = timeOf(entry.fields);
      continue;
    }
    // A shell line that Claude has answered is a turn like any other.
    if (turn.wordsBefore !== "" || !isOfShell(text)) turn.promptBefore ||= linePrompt;
    if (turn.wordsBefore !== "") return turn;
  }
  return isOpened ? turn : undefined;
}

function timeOf(fields: Record<string, unknown>): number {
  return Date.parse(textOf(fields, "timestamp"));
}

function isOfShell(text: string): boolean {
  return /^<(?:bash-|local-command-caveat>)/.test(text);
}

/** The turn of a Stop, if Claude said nothing in it. `words`: what the event says that it said. */
export function silentTurn(
  { transcriptPath, promptId }: HookEvent,
  words: string,
): SilentTurn | undefined {
  const turn = fromEnd(transcriptPath, (lines) => readSilentTurn(lines, promptId));
  if (turn === undefined || words.trim() === "") return turn;
  const before = turn.wordsBefore.trim();
  const isOld = before === words.trim() || before.endsWith(`\n\n${words.trim()}`);
  return isOld ? turn : undefined;
}

/** A person's shell lines change nothing: Claude waits since the turn before them. */
export function turnThatWaits(event: HookEvent): HookEvent {
  const turn = silentTurn(event, "");
  return turn?.isShellLine && turn.promptBefore !== ""
    ? { ...event, promptId: turn.promptBefore }
    : event;
}
