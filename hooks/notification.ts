/** Claude Code waits: idle, for a permission, or for a reason of a later version. */

import {
  type Hook,
  type HookContext,
  runHook,
  type Sending,
  type WakeDraft,
} from "../lib/hook_utils.ts";

export const hook: Hook = {
  event: "Notification",
  async handle(given, tools) {
    const [reading, sending] = await Promise.all([tools.load("content"), tools.load("sending")]);
    const looking = given.capture();
    const type = tools.textOf(given.event.fields, "notification_type");
    const event = type === "idle_prompt" ? await reading.idleTurn(given.event) : given.event;
    const context = { ...given, event };
    const { paths, session, settings } = context;
    const said = reading.textSoFar(event);
    const capture = await looking;
    const pane = reading.paneText(paths, session, capture, settings.min_context_lines);
    const trigger = tools.plainWord(type) ?? "notification";
    const named = type === "" || trigger === type ? "" : `Its kind: ${type}\n`;
    const message = named + tools.textOf(event.fields, "message");
    const pressure = await sending.pressureLine(context, said.tokens);
    const draft = { trigger, section: "CONTENT", pressure } as const;

    const idle = {
      body: said.text || await pane.text() || message,
      isScreen: said.text === "",
      state: "idle" as const,
      actions: sending.actions(context, { kind: "prompt" }),
    };
    const isIdle = trigger === "idle_prompt";
    if (isIdle) {
      await tools.tellInterrupted(context);
      if (await tools.loadQueue(context) !== undefined) context.startQueue(session);
    }
    const shown = isIdle
      ? idle
      : await fromDialog(context, sending, trigger, message || await pane.text());
    const { dialog } = await context.screen();
    const sent = await sending.sendWake(context, { ...draft, ...shown }, {
      source: isIdle && said.text !== "" ? said.source : "pane",
      ...(dialog === undefined ? {} : { dialog: dialog.kind }),
    });
    if (sent.kind !== "suppressed") pane.keep();
  },
};

/** The dialog says what has to be decided; without a dialog there is only the message. */
async function fromDialog(
  context: HookContext,
  { actions }: Sending,
  trigger: string,
  message: string,
): Promise<Pick<WakeDraft, "body" | "isDecision" | "state" | "actions" | "details">> {
  const { dialog, state } = await context.screen();
  const body = dialog === undefined ? message : `${message}\n\n${withoutHints(dialog.text)}`;
  const isDecision = dialog !== undefined || trigger === "permission_prompt";
  if (dialog?.kind === "question" || dialog?.kind === "review") {
    const questions = [{ multiSelect: false }];
    return { body, isDecision, state, actions: actions(context, { kind: "question", questions }) };
  }
  if (trigger === "permission_prompt") {
    const mayDecide = context.settings.answer_permissions;
    const allowing = actions(context, { kind: "permission", mayDecide });
    return { body, isDecision, state: trigger, actions: allowing };
  }
  const isForm = /^elicitation_(url_)?dialog$/.test(trigger);
  if (dialog === undefined && !isForm) {
    return { body, isDecision, state, actions: actions(context, { kind: "prompt" }) };
  }
  const mayChoose = context.settings.answer_permissions;
  const hasRows = mayChoose && dialog?.options.some((row) => row.numbered) === true;
  const details = isForm ? { details: { advice: FORM_ADVICE } } : {};
  const closing = actions(context, { kind: "dialog", hasRows });
  return { body, isDecision, state, ...details, actions: closing };
}

const FORM_ADVICE = "an MCP server asks for input: only a person at the terminal can give it; " +
  "esc cancels the request, and Claude goes on";

/** Removes rules, and hints to people at the keyboard, such as how to allow more than is asked. */
function withoutHints(text: string): string {
  return text.split("\n").filter((line) => !/^\s*(╌+$|Tip: )/.test(line)).join("\n");
}

if (import.meta.main) await runHook(hook);
