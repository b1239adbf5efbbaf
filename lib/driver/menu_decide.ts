/** The actions for permissions, plans and declined questions: allow, deny. */

import type { Pending } from "../answers.ts";
import { decides } from "../dialog_kind.ts";
import type { PaneScreen } from "./claude_pane.ts";
import {
  type ActionResult,
  describe,
  type DriverContext,
  lookForDialog,
  maskedLine,
  pendingHere,
  refused,
} from "./driver_context.ts";
import type { MenuOptions } from "./menu_order.ts";
import { openQuestion } from "./open_question.ts";
import { openRequest } from "./open_request.ts";
import type { Dialog } from "../pane.ts";
import { quotable, requestLine } from "../request_text.ts";
import { settle } from "./settle.ts";
import { markOf, requestsShown } from "../shown.ts";

export async function decide(
  context: DriverContext,
  decision: { kind: "allow" } | { kind: "deny"; message: string },
  options: MenuOptions,
): Promise<ActionResult> {
  const screen = await lookForDialog(context, options.question);
  const { dialog } = screen;
  const isQuestion = options.question === undefined
    ? dialog?.kind === "question" || dialog?.kind === "review"
    : options.question.startsWith("q-");
  if (decision.kind === "deny" && isQuestion) {
    return await decline(context, screen, decision, options);
  }
  const open = openRequest(context, screen, options.question);
  if (open.kind === "none" && options.question !== undefined) return refused(open.reason);
  if (context.whyNoDecision !== undefined) {
    return refused(`${context.whyNoDecision}; ${describe(screen)}`);
  }
  if (open.kind === "none") return refused(open.reason);
  const { pending } = open;
  const unread = decision.kind === "allow" ? whyUnread(context, mayBe(context, open)) : undefined;
  if (unread !== undefined) return refused(unread);
  const what = pending === undefined
    ? `"${quotable(maskedLine(askedBy(dialog)))}"`
    : pending.kind === "plan"
    ? "the plan"
    : `"${requestLine(pending.tool, pending.tool_input)}"`;
  const said = `${decision.kind === "allow" ? "Allowed" : "Denied"} ${what}`;
  const mark = dialog === undefined ? "" : markOf(dialog);
  return await settle(context, { pending, screen, decision, goal: { ...decision, mark }, said });
}

/** Where the screen does not show which one it is, it may be any that is open. */
function mayBe(context: DriverContext, { pending }: { pending?: Pending }): Pending[] {
  return pending === undefined ? pendingHere(context) : [pending];
}

/** The same for keys. Where no request fits what can be seen, the dialog may be about any of them. */
export function whyMayBeUnread(context: DriverContext, dialog: Dialog): string | undefined {
  const open = pendingHere(context).filter(({ kind }) => kind !== "question");
  const shown = requestsShown(open, dialog);
  return whyUnread(context, shown.length === 0 && decides(dialog.kind) ? open : shown);
}

/** An agent must not allow a request that it has seen only in part. */
function whyUnread(context: DriverContext, requests: Pending[]): string | undefined {
  const unread = requests.find((one) => !context.hasRead(one));
  return unread === undefined
    ? undefined
    : `the wake of ${unread.id} shows it in part: read ${unread.cut?.file} to its end and add ` +
      `--seen with the code that stands there, or let a person decide at the terminal`;
}

/** In a low window the title is cut off; the question above the rows is still there. */
function askedBy(dialog: Dialog | undefined): string {
  if (dialog === undefined) return "";
  const asks = dialog.text.split("\n").findLast((line) =>
    /^\s*(Do you want|Would you like)/.test(line)
  );
  const isCut = dialog.title.startsWith("│") || dialog.title.length < 8;
  return isCut ? asks?.trim() ?? dialog.title : dialog.title;
}

/** Declines a question with a message, which only its hook can pass on. */
async function decline(
  context: DriverContext,
  screen: PaneScreen,
  decision: { kind: "deny"; message: string },
  options: MenuOptions,
): Promise<ActionResult> {
  const open = openQuestion(context, screen, options.question);
  if (open.kind === "none") return refused(open.reason);
  const { pending, questions } = open.open;
  if (pending === undefined || !context.isWaiting(pending)) {
    return refused(`no hook waits for this question: esc declines it; ${describe(screen)}`);
  }
  if (!context.opens(pending)) {
    return refused(
      `only its hook can decline it with a message: use the line of its wake, or esc; ` +
        describe(screen),
    );
  }
  const said = `Declined "${quotable(maskedLine(questions[0]?.question ?? ""))}"`;
  return await settle(context, {
    pending,
    screen,
    decision,
    goal: { ...decision, mark: "" },
    said,
  });
}
