/** Which of the open questions was answered. */

import { fileOf, listPending, readGiven } from "./answers.ts";
import { askedIn, askingsOf, readQuestions } from "./questions.ts";
import { fits } from "./close_pending.ts";
import type { HookEvent } from "./events.ts";
import type { Paths } from "./paths.ts";
import { isLike } from "./text.ts";

/**
 * Its id. Of several with the same words it is the one that was given this answer; else the one of
 * this tool use; else the oldest.
 */
export function answeredId(
  paths: Paths,
  session: string,
  event: HookEvent,
  answers: Record<string, string>,
): string | undefined {
  const asked = askedIn(event);
  const text = JSON.stringify(asked.questions);
  const open = listPending(paths, session).filter((one) =>
    one.kind === "question" && one.claude_session_id === asked.claude_session_id &&
    one.prompt_id === asked.prompt_id &&
    isLike(JSON.stringify(readQuestions(one.tool_input)), text)
  );
  const all = [...open, ...askingsOf(paths, session, event)];
  const isGiven = ({ id }: { id: string }) => {
    const given = readGiven(fileOf(paths, session, id, ".taken"));
    return given !== undefined && fits(given.decision, answers);
  };
  const isOfTool = (one: { tool_use_id?: string }) => one.tool_use_id === asked.tool_use_id;
  return (all.find(isGiven) ?? all.find(isOfTool) ?? all[0])?.id;
}
