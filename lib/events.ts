/**
 * What comes in on a hook's standard input. The registered command puts tmux's answer first:
 *
 *   warden-main            the session
 *   ❯ …                    the screen
 *   <RS>{"session_id": …   a record separator, then the event
 *
 * By hand the event comes alone, and the hook asks tmux itself. Unknown events and fields pass.
 */

import { isObject } from "./json.ts";

/** How many lines above the screen the registered command captures, unless the pane's mark has more. */
export const SHELL_CAPTURE_LINES = 100;

/** Set by the registered command for a hook that asks tmux itself: the launcher for that. */
export const CAPTURE_LAUNCHER = "GSD_CAPTURE";

/**
 * Set by the registered command to its number: it starts a deliverer after WAKE_WAITS. With
 * SHELL_READS behind it, it takes the code from the first line, and any reply from what follows. An
 * older command takes the exit code.
 */
export const SHELL_DELIVERS = "GSD_SHELL_DELIVERS";
export const SHELL_READS = ",reads";
export const WAKE_WAITS = 10;
/** The queue of the session is to be looked at; with a wake that waits as well. */
export const QUEUE_WAITS = 11;
export const BOTH_WAIT = 12;

/** The number of the registered command, where that starts the deliverer. */
export function shellOf(env: (name: string) => string | undefined): string | undefined {
  return env(SHELL_DELIVERS)?.split(",", 1)[0];
}

export interface HookInput {
  event: string;
  tmux?: { session: string; capture: string };
}

const SEPARATOR = "\u001e";

export function splitInput(text: string): HookInput {
  // Claude Code writes its events without control characters: the first one is ours.
  const end = text.indexOf(SEPARATOR);
  if (end === -1) return { event: text };
  const lineEnd = text.indexOf("\n");
  const named = lineEnd !== -1 && lineEnd < end;
  return {
    event: text.slice(end + 1),
    tmux: {
      session: named ? text.slice(0, lineEnd) : "",
      capture: named ? text.slice(lineEnd + 1, end) : "",
    },
  };
}

export type PaneOwner =
  /** `shownIn`: every session that shows the pane's window, such as that of a person who watches. */
  | { kind: "session"; name: string; shownIn: ShowingSession[] }
  | { kind: "none"; reason: string };

export interface ShowingSession {
  /** tmux's own number of it, such as `$3`. */
  id: string;
  name: string;
  /** How many panes it has: another one may run a Claude Code as well. */
  panes: number;
}

/**
 * The session, the height of the pane, its window; then each session with the windows of its panes:
 *   warden-main <TAB> 40 <TAB> @1 <TAB> $0 <TAB> warden-main <TAB> @0 @1 @1 <TAB> $3 <TAB> …
 * No name has a tab. It may have a comma, which separates tmux's own list of sessions.
 */
export const OWNER_FORMAT = "#{session_name}\t#{pane_height}\t#{window_id}\t" +
  "#{S:#{session_id}\t#{session_name}\t#{W:#{P:#{window_id} }}\t}";

/** tmux answers with an empty name, not an error, for a pane that has gone. */
export function paneOwner(line: string): PaneOwner {
  const [name = "", _height, window = "", ...sessions] = line.split("\t");
  if (name === "") return { kind: "none", reason: "The pane is gone" };
  const shownIn: ShowingSession[] = [];
  for (let at = 0; at + 2 < sessions.length; at += 3) {
    const [id = "", other = "", windows = ""] = sessions.slice(at, at + 3);
    const all = windows.trim().split(" ");
    if (all.includes(window)) shownIn.push({ id, name: other, panes: all.length });
  }
  if (!shownIn.some((session) => session.name === name)) {
    shownIn.unshift({ id: "", name, panes: 1 });
  }
  return { kind: "session", name, shownIn };
}

/** How many lines of a capture are the screen; the lines above are history. */
export function paneHeight(line: string): number | undefined {
  const height = Number(line.split("\t")[1]);
  return height > 0 ? height : undefined;
}

export interface HookEvent {
  name: string;
  sessionId: string;
  transcriptPath: string;
  cwd: string;
  promptId: string;
  /** The whole payload, for what is particular to one event. */
  fields: Record<string, unknown>;
}

export type EventReading = { kind: "event"; event: HookEvent } | { kind: "unusable" };

export function readEvent(text: string): EventReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "unusable" };
  }
  if (!isObject(value)) return { kind: "unusable" };
  return {
    kind: "event",
    event: {
      name: textOf(value, "hook_event_name"),
      sessionId: textOf(value, "session_id"),
      transcriptPath: textOf(value, "transcript_path"),
      cwd: textOf(value, "cwd"),
      promptId: textOf(value, "prompt_id"),
      fields: value,
    },
  };
}

/** A field's text; "" when it is missing or of another type. */
export function textOf(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

/** Subagents that still run in the background. What they ask outlives the turn. */
export function runsSubagents(event: HookEvent): boolean {
  return backgroundTasks(event).some(({ type }) => type === "subagent");
}

const ENDED = ["completed", "done", "failed", "killed", "stopped"];

export interface BackgroundTask {
  type: string;
  status: string;
  description: string;
}

/** What still runs although the turn has ended. */
export function backgroundTasks(event: HookEvent): BackgroundTask[] {
  const tasks = event.fields.background_tasks;
  if (!Array.isArray(tasks)) return [];
  return tasks.filter(isObject).map((task) => ({
    type: textOf(task, "type"),
    status: textOf(task, "status"),
    description: textOf(task, "description") || textOf(task, "command"),
  })).filter((task) => !ENDED.includes(task.status));
}
