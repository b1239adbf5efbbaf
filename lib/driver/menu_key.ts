/** The actions enter and esc: one key, pressed once. */

import { dropTaken, listPending, noteKeys, type Pending } from "../answers.ts";
import { closePending } from "../close_pending.ts";
import { decides } from "../dialog_kind.ts";
import { isAbout, requestsShown } from "../shown.ts";
import type { PaneScreen } from "./claude_pane.ts";
import { whyNoKeys } from "./dialog_rights.ts";
import { OPENING_MS, PATIENCE_MS } from "./drive.ts";
import { type ActionResult, describe, type DriverContext, refused } from "./driver_context.ts";
import { whyNotOwn } from "./menu_clear.ts";
import { whyMayBeUnread } from "./menu_decide.ts";
import { interruptByMod } from "./mod_prompt.ts";
import { waitForScreen } from "./screen_wait.ts";
import { givenBy, noteByKeys, noteLeft } from "./settle.ts";

/** At the prompt a key may work without a visible effect. */
export const AT_PROMPT_MS = 2000;

/** Presses one key, where it cannot do what another action must ask for. */
export async function pressKey(
  context: DriverContext,
  key: "Enter" | "Escape",
): Promise<ActionResult> {
  if (!context.dryRun) await context.pane.clock.sleep(OPENING_MS);
  const screen = await context.pane.look();
  const { dialog } = screen;
  const forbidden = key === "Enter" ? whyNoKeys(context, screen) : undefined;
  if (forbidden !== undefined) return refused(forbidden);
  if (key === "Enter" && dialog !== undefined && !/^(\d+\. )?No\b/.test(dialog.focused)) {
    const unread = whyMayBeUnread(context, dialog);
    if (unread !== undefined) return refused(unread);
  }
  if (key === "Enter" && dialog === undefined && screen.draft === "") {
    return refused(`there is nothing to enter; ${describe(screen)}`);
  }
  if (key === "Enter" && dialog === undefined) {
    const reason = whyNotOwn(context, screen);
    if (reason !== undefined) return refused(`${reason}; ${describe(screen)}`);
  }
  const isBare = screen.ready && screen.state === "idle" && screen.draft === "";
  if (key === "Escape" && dialog === undefined && isBare) {
    return refused(`there is nothing to escape from; ${describe(screen)}`);
  }
  if (context.dryRun) return { kind: "done", said: `Would press ${key}` };
  const { mod } = context;
  if (key === "Escape" && dialog === undefined && mod && (await mod.state())?.isBusy) {
    const byMod = await interruptByMod(context, mod);
    if (byMod.kind !== "other") return byMod;
  }
  // Above a dialog a mark blinks, and a working Claude writes: neither comes from the key.
  const seen = ({ dialog: shown, text }: PaneScreen) => dialog === undefined ? text : shown?.text;
  const movesAnyway = dialog === undefined && screen.state === "working";
  const changed = (now: PaneScreen) =>
    describe(now) !== describe(screen) || (!movesAnyway && seen(now) !== seen(screen));
  // Claude Code ends the hook of a dialog that esc closes: it must know by then whose key it was.
  const leaving = key === "Escape" ? shownIn(context, screen) : [];
  for (const one of leaving) noteKeys(context.paths, one, givenBy(context, LEFT, "keys"));
  // Press once: if the first is only late, a second one would reach the next dialog.
  await context.pane.press(key);
  const patienceMs = dialog === undefined ? AT_PROMPT_MS : PATIENCE_MS;
  const after = await waitForScreen(context.pane, patienceMs, changed);
  if (after.dialog !== undefined) { for (const one of leaving) dropTaken(context.paths, one); }
  if (dialog !== undefined && !changed(after)) {
    return refused(
      `${key} changed nothing that shows: look before you try again; ${describe(after)}`,
    );
  }
  if (key === "Enter" && decides(dialog?.kind)) {
    const answers = { [dialog!.kind]: dialog!.focused };
    noteByKeys(context, "decided", {
      screen,
      decision: { kind: "answers", answers, annotations: {} },
    });
  }
  if (after.dialog === undefined) closeLeft(context, leaving);
  const isLeft = key === "Escape" && after.dialog === undefined && after.draft !== "";
  const hint = isLeft && whyNotOwn(context, after) === undefined ? "; clear empties the box" : "";
  return { kind: "done", said: `Pressed ${key}: ${describe(after)}${hint}`, via: "keys" };
}

/** The text does not matter: nothing is answered. */
const LEFT = { kind: "deny", message: "" } as const;

/** What is asked on the screen. */
function shownIn({ paths, session }: DriverContext, { dialog }: PaneScreen): Pending[] {
  if (dialog === undefined) return [];
  const asked = listPending(paths, session);
  return dialog.kind === "question" || dialog.kind === "review"
    ? asked.filter((one) => one.kind === "question" && isAbout(one, dialog))
    : requestsShown(asked, dialog);
}

/** A hook that was killed before it removed its file leaves it behind. */
function closeLeft(context: DriverContext, leaving: Pending[]): void {
  for (const pending of leaving) {
    closePending(context.paths, context.session, { id: pending.id });
    noteLeft(context, pending);
  }
}
