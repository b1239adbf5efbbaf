/** The text of a wake: from the event or the transcript; the screen is in pane_memory.ts. */

import { type HookEvent, textOf } from "./events.ts";
import {
  type BlockingClock,
  fromEnd,
  joinBlocks,
  lastLines,
  type Line,
  waitForLine,
} from "./transcript.ts";
import { later } from "./paths.ts";
import {
  endsWith,
  followsStop,
  lastTokens,
  readLastTurn,
  sinceLastStop,
  type TurnReading,
  withBegun,
  withEarlierBlocks,
} from "./last_turn.ts";

export { forgetPane, paneText } from "./pane_memory.ts";

export type Source = "event" | "transcript" | "pane" | "none";

export interface Content {
  text: string;
  source: Source;
  tokens?: number;
  /** The transcript has these words as the last of this turn. */
  isOwn?: boolean;
  /** The id of the message that has them. */
  message?: string;
}

/** What a Stop has to report. */
export interface TurnText extends Content {
  /** By the transcript Claude said nothing in this turn; `shell`: a person ran a shell line. */
  silent?: "turn" | "shell";
}

/** Claude's words in the turn that ends; never those of a turn before it. */
export async function turnText(event: HookEvent, clock?: BlockingClock): Promise<TurnText> {
  const said = finalText(event, clock);
  if (said.isOwn) return said;
  const { silentTurn } = await loadSilentTurn();
  const turn = silentTurn(event, said.text);
  if (turn === undefined) return said;
  return { ...said, text: "", source: "none", silent: turn.isShellLine ? "shell" : "turn" };
}

/** The event of an idle prompt, for the turn since which Claude waits. */
export async function idleTurn(event: HookEvent): Promise<HookEvent> {
  return (await loadSilentTurn()).turnThatWaits(event);
}

function loadSilentTurn(): Promise<typeof import("./silent_turn.ts")> {
  return import(later("./silent_turn.ts"));
}

/** A transcript must not grow for this long where nothing else shows that it is complete. */
const REST_MS = 25;

const UNKNOWN: TurnReading = { blocks: [], finished: false, isFinalMessage: false };

/** Claude's words at the end of a turn; "" where neither event nor transcript has any. */
export function finalText(event: HookEvent, clock?: BlockingClock): Content {
  const words = textOf(event.fields, "last_assistant_message");
  return words.trim() === "" ? writtenText(event, clock) : eventText(event, words, clock);
}

function writtenText(event: HookEvent, clock?: BlockingClock): Content {
  const { transcriptPath: path, promptId } = event;
  const read = (lines: Iterable<Line>) => {
    const isNew = isAfterStop(event) === true;
    const turn = sinceLastStop(readLastTurn(lines, promptId), isContinued(event));
    return isNew ? turn : { ...turn, blocks: [], finished: false };
  };
  const isWhole = ({ finished }: TurnReading) => finished;
  const turn = waitForLine(path, read, isWhole, { restMs: REST_MS, clock }) ?? UNKNOWN;
  return fromTranscript(turn.finished ? turn : { ...turn, tokens: undefined });
}

/** The transcript has the usage, and earlier blocks of the same message. */
function eventText(event: HookEvent, words: string, clock?: BlockingClock): Content {
  const { transcriptPath: path, promptId } = event;
  const read = (lines: Iterable<Line>) => {
    // Where that is not known, the text decides: a message of an earlier wake ends differently.
    const isNew = isAfterStop(event) !== false;
    // Only the end of the file can hold this message: nothing is searched for.
    const turn = readLastTurn(lastLines(lines), promptId, 0);
    const isTold = isContinued(event) && turn.stopped !== undefined;
    return { turn, isOwn: isNew && !isTold && endsWith(turn, words) };
  };
  const { turn, isOwn } = waitForLine(path, read, ({ isOwn }) => isOwn, { clock }) ??
    { turn: UNKNOWN, isOwn: false };
  return {
    text: isOwn || !isContinued(event) ? withEarlierBlocks(words, turn) : words,
    source: "event",
    // The usage of a call before the last would be too low.
    tokens: isOwn ? turn.tokens : undefined,
    isOwn,
    ...(isOwn && turn.message !== undefined ? { message: turn.message } : {}),
  };
}

/** A Stop hook has sent Claude on: an earlier wake has the text before that Stop. */
function isContinued({ fields }: HookEvent): boolean {
  return fields.stop_hook_active === true;
}

/** Checked before the turn is read, so that old text is not taken for new. */
function isAfterStop(event: HookEvent): boolean | undefined {
  return !isContinued(event) || fromEnd(event.transcriptPath, followsStop);
}

/** What the transcript holds of the turn now, finished or not. */
export function textSoFar({ transcriptPath, promptId }: HookEvent): Content {
  const read = (lines: Iterable<Line>) => readLastTurn(lines, promptId);
  return fromTranscript(fromEnd(transcriptPath, read) ?? UNKNOWN);
}

/** How full the context is, where it still ends with an answer. */
export function tokensSoFar({ transcriptPath }: HookEvent): number | undefined {
  return fromEnd(transcriptPath, lastTokens);
}

function fromTranscript(turn: TurnReading): Content {
  const text = withBegun(joinBlocks(turn.blocks), turn);
  const source = text === "" ? "none" : "transcript";
  const { message } = turn;
  const named = text === "" || message === undefined ? {} : { message };
  return { text, source, tokens: turn.tokens, isOwn: text !== "", ...named };
}
