/** Carries out keys with open eyes: look, one step, look again until the screen has changed. */

import type { ClaudePane, Look } from "./claude_pane.ts";
import type { KeyStep } from "./key_steps.ts";
import { type Goal, nextStep } from "./keys.ts";
import { pause } from "../time.ts";

export type Driven = { kind: "done"; screen: Look } | { kind: "stuck"; reason: string };

const MOST_STEPS = 80;
const LOOK_EVERY_MS = 40;
const OPENING_MS = 300;
/** A key is lost now and then in the first instants of a dialog: after this it comes once more. */
const CHANGE_WITHIN_MS = 2000;
/** A text is never pasted again: it may only be slow to show. */
const SHOWN_WITHIN_MS = 8000;

export async function drive(
  pane: ClaudePane,
  goal: Goal,
): Promise<Driven> {
  // Just opened, a dialog drops keys; and a decision is never pressed twice.
  if (isDecision(goal)) await pause(OPENING_MS);
  let screen = await pane.look();
  let retried = false;
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const step = nextStep(goal, screen);
    if (step.kind === "done") return steps > 0 ? { kind: "done", screen } : QUICKER;
    if (step.kind === "stuck") return step;
    if (step.kind === "press") await pane.press(...step.keys);
    else if (step.kind === "paste") await pane.paste(step.text);
    const before = screen;
    screen = await settled(
      pane,
      before,
      step.kind === "paste" ? SHOWN_WITHIN_MS : CHANGE_WITHIN_MS,
    );
    // The prompt is back. A dialog that comes next, even the same again, is another one.
    if (screen.dialog === undefined && screen.state !== "unknown") {
      return !isDecision(goal) || isFinal(step) ? { kind: "done", screen } : QUICKER;
    }
    if (fingerprint(screen) !== fingerprint(before)) {
      if (isFinal(step)) return { kind: "done", screen };
      retried = false;
    } else if (retried || step.kind === "paste" || (isDecision(goal) && isFinal(step))) {
      return { kind: "stuck", reason: inVain(step) };
    } else {
      retried = true;
    }
  }
  return { kind: "stuck", reason: `it is not done after ${MOST_STEPS} keys` };
}

/** Nothing of ours has closed the dialog. */
const QUICKER: Driven = { kind: "stuck", reason: "somebody else has settled it in the meantime" };

/** What must not happen twice. The next request may look the same as this one. */
function isDecision(goal: Goal): boolean {
  return goal.kind !== "answer" && goal.kind !== "submit";
}

function isFinal(step: KeyStep): boolean {
  return step.kind === "press" && step.isLast === true;
}

function inVain(step: KeyStep): string {
  switch (step.kind) {
    case "press":
      return `the key ${step.keys.join(" ")} changed nothing on the screen, and may have worked ` +
        "on one that looks the same: look with snapshot before you try again";
    case "paste":
      return "the pasted text does not show on the screen";
    default:
      return "the screen does not show what came of it";
  }
}

/** The screen once it differs from before and has stood still for a moment. */
async function settled(pane: ClaudePane, before: Look, ms: number): Promise<Look> {
  const from = fingerprint(before);
  const until = performance.now() + ms;
  let last = before;
  while (performance.now() < until) {
    await pause(LOOK_EVERY_MS);
    const screen = await pane.look();
    if (screen.dialog === undefined && screen.state !== "unknown") return screen;
    const changed = fingerprint(screen) !== from;
    if (changed && fingerprint(screen) === fingerprint(last)) return screen;
    last = screen;
  }
  return last;
}

/** What a key can change: not the spinner, nor words that arrive meanwhile. */
function fingerprint(screen: Look): string {
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
