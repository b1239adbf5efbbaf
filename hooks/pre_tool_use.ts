/** Claude asks a question: wakes the agent before the dialog is drawn, and ends at once. */

import { type Hook, runHook } from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "PreToolUse",
  async handle(context, tools) {
    const { event } = context;
    if (tools.textOf(event.fields, "tool_name") !== "AskUserQuestion") return;
    const { tellQuestion } = await tools.loadTelling();
    await tellQuestion(context);
  },
};

if (import.meta.main) await runHook(hook);
