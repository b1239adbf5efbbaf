/** What recovery has to say: to each agent whose session came back, and to whoever minds them all. */

import { commandWords } from "../situation.ts";
import { newWakeId } from "../ids.ts";
import { record } from "../journal.ts";
import type { Conversation } from "./launch.ts";
import { newWake, type Receiver } from "../new_wake.ts";
import { enqueue } from "../outbox.ts";
import type { Dialog } from "../pane.ts";
import { messageOf } from "../process.ts";
import { shellQuote } from "../shell.ts";
import { otherSocket } from "../situation.ts";
import { dialogHelp } from "./start_claude.ts";
import { actionsFor, type WakeDraft } from "../wake.ts";
import type { World } from "./world.ts";

export interface Recovered {
  session: string;
  /** What was found: "its tmux session was gone", … */
  found: string;
  conversation: Conversation;
  dialog?: Dialog;
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
  // Words of one's own are no answer to the dialogs of a start.
  const fitting = actions.filter((line) =>
    what.dialog === undefined || !line.endsWith(" type <text>")
  );
  return {
    trigger: "session_recovered",
    section: "CONTENT",
    body: [
      `Claude Code was not running in ${what.session}: ${what.found}. It has been started again.`,
      continued(what.conversation),
      todo(what),
      ...(what.dialog === undefined ? [] : ["", what.dialog.text]),
    ].join("\n"),
    state: what.dialog === undefined ? "idle" : "menu",
    actions: fitting,
  };
}

function continued(conversation: Conversation): string {
  switch (conversation.kind) {
    case "resume":
      return `It goes on with its own conversation (${conversation.target}).`;
    case "continue":
      return "It goes on with the latest conversation of its folder.";
    case "new":
      return "It begins a new conversation: there was none to go on with.";
    case "picker":
      return "Which conversation was its own is not known: it shows the list of them.";
  }
}

function todo({ dialog, conversation }: Recovered): string {
  if (dialog?.kind === "resume_picker") return "Pick the conversation to go on with.";
  if (dialog !== undefined) return `${dialogHelp(dialog)}. Answer it.`;
  return conversation.kind === "new"
    ? "Tell it what to work on."
    : "A turn that was running has been cut off: look where it stood, then tell it to go on.";
}

/** Puts a wake into the outbox and starts what carries it. */
export function send(world: World, to: Receiver, session: string, draft: WakeDraft): string {
  const now = world.now();
  const wakeId = newWakeId(now.getTime());
  enqueue(world.paths, newWake(world.paths, to, session, draft, { wakeId, now }));
  const about = { session, agent_id: to.agent_id, wake_id: wakeId, trigger: draft.trigger };
  record(world.paths, { kind: "queued", ...about });
  deliver(world, to.agent_id, session);
  return wakeId;
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
