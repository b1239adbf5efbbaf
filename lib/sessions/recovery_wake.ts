/** What recovery has to say: to each agent whose session came back, and to whoever minds them all. */

import { commandWords } from "../wake.ts";
import { record } from "../journal.ts";
import type { Conversation } from "./launch.ts";
import { newWake, type Receiver } from "../new_wake.ts";
import { enqueue } from "../outbox.ts";
import type { Dialog } from "../pane.ts";
import { messageOf } from "../process.ts";
import { shellQuote } from "../shell.ts";
import { otherSocket } from "../wake.ts";
import { dialogHelp } from "./start_claude.ts";
import { actionsFor, type WakeDraft } from "../wake.ts";
import type { World } from "../cli/world.ts";

export interface Recovered {
  session: string;
  /** What was found: "its tmux session was gone", … */
  found: string;
  conversation: Conversation;
  /** What Claude Code begins with by itself. */
  first: string;
  dialog?: Dialog;
  /** The agent may answer what asks for permission or trust. */
  mayDecide: boolean;
}

/** What the menu driver answers only for an agent that may decide. */
function isDecision({ kind }: Dialog): boolean {
  return kind === "trust" || kind === "bypass" || kind === "permission" || kind === "plan";
}

export function recoveredDraft(world: World, what: Recovered, socket: string): WakeDraft {
  const driver = commandWords(world.paths, "menu-driver");
  const other = otherSocket(`${socket},0,0`);
  if (other !== undefined) driver.push("--socket", other);
  const actions = actionsFor(
    driver.map(shellQuote).join(" "),
    what.session,
    what.dialog === undefined
      ? { kind: "prompt" }
      : { kind: "question", questions: [{ multiSelect: false }] },
  );
  const { dialog } = what;
  const isHuman = dialog !== undefined && isDecision(dialog) && !what.mayDecide;
  // Words of one's own are no answer to the dialogs of a start.
  const fitting = dialog === undefined
    ? actions
    : actions.filter((line) => isHuman ? / snapshot$/.test(line) : !/ type <text>$/.test(line));
  return {
    trigger: "session_recovered",
    section: "CONTENT",
    body: [
      `Claude Code was not running in ${what.session}: ${what.found}. It has been started again.`,
      continued(what.conversation, what.dialog),
      todo(what),
      ...(what.first === "" ? [] : [`It begins by itself with its first command: ${what.first}`]),
      ...(what.dialog === undefined ? [] : ["", what.dialog.text]),
    ].join("\n"),
    state: what.dialog === undefined ? "idle" : "menu",
    actions: fitting,
  };
}

function continued(conversation: Conversation, dialog: Dialog | undefined): string {
  const isListed = dialog?.kind === "resume_picker";
  switch (conversation.kind) {
    case "resume":
      return isListed
        ? `Its own conversation (${conversation.target}) was not found: it shows the list of them.`
        : `It goes on with its own conversation (${conversation.target}).`;
    case "target":
      return isListed
        ? `No conversation fits its claude_resume_target "${conversation.target}": it shows a list.`
        : `It was asked for the conversation of its claude_resume_target, "${conversation.target}".`;
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

function todo({ dialog, conversation, first, mayDecide }: Recovered): string {
  if (dialog?.kind === "resume_picker") return "Pick the conversation to go on with.";
  if (dialog !== undefined && isDecision(dialog) && !mayDecide) {
    return `${
      dialogHelp(dialog)
    }. You may not answer it (answer_permissions is off): ask a person.`;
  }
  if (dialog !== undefined) return `${dialogHelp(dialog)}. Answer it.`;
  if (first !== "") return "Wait for its wake.";
  return conversation.kind === "new"
    ? "Tell it what to work on."
    : "A turn that was running has been cut off: look where it stood, then tell it to go on.";
}

/** Puts a wake into the outbox and starts what carries it. */
export function send(
  world: World,
  to: Receiver,
  session: string,
  draft: WakeDraft,
  wakeId: string,
): void {
  const now = world.now();
  enqueue(world.paths, newWake(world.paths, to, session, draft, { wakeId, now }));
  const about = { session, agent_id: to.agent_id, wake_id: wakeId, trigger: draft.trigger };
  record(world.paths, { kind: "queued", ...about });
  deliver(world, to.agent_id, session);
}

/** A wake that cannot be carried now stays in the outbox: the timer takes it along. */
export function deliver(world: World, agentId: string, session: string): void {
  try {
    world.startDeliverer(agentId);
  } catch (error) {
    const reason = `Cannot start the deliverer: ${messageOf(error)}`;
    record(world.paths, { kind: "problem", session, agent_id: agentId, reason });
  }
}
