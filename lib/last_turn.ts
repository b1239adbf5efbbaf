/** What Claude said in its last turn, from the transcript read backwards. */

import {
  type Entry,
  isAdded,
  isFeedback,
  isPrompt,
  joinBlocks,
  type Line,
  parseEntry,
  textIn,
} from "./transcript.ts";
import { textOf } from "./events.ts";
import { isObject } from "./json.ts";

export interface TurnReading {
  /** The text blocks of the turn's last message that has text; none when it is not written yet. */
  blocks: string[];
  /** The id of that message. */
  message?: string;
  /** Nothing of the turn is missing: its last line is the end of an answer. */
  finished: boolean;
  /** Those blocks belong to that last line's message, not to one before a tool ran. */
  isFinalMessage: boolean;
  /** A Stop came after those blocks; "on": its hooks sent Claude on; "end": nothing shows that. */
  stopped?: "end" | "on";
  /** What came before them in the same answer: messages that the token limit cut, oldest first. */
  begun?: Piece[];
  /** Tokens in the context, by the usage of the turn's last line; unknown once a tool has answered. */
  tokens?: number;
}

/** The text of a message. */
interface Piece {
  id: string;
  text: string;
}

/** How much is searched for a turn that other turns may have followed. */
const MOST_BEHIND_OTHERS = 2_000_000;

/** `promptId` "" means that the event did not name its prompt: then the last turn is meant. */
export function readLastTurn(
  lines: Iterable<Line>,
  promptId: string,
  mostBehindOthers = MOST_BEHIND_OTHERS,
): TurnReading {
  const reading: TurnReading = { blocks: [], finished: false, isFinalMessage: false };
  let messageId: string | undefined;
  let newestSeen = false;
  let isNewestMessage = false;
  let foreign = false;
  let spoken = false;
  let isSent = false;
  let isInOnePiece = true;
  let searched = 0;
  const nothing = (): TurnReading => {
    const { begun: _, message: _id, ...rest } = reading;
    return { ...rest, blocks: [], isFinalMessage: false };
  };
  const ofOthers = { finished: false, stopped: undefined, tokens: undefined };

  for (const line of lines) {
    if (foreign && (searched += line.text.length) > mostBehindOthers) break;
    const entry = parseEntry(line.text);
    if (entry === undefined) continue;
    if (entry.type === "assistant") {
      if (isSent) continue;
      spoken = true;
      if (!newestSeen) {
        newestSeen = isNewestMessage = true;
        reading.finished = isEnd(entry.message.stop_reason);
        reading.tokens = tokensOf(entry.message.usage);
      }
      const text = textIn(entry.message.content);
      if (text === "") continue;
      const id = textOf(entry.message, "id");
      if (messageId === undefined) {
        messageId = id;
        if (id !== "") reading.message = id;
        reading.isFinalMessage = isNewestMessage && isEnd(entry.message.stop_reason);
      }
      if (id === messageId) reading.blocks.unshift(text);
      else if (!isCut(entry.message)) isInOnePiece = false;
      else if (isInOnePiece) reading.begun = withPiece(reading.begun, { id, text });
      continue;
    }
    const stopped = afterStop(entry);
    if (stopped !== undefined) {
      // Claude went on from here: an earlier wake has the text before this Stop.
      if (spoken) isSent = true;
      else if (!foreign && reading.stopped !== "on") reading.stopped = stopped;
    }
    if (entry.type === "system") continue;
    const linePrompt = textOf(entry.fields, "promptId");
    const isOurs = promptId === "" || linePrompt === "" || linePrompt === promptId;
    // Claude Code has asked Claude to go on where the limit cut its answer.
    if (isOurs && messageId !== undefined && isAdded(entry, "Output token limit hit")) continue;
    // A Stop's feedback follows the end of an answer; any other line means that more is to come.
    if (stopped === undefined || spoken) {
      newestSeen = true;
      isNewestMessage = false;
    }
    const opens = isPrompt(entry.fields, entry.message);
    // A line that names no prompt decides nothing, unless it begins a turn that cannot be known.
    if (promptId !== "" && linePrompt === "" && !opens) continue;
    if (promptId !== "" && linePrompt !== promptId) {
      // What was gathered belongs to another turn: ours is before it, or is not written yet.
      messageId = undefined;
      isInOnePiece = true;
      delete reading.begun;
      delete reading.message;
      Object.assign(reading, nothing(), ofOthers);
      foreign = true;
      spoken = isSent = newestSeen = false;
      continue;
    }
    if (isSent || messageId !== undefined) return reading;
    // A turn without a word has been searched to its beginning.
    if (opens) return nothing();
  }
  // The beginning of the file, or of what may be read of it, without the turn's own prompt.
  return promptId === "" ? reading : { ...nothing(), ...ofOthers };
}

