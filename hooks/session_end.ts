/** Claude Code has left the session: the agent is told, and what belonged to the session goes. */

import { type Hook, runHook } from "../lib/hook_utils.ts";

/** With these the same Claude Code goes on at once under another id. */
const GOES_ON = ["clear", "resume"];

export const hook: Hook = {
  event: "SessionEnd",
  handle(context, { actions, cleanUpSession, closePending, record, sendWake, textOf }) {
    const { event, paths, session, agent } = context;
    const reason = textOf(event.fields, "reason") || "unknown";
    if (GOES_ON.includes(reason)) {
      const about = { session, agent_id: agent.agent_id, event: event.name, reason };
      record(paths, { kind: "session", ...about, claude_session_id: event.sessionId });
    } else {
      sendWake(context, {
        trigger: "session_end",
        section: "CONTENT",
        body: `Claude Code has ended (${reason}). Its conversation is kept: ${event.sessionId}`,
        state: "terminated",
        actions: actions(context, { kind: "ended" }),
      }, { source: "event", open: null });
      cleanUpSession(context);
    }
    closePending(paths, session);
  },
};

if (import.meta.main) await runHook(hook);
