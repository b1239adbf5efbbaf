/** A subagent has ended: what it said last. */

import { type Hook, runHook } from "../../lib/hook_utils.ts";

export const hook: Hook = {
  event: "SubagentStop",
  async handle(context, tools) {
    const { actions, sendWake } = await tools.load("sending");
    await sendWake(context, {
      trigger: "subagent_complete",
      section: "CONTENT",
      body: tools.textOf(context.event.fields, "last_assistant_message"),
      state: "working",
      actions: actions(context, { kind: "working" }),
    }, { source: "event" });
  },
};

if (import.meta.main) await runHook(hook);
