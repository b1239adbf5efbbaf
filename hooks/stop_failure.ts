/** A turn has failed: wakes the agent with the kind of failure and what may help. */

import { type Hook, runHook } from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "StopFailure",
  async handle(context, tools) {
    const { fields } = context.event;
    const { textOf } = tools;
    const { textSoFar } = await tools.loadReading();
    const { describeFailure } = await tools.loadFailures();
    const failure = describeFailure(
      textOf(fields, "error"),
      textOf(fields, "last_assistant_message"),
      textOf(fields, "error_details"),
    );
    const { apiResetsAt: resets } = await tools.usageOf(context) ?? {};
    // The event does not say whether subagents still run.
    await tools.closePending(context, { claude: context.event.sessionId, keepSubagents: true });
    const queue = await tools.loadQueue(context);
    await queue?.turnFailed(context, { ...failure, resetsAt: resets });
    await tools.sendWake(context, {
      trigger: "response_failed",
      section: "CONTENT",
      body: failure.text,
      details: {
        kind: failure.kind,
        ...(resets === undefined ? {} : { resets_at: resets.toISOString() }),
        advice: resets === undefined ? failure.advice : `not before the reset: ${failure.advice}`,
      },
      state: "error",
      pressure: await tools.pressureLine(context, textSoFar(context.event).tokens),
      actions: tools.actions(context, { kind: "prompt" }),
    }, { source: "event", open: null });
  },
};

if (import.meta.main) await runHook(hook);
