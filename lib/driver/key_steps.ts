/** The steps that keys are made of, and how a row of a dialog is read. */

import type { Dialog, DialogOption } from "../pane.ts";
import { squeeze } from "../shown.ts";

export type KeyStep =
  /** `isLast`: once it has changed the screen the goal is reached, whatever shows next. */
  | { kind: "press"; keys: string[]; isLast?: true }
  | { kind: "paste"; text: string }
  /** The last key has worked, the dialog is about to go. */
  | { kind: "wait" }
  | { kind: "done" }
  | { kind: "stuck"; reason: string };

export function rowOf(dialog: Dialog, number: number): DialogOption | undefined {
  return dialog.options.find((option) => option.number === number);
}

/** What somebody wrote into the row for own words; "" while it shows its hint. */
export function writtenIn(row: DialogOption): string {
  return /^Type something\.?$/.test(row.label) ? "" : squeeze(row.label + row.description);
}

export function holds(written: string, text: string): boolean {
  const wanted = squeeze(text);
  if (wanted === written) return true;
  // Cut off for want of room; a short text that is begun like ours is somebody else's.
  const seen = written.replace(/…$/, "");
  const isCut = seen !== written || wanted.length > CUT_FROM;
  return isCut && seen.length >= 20 && (wanted.startsWith(seen) || wanted.endsWith(seen));
}

const CUT_FROM = 200;

export function press(keys: string[], isLast = false): KeyStep {
  return { kind: "press", keys, ...(isLast ? { isLast } : {}) };
}

/** Enter right behind a backslash would make a new line: the cursor goes to the front first. */
export function enterAfter(text: string, isLast: boolean): KeyStep {
  return press(text.endsWith("\\") ? ["C-a", "Enter"] : ["Enter"], isLast);
}

export function done(): KeyStep {
  return { kind: "done" };
}

export function stuck(reason: string): KeyStep {
  return { kind: "stuck", reason };
}

/** To a row without a digit of its own, and then into it. */
export function rowStep(dialog: Dialog, number: number, isLast = true): KeyStep {
  return rowOf(dialog, number)?.focused ? press(["Enter"], isLast) : towards(dialog, number);
}

/** One row nearer. Arrows write nothing, wherever the cursor is by the time they arrive. */
export function towards(dialog: Dialog, number: number): KeyStep {
  return press([isBelow(dialog, number) ? "Up" : "Down"]);
}

/** The cursor is further down: also on Submit, Next or "Chat about this", which follow the rows. */
export function isBelow(dialog: Dialog, number: number): boolean {
  const focused = dialog.options.find((option) => option.focused)?.number;
  return focused === undefined ? dialog.focused !== "" : focused > number;
}
