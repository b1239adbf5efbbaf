/** Finds the permission or plan that a decision is for, and no other. */

import { listPending, type Pending } from "../answers.ts";
import type { PaneScreen } from "./claude_pane.ts";
import { describeRequest } from "../decision_reply.ts";
import { brief, describe, type DriverContext } from "./driver_context.ts";
import { requestsShown } from "../shown.ts";

export type RequestFound =
  /** Without `pending` it is only on the screen: no hook has reported it. */
  | { kind: "open"; pending?: Pending }
  | { kind: "none"; reason: string };

export function openRequest(
  context: DriverContext,
  screen: PaneScreen,
  id: string | undefined,
): RequestFound {
  const { dialog } = screen;
  const asked = listPending(context.paths, context.session).filter((one) =>
    one.kind !== "question"
  );
  if (id !== undefined) {
    const own = asked.find((one) => one.id === id);
    if (own === undefined) {
      return none(`the request ${id} is no longer open; ${describe(screen)}`);
    }
    const shown = dialog === undefined ? [] : requestsShown(asked, dialog);
    return context.isWaiting(own) || (shown.length === 1 && shown[0] === own)
      ? { kind: "open", pending: own }
      : none(
        `the request ${id} is not on the screen: act on what is there first; ${describe(screen)}`,
      );
  }
  if (dialog?.kind !== "permission" && dialog?.kind !== "plan") {
    return none(`nothing asks for permission; ${describe(screen)}`);
  }
  const ofKind = asked.filter((one) => one.kind === dialog.kind);
  const shown = requestsShown(asked, dialog);
  const likely = shown.length > 0 ? shown : ofKind;
  if (likely.length <= 1) return { kind: "open", pending: likely[0] };
  const waiting = likely.filter(context.isWaiting);
  if (waiting.length === 1) return { kind: "open", pending: waiting[0] };
  const list = (waiting.length > 0 ? waiting : likely).map(labelOf).join("; ");
  return none(
    `several requests look like the one on the screen: name one with --question: ${list}`,
  );
}

/** `p-12AB (Read /tmp/a)`. A long one is cut in the middle: paths and commands differ at the end. */
function labelOf(pending: Pending): string {
  const what = brief(requestIn(pending), 1000);
  return `${pending.id} (${what.length > 100 ? `${what.slice(0, 50)}…${what.slice(-50)}` : what})`;
}

/** The tool and what it would do, in one line. */
export function requestIn({ tool, tool_input }: Pending): string {
  const [, ...what] = describeRequest(tool, tool_input).split("\n\n");
  return `${tool} ${what.join(" ")}`;
}

function none(reason: string): RequestFound {
  return { kind: "none", reason };
}
