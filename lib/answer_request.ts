/** The hook beside a dialog: it wakes the agent, waits for its answer and replies to Claude Code. */

import { fileOf, openPending, type Pending, permissionId, readPending } from "./answers.ts";
import { waitForAnswer } from "./answer_wait.ts";
import { closePending } from "./close_pending.ts";
import { decisionReply, describeRequest, kindOfTool } from "./decision_reply.ts";
import { textOf } from "./events.ts";
import { sleepSync } from "./files.ts";
import type { HookContext } from "./hook_context.ts";
import { record } from "./journal.ts";
import { isObject } from "./json.ts";
import { readScreen } from "./pane.ts";
import { questionId, readQuestions } from "./questions.ts";
import { sendWake } from "./send_wake.ts";
import { readMemory, rememberSession } from "./session_memory.ts";
import { isAbout } from "./shown.ts";
import { actions } from "./wake.ts";
import { lookAtPane } from "./tmux.ts";

/** The reply for Claude Code; none when the human has answered, or no answer came. */
export async function answerRequest(context: HookContext): Promise<string | undefined> {
  const { event, paths, session, agent, pane } = context;
  const pending = await pendingFrom(context);
  if (pending === undefined) return;
  const { id, kind, tool } = pending;
  // A question of an earlier turn that is still open was left with Escape.
  if (kind === "question") {
    closePending(paths, session, { kind, but: pending, claude: event.sessionId });
  }
  openPending(paths, pending);

  const waited = await waitForAnswer(paths, pending, {
    now: Date.now,
    sleep: sleepSync,
    parent: () => Deno.ppid,
    look: async () => {
      const look = await lookAtPane(context.env, pane);
      return readScreen(look.kind === "seen" ? look.screen : "");
    },
    isOurs: (dialog) => isAbout(pending, dialog),
  });
  // After a time-out the question is still on the screen, and keys can still answer it.
  if (waited.kind === "dialog gone" || waited.kind === "claude gone") {
    closePending(paths, session, { id });
  }
  const base = {
    session,
    agent_id: agent.agent_id,
    wake_id: pending.wake_id,
    event: event.name,
    question_id: id,
    tool,
  };
  if (waited.kind !== "answered") {
    record(paths, { kind: "answered", ...base, by: "not the hook", reason: waited.kind });
    return;
  }
  const { by, caller, via, decision } = waited.given;
  const what = kind === "question" ? "answered" : "decided";
  record(paths, { kind: what, ...base, by, caller, via, decision });
  // No event tells the end of a permission's dialog, nor of a question that was refused.
  if (kind !== "question" || decision.kind === "deny") {
    closePending(paths, session, { id });
    rememberSession(context, { closeDialog: true });
  }
  return decisionReply(kind, pending.tool_input, decision);
}

async function pendingFrom(context: HookContext): Promise<Pending | undefined> {
  const { event, session, settings, agent } = context;
  const tool = textOf(event.fields, "tool_name");
  const kind = kindOfTool(tool);
  const input = event.fields.tool_input;
  if (!isObject(input)) return undefined;
  const id = kind === "question"
    ? questionId(event.sessionId, event.promptId, readQuestions(input))
    : permissionId(event.sessionId, event.promptId, tool, input);
  const wakeId = kind === "question"
    ? wakeOfQuestion(context, id)
    : await tellAgent(context, id, describeRequest(tool, input));
  const asked = Date.now();
  return {
    id,
    kind,
    session,
    claude_session_id: event.sessionId,
    prompt_id: event.promptId,
    agent_id: agent.agent_id,
    tool,
    tool_input: input,
    asked_at: new Date(asked).toISOString(),
    until: new Date(asked + settings.answer_timeout_s * 1000).toISOString(),
    pid: Deno.pid,
    ...(wakeId === undefined ? {} : { wake_id: wakeId }),
  };
}

/** The wake that PreToolUse has sent for the same question. */
function wakeOfQuestion(context: HookContext, id: string): string | undefined {
  const { open } = readMemory(context.paths, context.session);
  return open?.id === id ? open.wake_id : undefined;
}

async function tellAgent(
  context: HookContext,
  id: string,
  body: string,
): Promise<string | undefined> {
  const { paths, session } = context;
  const isOpen = readPending(fileOf(paths, session, id, "")) !== undefined;
  const send = (body: string) =>
    sendWake(context, {
      trigger: "permission_prompt",
      section: "CONTENT",
      body,
      state: "permission_prompt",
      details: { question_id: id },
      actions: actions(context, { kind: "permission", mayDecide: true, id }),
    }, { source: "event", open: { id } });
  let sent = await send(body);
  // The same command once more, after a decision about it: that is news as well.
  if (sent.kind === "suppressed" && !isOpen) {
    sent = await send(`${body}\n\n(Asked again at ${context.now.toISOString()})`);
  }
  return sent.kind === "queued" ? sent.wake_id : undefined;
}
