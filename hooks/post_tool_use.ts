/** A question has been answered: the agent is told what was chosen, and by whom. */

import {
  actions,
  formatAnswers,
  type Hook,
  questionId,
  readAnswers,
  readQuestions,
  runHook,
  sendWake,
  textOf,
} from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "PostToolUse",
  handle(context) {
    const { event } = context;
    if (textOf(event.fields, "tool_name") !== "AskUserQuestion") return;
    const questions = readQuestions(event.fields.tool_input);
    const id = questionId(event.sessionId, event.promptId, questions);
    sendWake(context, {
      trigger: "ask_user_question_answered",
      section: "ANSWER SELECTED",
      body: formatAnswers(readAnswers(event.fields)) ||
        "(The question was left without an answer.)",
      state: "answer_submitted",
      details: { question_id: id },
      actions: actions(context, { kind: "working" }),
    }, { source: "event", open: null });
  },
};

if (import.meta.main) await runHook(hook);
