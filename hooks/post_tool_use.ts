/** A question has been answered: wakes the agent with the choice and who made it, if it wants to. */

import { type Hook, type HookContext, runHook } from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "PostToolUse",
  async handle(context, tools) {
    const { event, paths, session, agent } = context;
    if (tools.textOf(event.fields, "tool_name") !== "AskUserQuestion") return;
    const asking = await tools.load("question_answers");
    const { answeredId } = await tools.load("answered_id");
    const answers = asking.readAnswers(event.fields);
    const chosen = Object.fromEntries(answers.map(({ question, answer }) => [question, answer]));
    const id = answeredId(paths, session, event, chosen);
    const closing = id === undefined ? undefined : { id, answers: chosen };
    const [closed] = closing === undefined ? [] : await tools.closePending(context, closing);
    const named = id === undefined ? undefined : { question_id: id };
    const isOwn = closed?.who === agent.agent_id;
    const name = isOwn ? agent.agent_id : tools.plainWord(closed?.who ?? "") ?? "somebody";
    const limit = asking.timeLimitOf(event.fields);
    const who = limit !== undefined
      ? `nobody: it was open for ${limit / 1000} s, then Claude Code went on without an answer`
      : closed?.who
      ? `${closed.by} ${name}`
      : closed?.by ?? "human";
    if (limit === undefined && (closed === undefined || closed.by === "human")) {
      const { keyboardRecord } = await tools.load("records");
      await tools.note(paths, keyboardRecord(context, id, chosen, closed));
    }
    const trigger = "ask_user_question_answered";
    const reason = whyUnwanted(context, isOwn);
    if (reason !== undefined) {
      tools.rememberSession(context, { closeDialog: true });
      const about = { session, agent_id: agent.agent_id, trigger, event: event.name };
      return await tools.note(paths, { kind: "suppressed", ...about, ...named, reason });
    }
    const { actions, sendWake } = await tools.load("sending");
    await sendWake(context, {
      trigger,
      section: "ANSWER SELECTED",
      body: asking.formatAnswers(answers) || "(The question was left without an answer.)",
      state: "answer_submitted",
      details: { ...named, answered_by: who },
      actions: actions(context, { kind: "working" }),
    }, { source: "event", open: null });
  },
};

/** `isOwn`: the agent itself has answered. */
function whyUnwanted({ settings }: HookContext, isOwn: boolean): string | undefined {
  const { answered_wakes: wanted } = settings;
  if (wanted === "never") return 'answers wake no agent: answered_wakes is "never"';
  return wanted === "others" && isOwn
    ? 'the agent itself has answered: answered_wakes is "others"'
    : undefined;
}

if (import.meta.main) await runHook(hook);
