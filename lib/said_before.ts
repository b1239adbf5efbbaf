/** What Claude said in the message that asks a question: often the reasons to choose by. */

import { type HookEvent, textOf } from "./events.ts";
import { isObject } from "./json.ts";
import { type BlockingClock, waitForLine } from "./transcript.ts";
import { isPrompt, joinBlocks, type Line, parseEntry, textIn } from "./transcript.ts";

/** The text before the tool use of the event, in the same message; "" where there is none. */
export function saidBeforeTool(event: HookEvent, clock?: BlockingClock): string {
  const toolUse = textOf(event.fields, "tool_use_id");
  if (toolUse === "") return "";
  const read = (lines: Iterable<Line>) => ({ text: textBefore(lines, toolUse) });
  const isWritten = ({ text }: { text?: string }) => text !== undefined;
  return waitForLine(event.transcriptPath, read, isWritten, { clock, mayCome: true })?.text ?? "";
}

/** undefined while the tool use, which is in the last message, is not written yet. */
function textBefore(lines: Iterable<Line>, toolUse: string): string | undefined {
  const blocks: string[] = [];
  let message: string | undefined;
  let isFound = false;
  for (const line of lines) {
    const entry = parseEntry(line.text);
    if (entry === undefined || entry.type === "system") continue;
    if (entry.type === "user") {
      if (isPrompt(entry.fields, entry.message)) break;
      continue; // the result of another tool of the same message
    }
    const id = textOf(entry.message, "id");
    message ??= id;
    if (id !== message) break;
    isFound ||= uses(entry.message.content, toolUse);
    const text = isFound ? textIn(entry.message.content) : "";
    if (text !== "") blocks.unshift(text);
  }
  return isFound ? joinBlocks(blocks) : undefined;
}

function uses(content: unknown, toolUse: string): boolean {
  return Array.isArray(content) &&
    content.some((block) => isObject(block) && block.type === "tool_use" && block.id === toolUse);
}
