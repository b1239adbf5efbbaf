/** What Claude Code tells a hook: `unknown` in, typed value out. Unknown events and fields pass. */

import { isObject } from "./json.ts";

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

const ENDED = ["completed", "done", "failed", "killed", "stopped"];

export interface BackgroundTask {
  type: string;
  status: string;
  description: string;
}

/** What still runs although the turn has ended: then Claude will go on by itself. */
export function backgroundTasks(event: HookEvent): BackgroundTask[] {
  const tasks = event.fields.background_tasks;
  if (!Array.isArray(tasks)) return [];
  return tasks.filter(isObject).map((task) => ({
    type: textOf(task, "type"),
    status: textOf(task, "status"),
    description: textOf(task, "description") || textOf(task, "command"),
  })).filter((task) => !ENDED.includes(task.status));
}
