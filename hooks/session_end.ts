/** Claude Code has left the session: the agent is told, and what belonged to the session goes. */

import { type Hook, runHook } from "../lib/hook_utils.ts";

/** With these the same Claude Code goes on at once under another id. */
const GOES_ON = ["clear", "resume"];

export const hook: Hook = {
  event: "SessionEnd",
  async handle(context, { actions, loadReading, record, sendWake, textOf }) {
    const { event, paths, session, agent } = context;
    const { closePending, forgetPane } = await loadReading();
    const reason = textOf(event.fields, "reason") || "unknown";
    if (GOES_ON.includes(reason)) {
      const about = { session, agent_id: agent.agent_id, event: event.name, reason };
      record(paths, { kind: "session", ...about, claude_session_id: event.sessionId });
    } else {
      await sendWake(context, {
        trigger: "session_end",
        section: "CONTENT",
        body: `Claude Code has ended (${reason}). Its conversation is kept: ${event.sessionId}`,
        state: "terminated",
        actions: actions(context, { kind: "ended" }),
      }, { source: "event", open: null });
      forgetPane(paths, session);
    }
    closePending(paths, session);
  },
};

if (import.meta.main) await runHook(hook);
