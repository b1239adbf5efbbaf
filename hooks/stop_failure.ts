/** A turn has failed: the agent is told what kind of failure it is and what may help. */

import {
  actions,
  describeFailure,
  type Hook,
  pressureLine,
  runHook,
  sendWake,
  textOf,
  textSoFar,
} from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "StopFailure",
  async handle(context) {
    const { fields } = context.event;
    sendWake(context, {
      trigger: "response_failed",
      section: "CONTENT",
      body: describeFailure(
        textOf(fields, "error"),
        textOf(fields, "last_assistant_message"),
        textOf(fields, "error_details"),
      ),
      state: "error",
      pressure: await pressureLine(context, textSoFar(context.event).tokens),
      actions: actions(context, { kind: "prompt" }),
    }, { source: "event", open: null });
  },
};

if (import.meta.main) await runHook(hook);
