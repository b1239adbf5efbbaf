/** Suppresses wakes that were sent before. The identity of the event decides, not its text. */

import { type HookEvent, textOf } from "./events.ts";
import { isObject } from "./json.ts";
import { TURN_ENDS } from "./outbox.ts";
import { hash } from "./paths.ts";

/** A wake that was sent, as the session remembers it. */
export interface Said {
  identity: string;
  wake_id: string;
  trigger: string;
  prompt_id: string;
  at: number;
  /** The end of a turn beside which something ran on that may never end. */
  running?: boolean;
  /** The message of Claude whose words it has. */
  message?: string;
}

/** A dialog that has a wake and no answer yet. */
export interface OpenDialog {
  id: string;
  /** The questions, if it is a question. */
  asks?: string[];
  wake_id: string;
  prompt_id: string;
  /** Another Claude of the same tmux session does not close it. */
  claude_session_id?: string;
  /** Asked by a subagent, whose dialog outlives the turn. */
  subagent?: string;
}

export interface Memory {
  said: Said[];
  open?: OpenDialog;
  /** The one before it, where that is of another Claude of the same tmux session. */
  beside?: OpenDialog;
  /** The dialog that was closed last, and when. */
  closed?: OpenDialog & { at: number };
}

export type Judgement =
  | { kind: "send" }
  /** Known, but still reported: with a short wake, in every mode. */
  | { kind: "remind"; reason: string; of: string }
  /** `of` is the earlier wake; without one it is suppressed in every mode. */
  | { kind: "suppress"; reason: string; of?: string };

export interface Incoming {
  event: string;
  /** The kind of dialog that the screen shows, where it shows one. */
  dialog?: string;
  trigger: string;
  promptId: string;
  identity: Identity;
  now: number;
}

/** A `weak` identity may repeat; it only detects duplicates that arrive together. */
export interface Identity {
  key: string;
  weak: boolean;
}

const TOGETHER_MS = 5000;
const STILL_WAITS = "Claude has waited for input since then, whatever runs in the background";
/** A hook may outlive its Claude Code by this time. */
const LOST_MS = 10_000;
/**
 * Claude Code reminds of a dialog 6 s after it has opened. So a reminder this soon after a dialog has
 * closed is of that one: both hooks ran at the same time.
 */
const CLOSED_MS = 3000;

export function judge(
  incoming: Incoming,
  memory: Memory,
  isDelivered: (wakeId: string) => boolean,
  /** Can the agent still answer it by the lines of its wake? */
  isAnswerable: (id: string) => boolean = () => true,
): Judgement {
  const twin = memory.said.findLast((said) => said.identity === incoming.identity.key);
  if (twin && (!incoming.identity.weak || Math.abs(incoming.now - twin.at) < TOGETHER_MS)) {
    return { kind: "suppress", reason: "the same event was sent before", of: twin.wake_id };
  }
  const lost = incoming.trigger === "session_end"
    ? memory.said.findLast((said) => said.trigger === "session_lost")
    : undefined;
  if (lost && Math.abs(incoming.now - lost.at) < LOST_MS) {
    return {
      kind: "suppress",
      reason: "the loss of the session was sent before",
      of: lost.wake_id,
    };
  }
  if (incoming.promptId === "") return { kind: "send" };

  if (incoming.trigger === "idle_prompt") {
    const end = memory.said.findLast((said) =>
      said.prompt_id === incoming.promptId && TURN_ENDS.includes(said.trigger)
    );
    if (end && isDelivered(end.wake_id)) {
      if (end.running) return { kind: "remind", reason: STILL_WAITS, of: end.wake_id };
      return { kind: "suppress", reason: "the end of this turn was sent before", of: end.wake_id };
    }
  }
  // A reminder of the open dialog is suppressed; another dialog of the same turn is not.
  const isReminder = incoming.event === "Notification" && incoming.trigger === "permission_prompt";
  const open = [memory.open, memory.beside].find((one) => one?.prompt_id === incoming.promptId);
  const isKnown = open !== undefined && fitsScreen(open, incoming.dialog) && isAnswerable(open.id);
  if (isReminder && isKnown) {
    return {
      kind: "suppress",
      reason: "it is the dialog of a question that was sent before",
      of: open.wake_id,
    };
  }
  const { closed } = memory;
  // Of two permissions of a turn the memory has one, which may not be the one that was answered.
  const isOver = (id: string) => isQuestionId(id) || !isAnswerable(id);
  const isClosed = open === undefined && closed?.prompt_id === incoming.promptId &&
    fitsScreen(closed, incoming.dialog) && isOver(closed.id) &&
    Math.abs(incoming.now - closed.at) < CLOSED_MS;
  if (isReminder && isClosed) {
    return {
      kind: "suppress",
      reason: "it is a dialog that was just answered",
      of: closed.wake_id,
    };
  }
  return { kind: "send" };
}

function fitsScreen(open: OpenDialog, dialog: string | undefined): boolean {
  return dialog === undefined || isQuestion(dialog) === isQuestionId(open.id);
}

function isQuestion(dialog: string): boolean {
  return dialog === "question" || dialog === "review";
}

function isQuestionId(id: string): boolean {
  return id.startsWith("q-");
}

/** What makes an event this one and no other. */
export function identityOf(event: HookEvent, body: string): Identity {
  const toolUse = textOf(event.fields, "tool_use_id");
  const parts = [event.name, event.sessionId, event.promptId];
  if (toolUse !== "") return { key: join([...parts, toolUse]), weak: false };
  switch (event.name) {
    case "Stop": {
      // When a hook runs twice, only the event is the same: transcript and screen may have changed.
      const said = textOf(event.fields, "last_assistant_message").trim();
      const words = said === "" && event.promptId === "" ? body : said;
      return {
        key: join([
          ...parts,
          String(event.fields.stop_hook_active === true),
          taskIds(event.fields.background_tasks),
          hash(words),
        ]),
        weak: event.promptId === "" || said === "",
      };
    }
    case "StopFailure":
      return {
        key: join([...parts, textOf(event.fields, "error"), hash(body)]),
        weak: event.promptId === "",
      };
    case "Notification":
      return {
        key: join([
          ...parts,
          textOf(event.fields, "notification_type"),
          textOf(event.fields, "message"),
        ]),
        // Claude Code reminds of idleness once per turn; of a permission once per dialog.
        weak: event.promptId === "" ||
          textOf(event.fields, "notification_type") !== "idle_prompt",
      };
    default:
      return { key: join([...parts, hash(body)]), weak: true };
  }
}

const MOST_REMEMBERED = 50;

export function remember(memory: Memory, said: Said): Memory {
  return { ...memory, said: [...memory.said, said].slice(-MOST_REMEMBERED) };
}

function taskIds(tasks: unknown): string {
  if (!Array.isArray(tasks)) return "";
  return tasks.filter(isObject).map((task) => textOf(task, "id")).join(",");
}

function join(parts: string[]): string {
  return parts.join("|");
}
