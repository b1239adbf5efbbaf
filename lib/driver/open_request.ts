/** Finds the permission or plan that a decision is for, and no other. */

import type { Pending } from "../answers.ts";
import type { PaneScreen } from "./claude_pane.ts";
import {
  describe,
  type DriverContext,
  mayUseHook,
  pendingHere,
  whyWrongSecret,
} from "./driver_context.ts";
import { requestLine } from "../request_text.ts";
import { isSameInput, requestsShown } from "../shown.ts";

export type RequestFound =
  /** Without `pending` it is only on the screen: no hook has reported one that looks like it. */
  | { kind: "open"; pending?: Pending }
  | { kind: "none"; reason: string };

export function openRequest(
  context: DriverContext,
  screen: PaneScreen,
  id: string | undefined,
): RequestFound {
  const { dialog } = screen;
  const asked = pendingHere(context).filter(({ kind }) => kind === "permission" || kind === "plan");
  if (id !== undefined) {
    const own = asked.find((one) => one.id === id);
    if (own === undefined) {
      return none(`the request ${id} is no longer open; ${describe(screen)}`);
    }
    const wrong = whyWrongSecret(context, own);
    if (wrong !== undefined) return none(wrong);
    const shown = dialog === undefined ? [] : requestsShown(asked, dialog);
    return mayUseHook(context, own) || (shown.length === 1 && shown[0] === own)
      ? { kind: "open", pending: own }
      : none(
        `the request ${id} is not on the screen: act on what is there first; ${describe(screen)}`,
      );
  }
  if (dialog?.kind !== "permission" && dialog?.kind !== "plan") {
    return none(`nothing asks for permission; ${describe(screen)}`);
  }
  const shown = requestsShown(asked, dialog);
  const waiting = shown.filter(context.isWaiting);
  const left = waiting.length > 0 ? waiting : shown;
  // Keys decide what is on the screen. Of identical ones Claude shows the oldest first.
  if (left.every((one) => isSameInput(one, left[0]!))) return { kind: "open", pending: left[0] };
  const list = left.map(labelOf).join("; ");
  return none(
    `several requests look like the one on the screen: name one with --question: ${list}`,
  );
}

/** `p-12AB (Read /tmp/a)`. A long one is cut in the middle: paths and commands differ at the end. */
function labelOf({ id, tool, tool_input }: Pending): string {
  const what = requestLine(tool, tool_input);
  return `${id} (${what.length > 100 ? `${what.slice(0, 50)}…${what.slice(-50)}` : what})`;
}

function none(reason: string): RequestFound {
  return { kind: "none", reason };
}
