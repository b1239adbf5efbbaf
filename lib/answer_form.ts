/**
 * An MCP server asks for input. Claude Code runs this hook before it draws the form, and draws none
 * where the hook replies. So the agent is notified and has some time; then a person can fill it in.
 */

import { openPending, type Pending } from "./answers.ts";
import { waitBeside } from "./answer_request.ts";
import { textOf } from "./events.ts";
import { loadGuards } from "./fence.ts";
import { fieldsOf, formText } from "./forms.ts";
import type { HookContext } from "./hook_context.ts";
import { digestOf, newId, newSecret, withSecret } from "./request_ids.ts";
import { sendWake } from "./sending.ts";
import { pause } from "./time.ts";
import { actions } from "./wake.ts";

/** The reply for Claude Code; none where the form is for a person. */
export async function answerForm(context: HookContext): Promise<string | undefined> {
  const { event, session, settings, agent, paths } = context;
  const schema = event.fields.requested_schema;
  const fields = fieldsOf(schema);
  if (textOf(event.fields, "mode") === "url" || fields === undefined) return undefined;
  await loadGuards();
  const server = textOf(event.fields, "mcp_server_name");
  const message = textOf(event.fields, "message");
  const text = formText(server, message, fields);
  // What the wake would cut, the agent must not fill in.
  if (text.length > settings.max_content_chars) return undefined;
  const asked = Date.now();
  const secret = newSecret();
  const id = newId("f");
  const waitS = Math.min(settings.form_wait_s, settings.answer_timeout_s);
  let pending: Pending = {
    id,
    kind: "form",
    session,
    pane: context.pane,
    claude_session_id: event.sessionId,
    prompt_id: event.promptId,
    agent_id: agent.agent_id,
    tool: `form of ${server}`,
    tool_input: { message, requested_schema: schema },
    asked_at: new Date(asked).toISOString(),
    until: new Date(asked + waitS * 1000).toISOString(),
    pid: Deno.pid,
    secret_sha256: await digestOf(secret),
  };
  await sendWake(context, {
    trigger: "elicitation_dialog",
    section: "CONTENT",
    body: text,
    isDecision: true,
    state: "menu",
    details: {
      question_id: id,
      advice: `fill it in within ${waitS} s, decline it, or leave it to a person: until then ` +
        "no person sees the form. Give no password or key",
    },
    actions: actions(context, { kind: "form", id: withSecret(id, secret) }),
  }, {
    source: "event",
    open: { id },
    identity: id,
    beforeQueue: (wake_id) => {
      pending = { ...pending, wake_id };
      openPending(paths, pending);
    },
  });
  return await waitBeside(context, pending, { sleep: pause });
}
