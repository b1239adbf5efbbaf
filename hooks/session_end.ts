/** Claude Code has ended: wakes the agent and removes what belonged to the session. */

import { type Hook, runHook } from "../lib/hook_utils.ts";

/** With these the same Claude Code goes on at once under another id. */
const GOES_ON = ["clear", "resume"];

const STOPPED = "It was ended on purpose, with gsd-code stop. Do not start it again by yourself.";

export const hook: Hook = {
  event: "SessionEnd",
  async handle(context, tools) {
    const { isEndOfStop, note, rememberSession, stoppedAt, textOf } = tools;
    const { event, paths, session, agent } = context;
    const { forgetPane } = await tools.load("content");
    const reason = textOf(event.fields, "reason") || "unknown";
    await tools.tellInterrupted(context);
    const owner = rememberSession(context, { closeDialog: true });
    const about = { session, agent_id: agent.agent_id, event: event.name };
    const { lastUsd: total } = await tools.usageOf(context) ?? {};
    if (GOES_ON.includes(reason)) {
      await note(paths, {
        kind: "session",
        ...about,
        reason,
        claude_session_id: event.sessionId,
        ...(total === undefined ? {} : { total_usd: total }),
      });
    } else {
      const { actions, sendWake } = await tools.load("sending");
      const isOwn = owner === "own";
      const isStopped = isOwn && isEndOfStop(stoppedAt(paths, session), context.now.getTime());
      await sendWake(context, {
        trigger: "session_end",
        section: "CONTENT",
        body: `Claude Code has ended (${reason}). Its conversation is kept: ${event.sessionId}` +
          (isOwn ? "" : "\nAnother Claude Code has since run in this session."),
        ...(isStopped ? { details: { advice: STOPPED } } : {}),
        state: "terminated",
        actions: actions(context, { kind: "ended", isStopped }),
      }, { source: "event", open: null, ...(total === undefined ? {} : { total }) });
      if (isOwn) forgetPane(paths, session);
    }
    await tools.closePending(context, { claude: event.sessionId });
  },
};

if (import.meta.main) await runHook(hook);
