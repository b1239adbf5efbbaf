/**
 * Claude Code starts, resumes, clears or has compacted. For the agent it stays the same
 * session: only Claude's id is updated, and no agent is woken.
 */

import { type Hook, runHook } from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "SessionStart",
  async handle(context, { loadQueue, note, rememberSession, textOf }) {
    const { event, paths, session, agent } = context;
    const source = textOf(event.fields, "source");
    // A compaction happens inside a turn: a question of that turn may still be open.
    const owner = rememberSession(context, { closeDialog: source !== "compact" });
    const id = { [owner === "guest" ? "guest" : "claude_session_id"]: event.sessionId };
    await note(paths, {
      kind: "session",
      session,
      agent_id: agent.agent_id,
      event: event.name,
      source,
      ...id,
    });
    if (owner !== "guest") await (await loadQueue(context))?.sessionStarted(context, source);
  },
};

if (import.meta.main) await runHook(hook);
