/** Presses keys one step at a time: read the screen, press, wait until the screen has changed. */

import type { ClaudePane, PaneScreen } from "./claude_pane.ts";
import type { KeyStep } from "./key_steps.ts";
import { type Goal, nextKeyStep } from "./keys.ts";
import { markOf } from "../shown.ts";
import { LOOK_EVERY_MS, waitForScreen } from "./screen_wait.ts";

export type Driven = { kind: "done"; screen: PaneScreen } | { kind: "stuck"; reason: string };

const MOST_STEPS = 80;
/** A dialog that has just opened drops digits (Claude Code 2.1.325: for 150 ms). */
export const OPENING_MS = 300;
/** After this, a key without effect is lost or late. A probe shows which. */
const CHANGE_WITHIN_MS = 2000;
/** After this, counted from the probe's effect, the key before it is lost. */
const LOST_AFTER_MS = 5000;
/** On a busy machine Claude Code may read no key for this long. */
export const PATIENCE_MS = 10_000;
/** Moves the cursor of a dialog, and does nothing at an empty prompt. */
const PROBE = "Down";

export async function drive(
  pane: ClaudePane,
  goal: Goal,
): Promise<Driven> {
  await pane.clock.sleep(OPENING_MS);
  let screen = await pane.look();
  let isProbed: boolean = false;
  /** The dialogs into which the text was pasted. */
  const pasted = new Set<string>();
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const step = nextKeyStep(goal, screen);
    if (step.kind === "done") return closedByOther(screen);
    if (step.kind === "stuck") return step;
    if (step.kind === "press") await pane.press(...step.keys);
    // Once per dialog: Claude Code may tick the row before it shows the text.
    else if (step.kind === "paste" && !pasted.has(asks(screen))) {
      pasted.add(asks(screen));
      await pane.paste(step.text);
    }
    const before = screen;
    // Never send a text or a decision again: it may only be slow to show.
    const mayRepeat: boolean = isDigit(step) && !isDecision(goal) && !isProbed;
    screen = await settled(pane, before, mayRepeat ? CHANGE_WITHIN_MS : PATIENCE_MS);
    const isLate: boolean = mayRepeat && isSame(screen, before);
    if (isLate) {
      // Claude Code reads keys in order: when the probe has worked, the key before it was lost.
      await pane.press(PROBE);
      await settled(pane, before, PATIENCE_MS);
      // A chosen option may close its dialog only after the probe has moved the cursor.
      const isAnswered = (now: PaneScreen) => beyondCursor(now) !== beyondCursor(before);
      screen = await waitForScreen(pane, LOST_AFTER_MS, isAnswered);
    }
    // The prompt is back. A dialog that comes next is another one, even if it looks the same.
    if (screen.dialog === undefined && screen.state !== "unknown") {
      return isFinal(step) ? { kind: "done", screen } : closedByOther(screen);
    }
    if (isSame(screen, before)) return { kind: "stuck", reason: withoutEffect(step) };
    isProbed = isLate && beyondCursor(screen) === beyondCursor(before);
    if (isFinal(step) && !isProbed) return { kind: "done", screen };
  }
  return { kind: "stuck", reason: `it is not done after ${MOST_STEPS} keys` };
}

/** The dialog closed, but not by our keys. The last key may have come too late. */
function closedByOther({ draft }: PaneScreen): Driven {
  const left = draft === "" ? "" : `; "${draft}" is in the input box`;
  return { kind: "stuck", reason: `it was closed by another in the meantime${left}` };
}

/** An arrow is not repeated: a late one and the probe would cancel each other. */
function isDigit(step: KeyStep): boolean {
  return step.kind === "press" && /^\d$/.test(step.keys[0]!);
}

/** A decision must not happen twice: the next request may look the same as this one. */
function isDecision(goal: Goal): boolean {
  return goal.kind !== "answer" && goal.kind !== "submit";
}

function isFinal(step: KeyStep): boolean {
  return step.kind === "press" && step.isLast === true;
}

function withoutEffect(step: KeyStep): string {
  switch (step.kind) {
    case "press":
      return `the key ${step.keys.join(" ")} changed nothing on the screen, and may have worked ` +
        "on one that looks the same: look with snapshot before you try again";
    case "paste":
      return "the pasted text does not show on the screen";
    default:
      return "the screen shows no result";
  }
}

/** The screen once it has changed and two reads in a row are the same. */
async function settled(pane: ClaudePane, before: PaneScreen, ms: number): Promise<PaneScreen> {
  const { clock } = pane;
  const until = clock.now() + ms;
  let last = before;
  while (clock.now() < until) {
    await clock.sleep(LOOK_EVERY_MS);
    const screen = await pane.look();
    if (screen.dialog === undefined && screen.state !== "unknown") return screen;
    if (!isSame(screen, before) && isSame(screen, last)) return screen;
    last = screen;
  }
  return last;
}

function isSame(one: PaneScreen, other: PaneScreen): boolean {
  return fingerprint(one) === fingerprint(other);
}

/** What the dialog asks, without the cursor. */
function asks({ dialog }: PaneScreen): string {
  return dialog === undefined ? "" : markOf(dialog);
}

/** What the dialog asks and what is chosen, without the cursor. */
function beyondCursor(screen: PaneScreen): string {
  const rows = screen.dialog?.options.map((row) => ({ ...row, focused: false }));
  return JSON.stringify([asks(screen), rows]);
}

/** What a key can change. The spinner and new lines of the conversation do not count. */
function fingerprint(screen: PaneScreen): string {
  const { state, draft, dialog } = screen;
  return JSON.stringify([
    state,
    draft,
    dialog?.kind,
    dialog?.focused,
    dialog?.options,
    dialog?.text,
  ]);
}
