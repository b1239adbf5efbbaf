/**
 * How a permission was decided at Claude Code's own dialog. No event reports it; the result of the
 * tool in the transcript does.
 */

import { textOf } from "./events.ts";
import { isObject } from "./json.ts";
import {
  type BlockingClock,
  fromEnd,
  lastLines,
  type Line,
  parseEntry,
  waitForLine,
} from "./transcript.ts";

interface Asked {
  tool: string;
  tool_input: Record<string, unknown>;
}

/** The same without a wait. An input that is masked is not found. */
export function outcomeSoFar(transcriptPath: string, asked: Asked): "allow" | "deny" | undefined {
  return fromEnd(transcriptPath, (lines) => outcomeIn(lastLines(lines), asked));
}

/** undefined while the tool still runs, or where nothing of it is written. */
export function keyboardOutcome(
  transcriptPath: string,
  asked: Asked,
  clock?: BlockingClock,
): "allow" | "deny" | undefined {
  const read = (lines: Iterable<Line>) => ({ outcome: outcomeIn(lastLines(lines), asked) });
  const isThere = ({ outcome }: { outcome?: string }) => outcome !== undefined;
  return waitForLine(transcriptPath, read, isThere, { clock })?.outcome;
}

function outcomeIn(
  lines: Iterable<Line>,
  { tool, tool_input }: Asked,
): "allow" | "deny" | undefined {
  const results = new Map<string, "allow" | "deny">();
  for (const line of lines) {
    const entry = parseEntry(line.text);
    const content = entry?.message.content;
    for (const block of Array.isArray(content) ? content.filter(isObject) : []) {
      if (block.type === "tool_result") {
        results.set(textOf(block, "tool_use_id"), isRefusal(entry!.fields, block));
      }
      const isThis = block.type === "tool_use" && block.name === tool &&
        JSON.stringify(block.input) === JSON.stringify(tool_input);
      if (isThis) return results.get(textOf(block, "id"));
    }
  }
  return undefined;
}

/** 2.1.197 has only the words. */
function isRefusal(
  { toolDenialKind }: Record<string, unknown>,
  { content, is_error }: Record<string, unknown>,
): "allow" | "deny" {
  const words = "The user doesn't want to proceed with this tool use";
  const isWords = is_error === true && JSON.stringify(content ?? "").includes(words);
  return toolDenialKind === "user-rejected" || isWords ? "deny" : "allow";
}
