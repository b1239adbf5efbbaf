/** Claude asks a question: wakes the agent before the dialog is drawn, and ends at once. */

import { type Hook, runHook } from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "PreToolUse",
  async handle(context, tools) {
    const { event, paths, session, agent } = context;
    if (tools.textOf(event.fields, "tool_name") !== "AskUserQuestion") return;
    // If a later version does ask then, the hook beside the dialog reports it.
    if (tools.textOf(event.fields, "permission_mode") === "dontAsk") {
      const reason = "in the mode dontAsk Claude Code refuses the question and shows no dialog";
      const about = { session, agent_id: agent.agent_id, event: event.name };
      return await tools.note(paths, { kind: "suppressed", ...about, reason });
    }
    const { tellQuestion } = await tools.load("tell_question");
    await tellQuestion(context);
  },
};

if (import.meta.main) await runHook(hook);
