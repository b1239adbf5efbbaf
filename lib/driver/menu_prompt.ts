/** The actions for Claude Code's prompt: type, clear_then. */

import type { PaneScreen } from "./claude_pane.ts";
import { whyNotTyped } from "./dialog_rights.ts";
import {
  type ActionResult,
  describe,
  type DriverContext,
  refused,
  unsure,
} from "./driver_context.ts";
import { whyNotOwn } from "./menu_clear.ts";
import { AT_PROMPT_MS } from "./menu_key.ts";
import { clearByMod, typeByMod } from "./mod_prompt.ts";
import { noteOwnText } from "../doors/own_drafts.ts";
import {
  count,
  dialogInTheWay,
  EXITS,
  ROAD_TAKEN,
  wayOut,
  whyUnfitForKeys,
} from "./prompt_words.ts";
import { typeBySocket } from "./socket_prompt.ts";
import { typeText } from "./typing.ts";
import { waitForReadable, waitForScreen } from "./screen_wait.ts";

const CLEARED_WITHIN_MS = 10_000;

/** Why no prompt can be typed with keys. */
interface NotReady {
  kind: "not ready";
  /** "taken": a draft or a dialog is where the text would go. */
  because: "taken" | "busy";
  reason: string;
}

/** Waits until a prompt can be typed: the screen then, or why it cannot. */
async function readyScreen(
  context: DriverContext,
  queue: boolean,
  mayQueue = true,
): Promise<{ kind: "ready"; screen: PaneScreen } | NotReady> {
  const isFree = (screen: PaneScreen) => screen.state !== "working" && screen.state !== "unknown";
  const screen = await waitForReadable(
    context.pane,
    context.waitMs,
    (now) => isFree(now) || (queue && now.ready),
  );
  const not = (because: NotReady["because"], reason: string): NotReady => ({
    ...{ kind: "not ready", because },
    reason: `${reason}; ${describe(screen)}`,
  });
  const dialog = dialogInTheWay(screen);
  if (dialog !== undefined) {
    const way = wayOut(dialog.kind, context.whyNoDecision === undefined);
    return not(queue ? "taken" : "busy", `a dialog is open (${way})`);
  }
  if (screen.draft !== "") {
    const reason = whyNotOwn(context, screen);
    // The agent can clear its own text from the box. A person's draft stays: use another road.
    return reason === undefined
      ? not("busy", "your own text is in the box (clear empties it, enter sends it)")
      : not("taken", reason);
  }
  if (!screen.ready && screen.state === "idle") {
    return not("busy", "the box is in shell mode (esc leaves it)");
  }
  if (!screen.ready) return not("busy", "the prompt is not ready");
  if (screen.state === "working" && !queue) {
    const hint = mayQueue
      ? "--queue types it now, and Claude reads it between two tool calls"
      : "wait for its wake";
    return not("busy", `Claude is still working (${hint})`);
  }
  return { kind: "ready", screen };
}

export async function typeAtPrompt(
  context: DriverContext,
  text: string,
  queue: boolean,
  now = false,
): Promise<ActionResult> {
  const forbidden = whyNotTyped(context, text);
  if (forbidden !== undefined) return refused(forbidden);
  const { mod, inbox, road } = context;
  const giving = { queue, now };
  if (mod !== undefined && road !== "socket" && !EXITS.test(text)) {
    const byMod = await typeByMod(context, mod, text, giving);
    if (byMod.kind !== "other") return byMod;
    if (road === "mod") return refused(byMod.reason);
  }
  if (road === "socket") {
    return inbox === undefined
      ? refused(NO_INBOX)
      : await typeBySocket(context, inbox, text, giving);
  }
  const unfit = whyUnfitForKeys(text);
  if (unfit !== undefined) {
    const maySend = inbox !== undefined && road === undefined;
    return maySend ? await typeBySocket(context, inbox, text, giving) : refused(unfit);
  }
  if (now) await interruptByKeys(context);
  const before = await readyScreen(context, queue);
  if (before.kind === "not ready") {
    const maySend = before.because === "taken" && inbox !== undefined && road === undefined;
    return maySend ? await typeBySocket(context, inbox, text, giving) : refused(before.reason);
  }
  if (context.dryRun) return { kind: "done", said: `Would type ${count(text)}` };
  noteOwnText(context.paths, context.session, text);
  context.beforePrompt(text);
  const typed = await typeText(context.pane, text);
  if (typed.kind === "refused") return refused(`${typed.reason}; nothing was sent`);
  if (typed.kind === "unsure") {
    return unsure(`${typed.reason}; ${describe(await context.pane.look())}`);
  }
  const isBusy = before.screen.state === "working" ||
    (typed.kind === "sent" && QUEUED.test(typed.screen.text));
  const isQueued = queue && isBusy;
  if (EXITS.test(text)) {
    const end = await afterExit(context, text);
    if (end.kind === "done" || !isQueued) return end;
  } else if (typed.kind === "ended") {
    return refused(`${typed.reason}; gsd-code recover brings it back`);
  }
  const said = `${isQueued ? "Queued:" : "Typed"} ${count(text)} ${ROAD_TAKEN.keys}`;
  return { kind: "done", said, via: "keys" };
}

const NO_INBOX = "the Claude Code in it has no inbox socket (2.1.224 and later have one)";

/** Stops a working Claude. Does nothing when Claude is idle. */
async function interruptByKeys(context: DriverContext): Promise<void> {
  if (context.dryRun || (await context.pane.look()).state !== "working") return;
  await context.pane.press("Escape");
  await waitForScreen(context.pane, AT_PROMPT_MS, (screen) => screen.state === "idle");
}

/** Shown in the empty box when a turn has begun that the screen does not show yet. */
const QUEUED = /^❯[ \u00a0]Press up to edit queued messages/m;
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
  const { mod, road } = context;
  if (mod !== undefined) {
    const cleared = await clearByMod(context, mod, text);
    if (cleared.kind === "done" && !context.dryRun) return await afterClear(context, text);
    if (cleared.kind !== "other") return cleared;
    if (road === "mod") return refused(cleared.reason);
  }
  const before = await readyScreen(context, false, false);
  if (before.kind === "not ready") return refused(before.reason);
  if (context.dryRun) return { kind: "done", said: `Would clear, then type ${count(text)}` };
  const cleared = await typeText(context.pane, "/clear");
  if (cleared.kind !== "sent") return refused(`/clear failed: ${cleared.reason}`);
  // Wait until the box is back and empty.
  await waitForScreen(
    context.pane,
    CLEARED_WITHIN_MS,
    (now) => now.state === "idle" && now.draft === "",
  );
  return await afterClear(context, text);
}

async function afterClear(context: DriverContext, text: string): Promise<ActionResult> {
  const typed = await typeAtPrompt(context, text, false);
  return typed.kind === "done"
    ? { ...typed, said: `Cleared the conversation, then ${uncapitalised(typed.said)}` }
    : refused(`the conversation is cleared, but ${typed.reason}`);
}

/** Changes only the first letter: the rest may be the caller's text. */
function uncapitalised(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
