/** A turn has ended: the agent is told in Claude's words, and may say what comes next. */

import {
  actions,
  backgroundTasks,
  finalText,
  type Hook,
  paneText,
  pressureLine,
  runHook,
  sendWake,
  waitForDecision,
} from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "Stop",
  async handle(context) {
    const { event, paths, session, settings } = context;
    const { capture } = await context.screen();
    const fromPane = paneText(paths, session, capture, settings.min_context_lines);
    const said = finalText(event);
    const source = said.text !== "" ? said.source : fromPane !== "" ? "pane" : "none";

    // After a block the agent is told that its instruction is done, but cannot block again: no loop.
    const again = event.fields.stop_hook_active === true;
    const expectsReply = settings.hook_mode === "bidirectional" && !again;
    const tasks = backgroundTasks(event);
    const sent = sendWake(context, {
      trigger: "response_complete",
      section: "CONTENT",
      body: said.text || fromPane || "(The turn ended without a word from Claude.)",
      state: tasks.length > 0 ? "paused" : "idle",
      pressure: await pressureLine(context, said.tokens),
      details: {
        ...(again ? { stop_hook_active: "true" } : {}),
        ...(tasks.length === 0 ? {} : {
          background_tasks: tasks.map((task) => `${task.type} "${task.description}"`).join(", "),
        }),
      },
      actions: actions(context, { kind: "prompt" }),
    }, { source, expectsReply, open: null });

    if (!expectsReply || sent.kind !== "queued") return;
    const decision = waitForDecision(context, sent.wake_id);
    if (decision.kind !== "block") return;
    return JSON.stringify({ decision: "block", reason: decision.reason });
  },
};

if (import.meta.main) await runHook(hook);
