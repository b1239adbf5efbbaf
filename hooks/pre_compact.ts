/**
 * The conversation is about to be compacted. Claude Code passes what this hook prints to the
 * summariser as instructions, so it prints only what the agent wants to keep.
 */

import { type Hook, runHook } from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "PreCompact",
  async handle(context, tools) {
    const { event, settings } = context;
    const { tokensSoFar } = await tools.load("content");
    const { actions, pressureLine, replyExpected, sendWake } = await tools.load("sending");
    const { textOf } = tools;
    const trigger = textOf(event.fields, "trigger");
    if (trigger === "manual") await tools.tellInterrupted(context);
    const asked = textOf(event.fields, "custom_instructions");
    const isStep = (await tools.loadQueue(context))?.isStepOfCompaction(context) === true;
    const expectsReply = settings.hook_mode === "bidirectional" && !isStep;
    // An automatic one comes before a prompt or a result is sent, which no usage counts yet.
    const tokens = trigger === "manual" ? tokensSoFar(event) : undefined;
    const sent = await sendWake(context, {
      trigger: "pre_compact",
      section: "CONTENT",
      body: `Claude Code is about to compact the conversation (${trigger || "unknown cause"}).` +
        (asked === "" ? "" : `\nInstructions given for the summary: ${asked}`),
      state: "working",
      pressure: await pressureLine(context, tokens),
      ...(expectsReply ? { details: { reply_expected: replyExpected(settings) } } : {}),
      actions: actions(context, { kind: "working" }),
    }, {
      source: "event",
      expectsReply,
      ...(isStep && settings.queue_wakes === "end" ? { quiet: "it is a step of the queue" } : {}),
    });

    if (!expectsReply || sent.kind !== "queued") return;
    const { waitForDecision } = await tools.loadWaiting();
    const decision = waitForDecision(context, sent.wake_id);
    // Claude Code reads a text that begins with a brace as a decision of the hook.
    if (decision.kind === "instructions") return decision.text.replace(/^\s*(?=[{[])/, "Note: ");
    // An automatic compaction that is blocked leaves Claude without room to go on.
    if (decision.kind !== "block" || trigger !== "manual") return;
    return JSON.stringify({ decision: "block", reason: decision.reason });
  },
};

if (import.meta.main) await runHook(hook);
