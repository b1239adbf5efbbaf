/** Claude Code has got a prompt: records who gave it. Prints nothing, since Claude would read it. */

import { type Hook, runHook } from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "UserPromptSubmit",
  async handle(context, tools) {
    const { event } = context;
    const { notePrompt } = await tools.load("prompted");
    const { who, isUnreported } = await notePrompt(context);
    if (isUnreported) await tools.tellInterrupted(context);
    if (who !== undefined) await (await tools.loadQueue(context))?.promptArrived(context, who);
    // A dialog of an earlier turn is gone: no event has said so.
    const but = { id: "", prompt_id: event.promptId };
    await tools.closePending(context, { claude: event.sessionId, but });
  },
};

if (import.meta.main) await runHook(hook);
