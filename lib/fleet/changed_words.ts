/** Wakes about a session that is no longer as it was started: its name, its server, its hooks. */

import type { Paths } from "../paths.ts";
import { shellQuote } from "../text.ts";
import { commandWords, type WakeDraft } from "../wake.ts";
import { tmuxLine } from "./session_commands.ts";
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

/** It runs in no tmux server that we know. */
export function outOfReachDraft({ session, seen }: SessionView, actions: string[]): WakeDraft {
  return {
    ...{ trigger: "session_changed", section: "CONTENT", state: "unknown", actions },
    body: `Claude Code of ${session} is no longer there, and runs on in process ` +
      `${seen.entry?.pid}, in no tmux server that we know.`,
    details: {
      change: "moved",
      advice: "You cannot type into it. Ask a person to end it; recover brings it back.",
    },
  };
}

/** With a record the session stays its agent's, whatever its name: the watch lets that follow. */
export function renamedDraft(view: SessionView): WakeDraft {
  const { session, seen, seen: { renamedTo = "", launch } } = view;
  const advice = launch === undefined
    ? "Its hooks no longer find you: only the watch tells you what happens. The action gives it " +
      "its name back."
    : "Use the new name from now on. All that is kept of the session follows it, and so do its " +
      "wakes. The action gives it its old name back.";
  return {
    trigger: "session_changed",
    section: "CONTENT",
    body: `The tmux session ${session} is now called ${renamedTo}. Claude Code runs on in it.`,
    details: { change: "renamed", advice },
    state: "unknown",
    actions: [tmuxLine(seen, ["rename-session", "-t", `=${renamedTo}`, session])],
  };
}
