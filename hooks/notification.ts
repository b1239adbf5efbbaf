/** Claude Code waits for somebody: idle, before a permission, or for a reason not known yet. */

import {
  actions,
  type Hook,
  type HookContext,
  oneLine,
  paneText,
  pressureLine,
  runHook,
  sendWake,
  textOf,
  textSoFar,
  type WakeDraft,
} from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "Notification",
  async handle(context) {
    const { event, paths, session, settings } = context;
    const type = oneLine(textOf(event.fields, "notification_type")) || "notification";
    const message = textOf(event.fields, "message");
    const { capture } = await context.screen();
    const fromPane = paneText(paths, session, capture, settings.min_context_lines);
    const said = textSoFar(event);
    const pressure = await pressureLine(context, said.tokens);
    const draft = { trigger: type, section: "CONTENT", pressure } as const;

    if (type === "idle_prompt") {
      const source = said.text !== "" ? said.source : "pane";
      sendWake(context, {
        ...draft,
        body: said.text || fromPane || message,
        state: "idle",
        actions: actions(context, { kind: "prompt" }),
      }, { source });
    } else {
      sendWake(context, { ...draft, ...await fromScreen(context, type, message || fromPane) }, {
        source: "pane",
      });
    }
  },
};

/** What stands in the dialog is what has to be decided; without one, the message is all there is. */
async function fromScreen(
  context: HookContext,
  type: string,
  message: string,
): Promise<Pick<WakeDraft, "body" | "state" | "actions">> {
  const { dialog, state } = await context.screen();
  const permission = type === "permission_prompt";
  const isQuestion = dialog?.kind === "question" || dialog?.kind === "review";
  const mayDecide = context.settings.answer_permissions;
  return {
    body: dialog === undefined ? message : `${message}\n\n${dialog.text}`,
    state: permission && !isQuestion ? "permission_prompt" : state,
    actions: isQuestion
      ? actions(context, { kind: "question", questions: [{ multiSelect: false }] })
      : actions(context, permission ? { kind: "permission", mayDecide } : { kind: "prompt" }),
  };
}

if (import.meta.main) await runHook(hook);
