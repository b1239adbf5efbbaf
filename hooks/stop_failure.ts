/** A turn has failed: wakes the agent with the kind of failure and what may help. */

import { type Hook, runHook } from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "StopFailure",
  async handle(context, tools) {
    const { fields } = context.event;
    const { textOf } = tools;
    const { textSoFar } = await tools.load("content");
    const sending = await tools.load("sending");
    const { describeFailure, limitIn } = await tools.load("failures");
    const failure = describeFailure(
      textOf(fields, "error"),
      textOf(fields, "last_assistant_message"),
      textOf(fields, "error_details"),
    );
    const { apiResetsAt } = await tools.usageOf(context) ?? {};
    const limit = limitIn(failure, context.now.getTime(), apiResetsAt);
    const resets = apiResetsAt?.toISOString() ?? limit?.resets_at;
    // The event does not say whether subagents still run.
    await tools.closePending(context, { claude: context.event.sessionId, keepSubagents: true });
    const queue = await tools.loadQueue(context);
    await queue?.turnFailed(context, { ...failure, resetsAt: resets });
    await sending.sendWake(context, {
      trigger: "response_failed",
      section: "CONTENT",
      body: failure.text,
      details: {
        kind: failure.kind,
        ...(resets === undefined ? {} : { resets_at: resets }),
        advice: resets === undefined ? failure.advice : `not before the reset: ${failure.advice}`,
      },
      state: "error",
      pressure: await sending.pressureLine(context, textSoFar(context.event).tokens),
      actions: sending.actions(context, { kind: "prompt" }),
    }, { source: "event", open: null, ...(limit === undefined ? {} : { limit }) });
  },
};

if (import.meta.main) await runHook(hook);
