/** A question has been answered: the agent is told what was chosen, and by whom. */

import { type Hook, runHook } from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "PostToolUse",
  async handle(context, tools) {
    const { event, paths, session } = context;
    if (tools.textOf(event.fields, "tool_name") !== "AskUserQuestion") return;
    const id = tools.questionId(
      event.sessionId,
      event.promptId,
      tools.readQuestions(event.fields.tool_input),
    );
    const answers = tools.readAnswers(event.fields);
    const chosen = Object.fromEntries(answers.map(({ question, answer }) => [question, answer]));
    const { closePending } = await tools.loadReading();
    const [closed] = closePending(paths, session, { id, answers: chosen });
    const who = closed === undefined ? "human" : [closed.by, closed.who].filter(Boolean).join(" ");
    await tools.sendWake(context, {
      trigger: "ask_user_question_answered",
      section: "ANSWER SELECTED",
      body: tools.formatAnswers(answers) || "(The question was left without an answer.)",
      state: "answer_submitted",
      details: { question_id: id, answered_by: who },
      actions: tools.actions(context, { kind: "working" }),
    }, { source: "event", open: null });
  },
};

if (import.meta.main) await runHook(hook);
