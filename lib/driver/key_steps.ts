/** The steps of a key plan, and how a row of a dialog is read. */

import type { Dialog, DialogOption } from "../pane.ts";
import { squeeze } from "../shown.ts";

export type KeyStep =
  /** `isLast`: the goal is reached once this key has changed the screen. */
  | { kind: "press"; keys: string[]; isLast?: true }
  | { kind: "paste"; text: string }
  /** The last key has worked. The dialog is about to close. */
  | { kind: "wait" }
  | { kind: "done" }
  | { kind: "stuck"; reason: string };

export function rowOf(dialog: Dialog, number: number): DialogOption | undefined {
  return dialog.options.find((option) => option.number === number);
}

/** The text in the row for own words; "" while it shows its hint. */
export function writtenIn(row: DialogOption): string {
  return /^Type something\.?$/.test(row.label) ? "" : squeeze(row.label + row.description);
}

export function holds(written: string, text: string): boolean {
  const wanted = squeeze(text);
  if (wanted === written) return true;
  // The screen cuts off a long text. A short text that only begins like ours is a different one.
  const seen = written.replace(/…$/, "");
  const isCut = seen !== written || wanted.length > CUT_FROM;
  return isCut && seen.length >= 20 && (wanted.startsWith(seen) || wanted.endsWith(seen));
}

const CUT_FROM = 200;

export function press(keys: string[], isLast = false): KeyStep {
  return { kind: "press", keys, ...(isLast ? { isLast } : {}) };
}

/** Enter behind a backslash makes a new line: move the cursor to the front first. */
export function enterAfter(text: string, isLast: boolean): KeyStep {
  return press(text.endsWith("\\") ? ["C-a", "Enter"] : ["Enter"], isLast);
}

export function done(): KeyStep {
  return { kind: "done" };
}

export function stuck(reason: string): KeyStep {
  return { kind: "stuck", reason };
}

/** Moves to a row by arrows, then takes it by Enter. */
export function rowStep(dialog: Dialog, number: number, isLast = true): KeyStep {
  return rowOf(dialog, number)?.focused ? press(["Enter"], isLast) : towards(dialog, number);
}

/** One row nearer. An arrow writes nothing, wherever the cursor is when it arrives. */
export function towards(dialog: Dialog, number: number): KeyStep {
  return press([isBelow(dialog, number) ? "Up" : "Down"]);
}

/** The cursor is further down, or on Submit, Next or "Chat about this", which follow the rows. */
export function isBelow(dialog: Dialog, number: number): boolean {
  const focused = dialog.options.find((option) => option.focused)?.number;
  return focused === undefined ? dialog.focused !== "" : focused > number;
}
