/**
 * A dialog has opened: this hook waits beside it until the agent has answered through the menu
 * driver. The human may answer first at the terminal; then it ends without a reply.
 */

import { type Hook, runHook } from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "PermissionRequest",
  async handle(context, { load, textOf }) {
    const isQuestion = textOf(context.event.fields, "tool_name") === "AskUserQuestion";
    if (!isQuestion && !context.settings.answer_permissions) return;
    return (await load("answer_request")).answerRequest(context);
  },
};

if (import.meta.main) await runHook(hook);
