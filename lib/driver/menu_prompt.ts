/** The actions for Claude Code's prompt: type, clear_then, enter, esc. */

import type { PaneScreen } from "./claude_pane.ts";
import { listPending } from "../answers.ts";
import { closePending } from "../close_pending.ts";
import { decides } from "../dialog_kind.ts";
import { whyNoKeys, whyNotTyped } from "./dialog_rights.ts";
import { OPENING_MS, PATIENCE_MS } from "./drive.ts";
import { type ActionResult, describe, type DriverContext, refused } from "./driver_context.ts";
import { whyNotOwn } from "./menu_clear.ts";
import { whyMayBeUnread } from "./menu_decide.ts";
import { clearByMod, interruptByMod, type ModOutcome, submitByMod } from "./mod_prompt.ts";
import { noteTyped } from "./own_drafts.ts";
import { noteByKeys } from "./settle.ts";
import { isAbout, requestsShown } from "../shown.ts";
import { typeText } from "./typing.ts";
import { waitForReadable, waitForScreen } from "./screen_wait.ts";

const CLEARED_WITHIN_MS = 10_000;
/** At the prompt a key may work without a visible effect. */
const AT_PROMPT_MS = 2000;

/** Waits until a prompt can be typed: the screen then, or why it cannot. */
async function readyScreen(
  context: DriverContext,
  queue: boolean,
  { mayQueue = true, byMod = false } = {},
): Promise<PaneScreen | string> {
  const isFree = (screen: PaneScreen) => screen.state !== "working" && screen.state !== "unknown";
  const screen = await waitForReadable(
    context.pane,
    context.waitMs,
    (now) => isFree(now) || (queue && now.ready),
  );
  if (screen.dialog !== undefined && screen.dialog.kind !== "slash_menu") {
    return `a dialog is open (${wayOut(screen.dialog.kind)}); ${describe(screen)}`;
  }
  // The mod leaves the box alone.
  if (byMod && (screen.state === "idle" || (queue && screen.state === "working"))) return screen;
  if (screen.draft !== "") {
    const reason = whyNotOwn(context, screen) ??
      "your own text is in the box (clear empties it, enter sends it)";
    return `${reason}; ${describe(screen)}`;
  }
  if (!screen.ready && screen.state === "idle") {
    return `the box is in shell mode (esc leaves it); ${describe(screen)}`;
  }
  if (!screen.ready) return `the prompt is not ready; ${describe(screen)}`;
  if (screen.state === "working" && !queue) {
    const hint = mayQueue
      ? "--queue types it now, and Claude reads it between two tool calls"
      : "wait for its wake";
    return `Claude is still working (${hint}); ${describe(screen)}`;
  }
  return screen;
}

/** What an agent can do about an open dialog. */
function wayOut(kind: string): string {
  if (kind === "question") return "choose or answer it, or esc";
  if (kind === "review") return "submit it, or esc";
  return decides(kind) ? "allow, deny or choose, or esc" : "esc closes it";
}

export async function typeAtPrompt(
  context: DriverContext,
  text: string,
  queue: boolean,
): Promise<ActionResult> {
  const forbidden = whyNotTyped(context, text);
  if (forbidden !== undefined) return refused(forbidden);
  const byMod = await typeByMod(context, text, queue);
  if (byMod.kind !== "other") return byMod;
  const before = await readyScreen(context, queue);
  if (typeof before === "string") return refused(before);
  if (context.dryRun) return { kind: "done", said: `Would type ${count(text)}` };
  noteTyped(context.paths, context.session, text);
  const typed = await typeText(context.pane, text);
  if (typed.kind === "refused") return refused(`${typed.reason}; nothing was sent`);
  if (typed.kind === "unsure") {
    return refused(`${typed.reason}; ${describe(await context.pane.look())}`);
  }
  const isBusy = before.state === "working" ||
    (typed.kind === "sent" && QUEUED.test(typed.screen.text));
  const isQueued = queue && isBusy;
  if (EXITS.test(text)) {
    const end = await afterExit(context, text);
    if (end.kind === "done" || !isQueued) return end;
  } else if (typed.kind === "ended") {
    return refused(`${typed.reason}; gsd-code recover brings it back`);
  }
  return { kind: "done", said: `${isQueued ? "Queued:" : "Typed"} ${count(text)}`, via: "keys" };
}

/** Through the mod, where there is one and the text can go that way. */
async function typeByMod(
  context: DriverContext,
  text: string,
  queue: boolean,
): Promise<ModOutcome> {
  const { mod, road } = context;
  if (mod === undefined || EXITS.test(text)) return { kind: "other", reason: "" };
  const screen = await readyScreen(context, queue, { byMod: true });
  if (typeof screen === "string") return refused(screen);
  // With a person's draft in the box the screen does not show that Claude works.
  const isBusy = (await mod.state())?.turn !== undefined;
  if (isBusy && !queue) {
    return refused(`Claude is still working (--queue types it for later); ${describe(screen)}`);
  }
  if (context.dryRun) return { kind: "done", said: `Would type ${count(text)} through the mod` };
  const result = await submitByMod(context, mod, text, { isBusy });
  return result.kind === "other" && road === "mod" ? refused(result.reason) : result;
}

