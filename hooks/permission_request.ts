/**
 * A dialog has opened: this hook stands beside it until the agent has answered through the menu
 * driver. The human may answer first at the terminal; then it leaves without a word.
 */

import { closePending, openPending, type Pending, permissionId } from "../lib/answers.ts";
import { waitForAnswer } from "../lib/answer_wait.ts";
import { decisionReply, describeRequest, kindOfTool } from "../lib/decision_reply.ts";
import { sleepSync } from "../lib/files.ts";
import {
  actions,
  type Hook,
  type HookContext,
  questionId,
  readQuestions,
  record,
  runHook,
  sendWake,
  textOf,
} from "../lib/hook_utils.ts";
import { isObject } from "../lib/json.ts";
import { readScreen } from "../lib/pane.ts";
import { readMemory } from "../lib/session_memory.ts";
import { capturePane } from "../lib/tmux.ts";

export const hook: Hook = {
  event: "PermissionRequest",
  async handle(context) {
    const { event, paths, session, settings, agent } = context;
    const tool = textOf(event.fields, "tool_name");
    const kind = kindOfTool(tool);
    const input = event.fields.tool_input;
    if (!isObject(input)) return;
    if (kind !== "question" && !settings.answer_permissions) return;

    const id = kind === "question"
      ? questionId(event.sessionId, event.promptId, readQuestions(input))
      : permissionId(event.sessionId, event.promptId, tool, input);
    const wakeId = kind === "question"
      ? wakeOfQuestion(context, id)
      : tellAgent(context, id, describeRequest(tool, input));
    const asked = Date.now();
    const pending: Pending = {
      id,
      kind,
      session,
      agent_id: agent.agent_id,
      tool,
      tool_input: input,
      asked_at: new Date(asked).toISOString(),
      until: new Date(asked + settings.answer_timeout_s * 1000).toISOString(),
      pid: Deno.pid,
      ...(wakeId === undefined ? {} : { wake_id: wakeId }),
    };
    // Claude asks one question at a time: an earlier one that nobody closed was escaped from.
    if (kind === "question") closePending(paths, session, { kind, but: id });
    openPending(paths, pending);

    const waited = await waitForAnswer(paths, pending, {
      now: Date.now,
      sleep: sleepSync,
      parent: () => Deno.ppid,
      look: async () => readScreen(await capturePane(context.tmux, context.pane, 0) ?? ""),
    });
    // After a time-out the question is still on the screen, and keys can still answer it.
    if (waited.kind === "dialog gone" || waited.kind === "claude gone") {
      closePending(paths, session, { id });
    }
    const base = { session, agent_id: agent.agent_id, question_id: id, tool };
    if (waited.kind !== "answered") {
      record(paths, { kind: "answered", ...base, by: "not the hook", reason: waited.kind });
      return;
    }
    const { given } = waited;
    const what = kind === "question" ? "answered" : "decided";
    record(paths, { kind: what, ...base, by: given.by, via: given.via, decision: given.decision });
    return decisionReply(kind, input, given.decision);
  },
};

/** The wake that PreToolUse has sent for the same question. */
function wakeOfQuestion(context: HookContext, id: string): string | undefined {
  const { open } = readMemory(context.paths, context.session);
  return open?.id === id ? open.wake_id : undefined;
}

function tellAgent(context: HookContext, id: string, body: string): string | undefined {
  const sent = sendWake(context, {
    trigger: "permission_prompt",
    section: "CONTENT",
    body,
    state: "permission_prompt",
    details: { question_id: id },
    actions: actions(context, { kind: "permission", mayDecide: true }),
  }, { source: "event", open: { id } });
  return sent.kind === "queued" ? sent.wake_id : undefined;
}

if (import.meta.main) await runHook(hook);
