/**
 * Claude Code starts, resumes, clears or has compacted. For the agent it stays the same
 * session: only Claude's id is updated, and no agent is woken.
 */

import { type Hook, runHook } from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "SessionStart",
  async handle(context, { loadQueue, note, rememberSession, textOf, usageOf }) {
    const { event, paths, session, agent } = context;
    const source = textOf(event.fields, "source");
    // A compaction happens inside a turn: a question of that turn may still be open.
    const owner = rememberSession(context, { closeDialog: source !== "compact" });
    const id = { [owner === "guest" ? "guest" : "claude_session_id"]: event.sessionId };
    // Of a conversation that is resumed: what it had cost when Claude Code was last there.
    const { lastUsd } = source === "resume" ? await usageOf(context) ?? {} : {};
    await note(paths, {
      kind: "session",
      session,
      agent_id: agent.agent_id,
      event: event.name,
      source,
      ...id,
      ...(lastUsd === undefined ? {} : { total_usd: lastUsd }),
    });
    if (owner !== "guest") await (await loadQueue(context))?.sessionStarted(context, source);
  },
};

if (import.meta.main) await runHook(hook);
