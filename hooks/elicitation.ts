/** An MCP server asks for input: the agent may fill in the form, before a person sees it. */

import { type Hook, runHook } from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "Elicitation",
  async handle(context, { load }) {
    const { answer_permissions, form_wait_s } = context.settings;
    if (!answer_permissions || form_wait_s === 0) return;
    return (await load("answer_form")).answerForm(context);
  },
};

if (import.meta.main) await runHook(hook);
