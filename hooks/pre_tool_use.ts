/** Claude asks a question: wakes the agent before the dialog is drawn, and ends at once. */

import { type Hook, runHook } from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "PreToolUse",
  async handle(context, tools) {
    const { actions, sendWake, textOf } = tools;
    const { event } = context;
    if (textOf(event.fields, "tool_name") !== "AskUserQuestion") return;
    const { formatQuestions, questionId, readQuestions } = await tools.loadQuestions();
    const { saidBefore } = await tools.loadSaidBefore();
    const questions = readQuestions(event.fields.tool_input);
    const id = questionId(event.sessionId, event.promptId, questions);
    await sendWake(context, {
      trigger: "ask_user_question",
      section: "ASK USER QUESTION",
      before: { title: "Claude said before the question:", text: saidBefore(event) },
      body: formatQuestions(questions) || JSON.stringify(event.fields.tool_input ?? null),
      state: "awaiting_user_input",
      details: { question_id: id },
      actions: actions(context, { kind: "question", questions, id }),
    }, { source: "event", open: { id, asks: questions.map(({ question }) => question) } });
  },
};

if (import.meta.main) await runHook(hook);