/** Tokens in the context, by the last usage of any turn; unknown where anything was added since. */
export function lastTokens(lines: Iterable<Line>): number | undefined {
  for (const line of lines) {
    const entry = parseEntry(line.text);
    if (entry?.type === "assistant") return tokensOf(entry.message.usage);
    if (entry?.type === "user") return undefined;
  }
  return undefined;
}

/** How much is searched for the last Stop, so that a long turn costs a hook no more than a short one. */
const MOST_SINCE_STOP = 1_000_000;

/**
 * Whether a Stop hook sent Claude on before the last message. Where the event says that one did
 * and this is false, an earlier wake has that message: the new one is not written yet.
 * undefined: the last Stop is further back than is searched.
 */
export function followsStop(lines: Iterable<Line>): boolean | undefined {
  let spoken = false;
  let searched = 0;
  for (const { text } of lines) {
    if ((searched += text.length) > MOST_SINCE_STOP) return undefined;
    if (spoken && !isStopOrPrompt(text)) continue;
    const entry = parseEntry(text);
    if (entry === undefined) continue;
    if (entry.type === "assistant") spoken = true;
    else if (afterStop(entry) !== undefined) return spoken;
    else if (entry.type === "user" && isPrompt(entry.fields, entry.message)) {
      // A hook that ran on in the background sends Claude on with a prompt of its own.
      return spoken && textIn(entry.message.content).startsWith("<task-notification>");
    }
  }
  return false;
}

/** By the look of a line: most are calls of tools and their results, which need not be parsed. */
function isStopOrPrompt(text: string): boolean {
  return text.includes('"stop_hook_summary"') ||
    (/"type"\s*:\s*"user"/.test(text) && !/"type"\s*:\s*"tool_result"/.test(text));
}

/**
 * The turn as its Stop may report it. Words of an earlier Stop do not count: the message after them
 * is not written yet. `continued`: the event says that a Stop hook has sent Claude on.
 */
export function sinceLastStop(turn: TurnReading, continued: boolean): TurnReading {
  const isOld = turn.stopped === "on" || (turn.stopped === "end" && continued);
  return isOld ? { ...turn, blocks: [], finished: false, isFinalMessage: false } : turn;
}

/**
 * The event's text with the blocks of the same message that came before it. The event carries only
 * the last block; the transcript may lack that last block, or the whole message.
 */
export function withEarlierBlocks(eventText: string, turn: TurnReading): string {
  if (!turn.isFinalMessage || turn.blocks.length === 0) return eventText;
  if (endsWith(turn, eventText)) {
    if (turn.begun !== undefined) return withBegun(joinBlocks(turn.blocks), turn).trim();
    const isWholeBlock = turn.blocks.at(-1)!.trim() === eventText.trim();
    return joinBlocks(isWholeBlock ? [...turn.blocks.slice(0, -1), eventText] : turn.blocks);
  }
  return turn.stopped === undefined ? joinBlocks([...turn.blocks, eventText]) : eventText;
}

/** The event's text ends the turn's last message. A line may hold several blocks. */
export function endsWith(turn: TurnReading, eventText: string): boolean {
  if (!turn.isFinalMessage || turn.blocks.length === 0) return false;
  const last = turn.blocks.at(-1)!.trim();
  return last === eventText.trim() || last.endsWith(`\n\n${eventText.trim()}`);
}

function withPiece(pieces: Piece[] = [], { id, text }: Piece): Piece[] {
  const [first, ...rest] = pieces;
  if (first?.id !== id) return [{ id, text }, ...pieces];
  return [{ id, text: joinBlocks([text, first.text]) }, ...rest];
}

/** The whole answer, where the token limit has cut it: each piece goes on where the last one ends. */
export function withBegun(text: string, { begun = [] }: TurnReading): string {
  return [...begun.map((piece) => piece.text), text].reduce((before, next) => {
    const isSentence = /[.!?:;)`]$/.test(before) && /^[A-Z#`*-]/.test(next);
    return before + (isSentence ? "\n\n" : "") + next;
  });
}

/** The line after all hooks of a Stop, or the instruction of one that blocked. */
function afterStop(entry: Entry): TurnReading["stopped"] {
  if (entry.type === "system") return "end";
  return isFeedback(entry) ? "on" : undefined;
}

function isCut({ stop_reason }: Record<string, unknown>): boolean {
  return stop_reason === "max_tokens";
}

function isEnd(stopReason: unknown): boolean {
  return typeof stopReason === "string" && stopReason !== "tool_use" && stopReason !== "pause_turn";
}

function tokensOf(usage: unknown): number | undefined {
  if (!isObject(usage)) return undefined;
  const parts = [
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
  ].map((name) => usage[name]).filter((value) => typeof value === "number");
  return parts.length === 0 ? undefined : parts.reduce((sum, value) => sum + value, 0);
}
