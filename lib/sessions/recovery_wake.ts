/** The wake for an agent whose session has come back. */

import type { Conversation, Launch, PendingRecovery } from "./launch.ts";
import { RIGHTS } from "../dialog_kind.ts";
import { record } from "../journal.ts";
import { hasQueue } from "../known_sessions.ts";
import { newWake, queuedRecord, type Receiver } from "../new_wake.ts";
import { enqueue } from "../outbox.ts";
import type { Dialog } from "../pane.ts";
import { messageOf } from "../process.ts";
import type { Agent } from "../registry.ts";
import { isOpen, stateOfQueue } from "../steps.ts";
import { readQueue } from "../steps_file.ts";
import { shellQuote } from "../text.ts";
import { dialogHelp } from "./start_claude.ts";
import { driverWords } from "./tmux_servers.ts";
import { actionsFor, type WakeDraft } from "../wake.ts";
import type { World } from "../cli/world.ts";

/** What the menu driver answers only for an agent with `answer_permissions`. */
function isDecision({ kind }: Dialog): boolean {
  return !RIGHTS[kind].free;
}

export function recoveredDraft(
  world: World,
  agent: Agent,
  { session, first_command: first = "", tmux_socket }: Launch,
  { found, conversation }: PendingRecovery,
  dialog: Dialog | undefined,
): WakeDraft {
  const needsPerson = dialog !== undefined && isDecision(dialog) &&
    !agent.settings.answer_permissions;
  const actions = actionsFor(
    driverWords(world.paths, tmux_socket).map(shellQuote).join(" "),
    session,
    dialog === undefined
      ? { kind: "prompt" }
      : { kind: "question", questions: [{ multiSelect: false }] },
  );
  // The dialogs of a start take no free text.
  const fitting = (line: string) =>
    dialog === undefined || (needsPerson ? / snapshot$/.test(line) : !/ type <text>$/.test(line));
  return {
    trigger: "session_recovered",
    section: "CONTENT",
    body: [
      `Claude Code was not running in ${session}: ${found}. It has been started again.`,
      continued(conversation, dialog),
      ...(first === "" ? [] : [`It begins by itself with its first command: ${first}`]),
      ...(dialog === undefined ? [] : ["", dialog.text]),
    ].join("\n"),
    details: { advice: todo(conversation, dialog, first, needsPerson), ...queueOf(world, session) },
    state: dialog === undefined ? "idle" : "menu",
    actions: actions.filter(fitting),
  };
}

function continued(conversation: Conversation, dialog: Dialog | undefined): string {
  if ("target" in conversation && dialog?.kind === "resume_picker") {
    return `Its conversation (${conversation.target}) was not found: it shows the list of them.`;
  }
  switch (conversation.kind) {
    case "resume":
      return `It goes on with its own conversation (${conversation.target}).`;
    case "target":
      return `It was asked for the conversation of its claude_resume_target, "${conversation.target}".`;
    case "chosen":
      return "Its launch command says itself which conversation it opens.";
    case "continue":
      return "It goes on with the latest conversation of its folder.";
    case "new":
      return "It begins a new conversation: there was none to go on with.";
    case "picker":
      return "Which conversation was its own is not known: it shows the list of them.";
  }
}

function todo(
  conversation: Conversation,
  dialog: Dialog | undefined,
  first: string,
  needsPerson: boolean,
): string {
  if (dialog?.kind === "resume_picker") return "Pick the conversation to go on with.";
  if (dialog !== undefined) {
    // The title of a dialog is not ours: the content has it.
    const help = dialogHelp({ ...dialog, title: "" });
    return needsPerson
      ? `${help}. You may not answer it (answer_permissions is off): ask a person.`
      : `${help}. Answer it.`;
  }
  if (first !== "") return "Wait for its wake.";
  return conversation.kind === "new"
    ? "Tell it what to work on."
    : "If a turn was running, it was cut off: look how far it got, then tell it to go on.";
}

/** Its steps go on by themselves, without an instruction. */
function queueOf({ paths }: World, session: string): Record<string, string> {
  try {
    const queue = hasQueue(paths, session) ? readQueue(paths, session) : undefined;
    if (queue === undefined || !queue.steps.some(isOpen)) return {};
    const state = { queue: stateOfQueue(queue) };
    return queue.paused === undefined ? { advice: QUEUE_GOES_ON, ...state } : state;
  } catch {
    return {};
  }
}

const QUEUE_GOES_ON = "Nothing: its queue goes on by itself. A turn that was cut off is continued.";

/** Puts a wake into the outbox and starts its deliverer. */
export function send(
  world: World,
  to: Receiver,
  session: string,
  draft: WakeDraft,
  wakeId: string,
): void {
  const now = world.now();
  const wake = newWake(world.paths, to, session, draft, { wakeId, now });
  enqueue(world.paths, wake);
  record(world.paths, queuedRecord(wake));
  deliver(world, to.agent_id, session);
}

/** Where that fails, the wake stays in the outbox for the timer. */
export function deliver(world: World, agentId: string, session: string): void {
  try {
    world.startDeliverer(agentId);
  } catch (error) {
    const reason = `Cannot start the deliverer: ${messageOf(error)}`;
    record(world.paths, { kind: "problem", session, agent_id: agentId, reason });
  }
}
