/** The action clear: empties the input box of a text that the agent typed itself. */

import type { PaneScreen } from "./claude_pane.ts";
import { type ActionResult, describe, type DriverContext, refused } from "./driver_context.ts";
import { emptyBox, escapeDraft } from "./empty_box.ts";
import { isOwnDraft } from "../doors/own_drafts.ts";
import { waitForScreen } from "./screen_wait.ts";

const LEFT_WITHIN_MS = 2000;

/** Why this draft must stay; undefined where it is the agent's own, or the box is empty. */
export function whyNotOwn(context: DriverContext, screen: PaneScreen): string | undefined {
  if (screen.draft === "" || context.anyway) return undefined;
  const isOwn = !isShellLine(screen) && isOwnDraft(context.paths, context.session, screen.draft);
  return isOwn ? undefined : "a person is typing there: wait, or tell your human";
}

/** The driver types no shell lines. */
export function isShellLine({ ready, dialog }: PaneScreen): boolean {
  return !ready && dialog === undefined;
}

export async function clearDraft(context: DriverContext): Promise<ActionResult> {
  const { pane } = context;
  const screen = await pane.look();
  if (screen.dialog !== undefined && screen.dialog.kind !== "slash_menu") {
    return refused(`a dialog is open, and no draft; ${describe(screen)}`);
  }
  const isShell = isShellLine(screen) && screen.state !== "unknown";
  if (screen.draft === "" && !isShell) {
    return refused(`there is nothing to clear; ${describe(screen)}`);
  }
  const reason = whyNotOwn(context, screen);
  if (reason !== undefined) return refused(`${reason} (--anyway clears it); ${describe(screen)}`);
  if (context.dryRun) return { kind: "done", said: "Would clear the input box" };
  let after = await escapeDraft(pane);
  if (after.draft !== "") after = await emptyBox(pane);
  if (after.draft === "" && isShellLine(after)) {
    await pane.press("Escape");
    after = await waitForScreen(pane, LEFT_WITHIN_MS, (now) => now.ready);
  }
  return after.draft === ""
    ? { kind: "done", said: `Cleared the input box: ${describe(after)}`, via: "keys" }
    : refused(`the box is not empty: look with snapshot; ${describe(after)}`);
}