/** Shown in the empty box when a turn has begun that the screen does not show yet. */
const QUEUED = /^❯[ \u00a0]Press up to edit queued messages/m;
/** What ends Claude Code. It accepts the commands of an editor, too. */
const EXITS = /^(\/exit|\/quit|exit|quit|:w?q!?)\s*$/;
/** The SessionEnd hooks run first. */
const ENDS_WITHIN_MS = 10_000;

/** Claude Code may ask before it ends, for example about work in the background. */
async function afterExit(context: DriverContext, text: string): Promise<ActionResult> {
  let isOver = false;
  const screen = await waitForScreen(context.pane, ENDS_WITHIN_MS, async (now) => {
    isOver = await context.pane.hasEnded();
    return isOver || (now.dialog !== undefined && now.dialog.kind !== "slash_menu");
  });
  return isOver
    ? { kind: "done", said: `Typed ${count(text)}: Claude Code has ended`, via: "keys" }
    : refused(`it was sent, but Claude Code has not ended; ${describe(screen)}`);
}

export async function clearThen(context: DriverContext, text: string): Promise<ActionResult> {
  const forbidden = whyNotTyped(context, text);
  if (forbidden !== undefined) return refused(forbidden);
  const { mod } = context;
  const before = await readyScreen(context, false, { mayQueue: false, byMod: mod !== undefined });
  if (typeof before === "string") return refused(before);
  if (mod !== undefined && !context.dryRun) {
    const byMod = await clearByMod(context, mod, text);
    if (byMod.kind !== "other") return byMod;
    if (context.road === "mod") return refused(byMod.reason);
    if (before.draft !== "") return refused(`a draft is in the box; ${describe(before)}`);
  }
  if (context.dryRun) return { kind: "done", said: `Would clear, then type ${count(text)}` };
  const cleared = await typeText(context.pane, "/clear");
  if (cleared.kind !== "sent") return refused(`/clear failed: ${cleared.reason}`);
  // Wait until the box is back and empty.
  await waitForScreen(
    context.pane,
    CLEARED_WITHIN_MS,
    (now) => now.state === "idle" && now.draft === "",
  );
  const typed = await typeAtPrompt(context, text, false);
  return typed.kind === "done"
    ? { ...typed, said: `Cleared the conversation, then ${uncapitalised(typed.said)}` }
    : refused(`the conversation is cleared, but ${typed.reason}`);
}

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
  if (key === "Escape" && dialog === undefined && mod && (await mod.state())?.turn !== undefined) {
    const byMod = await interruptByMod(context, mod);
    if (byMod.kind !== "other") return byMod;
  }
  // Above a dialog a mark blinks, and a working Claude writes: neither comes from the key.
  const seen = ({ dialog: shown, text }: PaneScreen) => dialog === undefined ? text : shown?.text;
  const movesAnyway = dialog === undefined && screen.state === "working";
  const changed = (now: PaneScreen) =>
    describe(now) !== describe(screen) || (!movesAnyway && seen(now) !== seen(screen));
  // Press once: if the first is only late, a second one would reach the next dialog.
  await context.pane.press(key);
  const patienceMs = dialog === undefined ? AT_PROMPT_MS : PATIENCE_MS;
  const after = await waitForScreen(context.pane, patienceMs, changed);
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
  if (key === "Escape" && after.dialog === undefined) closeWhatWasShown(context, screen);
  const isLeft = key === "Escape" && after.dialog === undefined && after.draft !== "";
  const hint = isLeft && whyNotOwn(context, after) === undefined ? "; clear empties the box" : "";
  return { kind: "done", said: `Pressed ${key}: ${describe(after)}${hint}`, via: "keys" };
}

/** Claude Code kills the hook of a dialog that esc closes, so its file is removed here. */
function closeWhatWasShown({ paths, session }: DriverContext, { dialog }: PaneScreen): void {
  if (dialog === undefined) return;
  const asked = listPending(paths, session);
  const shown = dialog.kind === "question" || dialog.kind === "review"
    ? asked.filter((one) => one.kind === "question" && isAbout(one, dialog))
    : requestsShown(asked, dialog);
  for (const { id } of shown) closePending(paths, session, { id });
}

/** Changes only the first letter: the rest may be the caller's text. */
function uncapitalised(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

function count(text: string): string {
  const lines = text.split("\n").length;
  const short = text.length <= 60 && lines === 1;
  return short
    ? `"${text}"`
    : `${text.length} characters in ${lines} line${lines === 1 ? "" : "s"}`;
}
