/** How a transcript ends: what Claude does, said or waits for, from its last lines alone. */

import { textOf } from "../events.ts";
import { isObject, parseIfJson } from "../json.ts";
import {
  isFeedback,
  isFromPeer,
  isPrompt,
  type Line,
  linesFromEnd,
  textIn,
} from "../transcript.ts";

export type EndKind =
  /** The turn has an answer. */
  | "answer"
  /** Claude Code gave up: an error of the API. */
  | "failed"
  /** Esc was pressed. */
  | "interrupted"
  /** A tool was called and has not answered. */
  | "tool"
  /** A prompt, or a tool's result, is with the model. */
  | "asked"
  | "none";

export interface TranscriptEnd {
  path: string;
  kind: EndKind;
  /** When that line was written, and when the file was. */
  at: number;
  writtenAt: number;
  /** The turn, by the id of its prompt. */
  promptId: string;
  /** The prompt, where it is near enough to the end. */
  prompt: string;
  /** Claude's last words in this turn. */
  words: string;
  /** The last block of them, which is all that a Stop event has. */
  lastBlock: string;
  tool: string;
  toolUseId: string;
  toolInput: Record<string, unknown>;
  /** Of a failure: Claude Code's word for it, and its message. */
  error: string;
  message: string;
}

/** How far back a turn is looked for. */
const MOST_BYTES = 512 * 1024;

export function readTranscriptEnd(path: string): TranscriptEnd {
  const writtenAt = Deno.statSync(path).mtime?.getTime() ?? 0;
  return { ...transcriptEnd(linesFromEnd(path, MOST_BYTES)), path, writtenAt };
}

interface TurnInIt {
  promptId: string;
  /** Its prompt was not given before. */
  since: number;
}

/** The same of one turn, where other turns have come after it. */
export function readTurnEnd(path: string, turn: TurnInIt): TranscriptEnd {
  const writtenAt = Deno.statSync(path).mtime?.getTime() ?? 0;
  const lines = withoutLater(linesFromEnd(path, MOST_BYTES), turn);
  return { ...transcriptEnd(lines), path, writtenAt };
}

/** From the last to the first, without what other prompts have brought since then. */
function* withoutLater(lines: Iterable<Line>, { promptId, since }: TurnInIt): Generator<Line> {
  const kept: Line[] = [];
  let isSure = false;
  for (const line of lines) {
    const fields = isSure ? undefined : userFields(line.text);
    const id = textOf(fields ?? {}, "promptId");
    const isEarlier = Date.parse(textOf(fields ?? {}, "timestamp")) < since;
    if (id !== "" && id !== promptId && !isEarlier) {
      kept.length = 0;
      continue;
    }
    kept.push(line);
    isSure ||= id !== "";
    if (isSure) yield* kept.splice(0);
  }
  yield* kept;
}

function userFields(text: string): Record<string, unknown> | undefined {
  if (!/"type"\s*:\s*"user"/.test(text)) return undefined;
  const fields = parseIfJson(text);
  return isObject(fields) && fields.type === "user" && fields.isSidechain !== true
    ? fields
    : undefined;
}

/** Takes the lines from the last to the first. */
export function transcriptEnd(lines: Iterable<Line>): Omit<TranscriptEnd, "path" | "writtenAt"> {
  const found = {
    ...{ kind: "none" as EndKind, at: 0, promptId: "", prompt: "", words: "", lastBlock: "" },
    ...{ tool: "", toolUseId: "", toolInput: {}, error: "", message: "" },
  };
  let messageId: string | undefined;
  let isSentOn = false;
  for (const { text } of lines) {
    const line = lineOf(text);
    if (line === undefined) continue;
    const { fields, message } = line;
    if (found.kind === "none") Object.assign(found, endOf(line));
    if (fields.type === "assistant") {
      const words = textIn(message.content);
      const id = textOf(message, "id");
      // A hook made Claude continue: the text before that is not the end of this turn.
      if (words === "" || fields.isApiErrorMessage === true || isSentOn) continue;
      messageId ??= id;
      found.lastBlock ||= words;
      if (id === messageId) found.words = found.words === "" ? words : `${words}\n\n${found.words}`;
      continue;
    }
    found.promptId ||= textOf(fields, "promptId");
    isSentOn ||= isFeedback({ type: "user", fields, message });
    if ((isPrompt(fields, message) || isFromPeer(fields)) && !isInterruption(line)) {
      found.prompt = textIn(message.content);
      break;
    }
  }
  return found;
}

interface SpokenLine {
  fields: Record<string, unknown>;
  message: Record<string, unknown>;
}

/** A line of the conversation; not one of a subagent, of a command, or that Claude Code added. */
function lineOf(text: string): SpokenLine | undefined {
  if (!/"type"\s*:\s*"(?:user|assistant)"/.test(text)) return undefined;
  const fields = parseIfJson(text);
  if (!isObject(fields) || fields.isSidechain === true || !isObject(fields.message)) {
    return undefined;
  }
  if (fields.type === "assistant") return { fields, message: fields.message };
  const isAdded = fields.isMeta === true && !isFromPeer(fields) &&
    !isFeedback({ type: "user", fields, message: fields.message });
  if (fields.type !== "user" || isAdded || fields.isCompactSummary === true) return undefined;
  const isCommand = /^<(command-|local-command|bash-)/.test(textIn(fields.message.content));
  return isCommand ? undefined : { fields, message: fields.message };
}

function endOf({ fields, message }: SpokenLine): Partial<TranscriptEnd> & { kind: EndKind } {
  const at = Date.parse(textOf(fields, "timestamp")) || 0;
  if (fields.type === "user") {
    return { kind: isInterruption({ fields, message }) ? "interrupted" : "asked", at };
  }
  if (fields.isApiErrorMessage === true) {
    const error = textOf(fields, "error") || "unknown";
    return { kind: "failed", at, error, message: textIn(message.content) };
  }
  const content = Array.isArray(message.content) ? message.content.filter(isObject) : [];
  const call = content.findLast((block) => block.type === "tool_use");
  if (call !== undefined) {
    const toolInput = isObject(call.input) ? call.input : {};
    const toolUseId = textOf(call, "id");
    return { kind: "tool", at, tool: textOf(call, "name"), toolUseId, toolInput };
  }
  const { stop_reason: reason } = message;
  const isOver = typeof reason === "string" && reason !== "tool_use" && reason !== "pause_turn";
  return { kind: isOver ? "answer" : "asked", at };
}

function isInterruption({ message }: SpokenLine): boolean {
  return textIn(message.content).startsWith("[Request interrupted by user");
}
