/** Wakes about a session that is no longer as it was started: on another server, or without hooks. */

import type { Paths } from "../paths.ts";
import { shellQuote } from "../text.ts";
import { commandWords, type WakeDraft } from "../wake.ts";
import type { SessionView } from "./session_view.ts";

export function hooksDraft({ session, agent_id, seen }: SessionView, paths: Paths): WakeDraft {
  const register = [Deno.execPath(), "run", "-A", `${paths.root}/register.ts`];
  const lines = [register, [...commandWords(paths, "doctor"), agent_id]];
  return {
    ...{ trigger: "session_changed", section: "CONTENT", state: "unknown" },
    body: `No hook of ours runs in ${session}: ` +
      (seen.hooksOff ?? "none has run since its Claude Code was started, though a turn has ended") +
      ".",
    details: {
      change: "hooks",
      advice:
        "The watch still reports its turns, late. Answers go with keys. register puts the hooks " +
        "back, doctor says what else is wrong; then the session has to be started again.",
    },
    actions: lines.map((words) => words.map(shellQuote).join(" ")),
  };
}

export function movedDraft(
  { session, seen: { movedTo = "" } }: SessionView,
  actions: string[],
): WakeDraft {
  return {
    ...{ trigger: "session_changed", section: "CONTENT", state: "unknown", actions },
    body: `Claude Code of ${session} runs on, now on the tmux server ${movedTo}.`,
    details: {
      change: "moved",
      advice: "Nothing is lost: its record follows. Use the actions of this wake from now on.",
    },
  };
}
