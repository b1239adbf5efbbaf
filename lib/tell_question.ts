/** The wake of a question: under an id of its own, with the secret that an answer must carry. */

import { type HookEvent, textOf } from "./events.ts";
import { loadGuards, mayHoldSecret } from "./fence.ts";
import type { HookContext } from "./hook_context.ts";
import { isObject } from "./json.ts";
import { askedIn, askingsOf, formatQuestions, noteAsking, type Question } from "./questions.ts";
import { digestOf, newId, newSecret, withSecret } from "./request_ids.ts";
import { actions, sendWake } from "./sending.ts";
import { maskTexts } from "./text.ts";
import {
  type BlockingClock,
  isPrompt,
  joinBlocks,
  type Line,
  parseEntry,
  textIn,
  waitForLine,
} from "./transcript.ts";
import type { WakeDraft } from "./wake.ts";

/** Before the dialog is drawn. The hook beside the dialog finds what is noted here. */
export async function tellQuestion(context: HookContext): Promise<void> {
  const { event, paths, session, settings, now } = context;
  const asked = askedIn(event);
  const { questions } = asked;
  if (mayHoldSecret(JSON.stringify(questions))) await loadGuards(); // they are kept masked
  // The hook may run twice for one event. The second one does not know the secret. Where it sends
  // nothing, it need not look.
  const isThis = (one: { tool_use_id: string }) =>
    asked.tool_use_id !== "" && one.tool_use_id === asked.tool_use_id;
  const mayRepeat = settings.dedup_mode !== "skip";
  const known = mayRepeat ? askingsOf(paths, session, event).find(isThis) : undefined;
  const id = known?.id ?? newId("q");
  const secret = newSecret();
  const digesting = digestOf(secret); // while the transcript is read
  const said = saidBeforeTool(event);
  const secret_sha256 = await digesting;
  const name = known === undefined ? withSecret(id, secret) : id;
  await sendWake(context, questionWake(context, { id, name, questions, said }), {
    source: "event",
    open: openOf(id, questions),
    beforeQueue: (wake_id) => {
      if (known !== undefined) return;
      noteAsking(paths, session, { ...asked, id, secret_sha256, wake_id }, now.getTime());
    },
  });
}

/** What the session remembers of an open question. */
export function openOf(id: string, questions: Question[]): { id: string; asks: string[] } {
  return { id, asks: maskTexts(questions.map(({ question }) => question)) };
}

export interface ToTell {
  id: string;
  /** What the actions have behind `--question`. */
  name: string;
  questions: Question[];
  /** What Claude said before the question. */
  said: string;
}

export function questionWake(
  context: HookContext,
  { id, name, questions, said }: ToTell,
): WakeDraft {
  const input = context.event.fields.tool_input;
  return {
    trigger: "ask_user_question",
    section: "ASK USER QUESTION",
    before: { title: "Claude said before the question:", text: said },
    body: formatQuestions(questions) || JSON.stringify(input ?? null),
    state: "awaiting_user_input",
    details: { question_id: id },
    actions: actions(context, { kind: "question", questions, id: name }),
  };
}

/** The text before the tool use of the event, in the same message; "" where there is none. */
export function saidBeforeTool(event: HookEvent, clock?: BlockingClock): string {
  const toolUse = textOf(event.fields, "tool_use_id");
  if (toolUse === "") return "";
  const read = (lines: Iterable<Line>) => ({ text: textBefore(lines, toolUse) });
  const isWritten = ({ text }: { text?: string }) => text !== undefined;
  const isSure = textOf(event.fields, "agent_id") === ""; // a subagent has a file of its own
  return waitForLine(event.transcriptPath, read, isWritten, { clock, isSure })?.text ?? "";
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
