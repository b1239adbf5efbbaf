/**
 * Decides which key comes next, from the goal and the present screen alone. The caller reads the
 * screen again after each step, so no key is sent blindly.
 */

import { type AnswerGoal, answerStep, submitStep } from "./answer_keys.ts";
import {
  done,
  enterAfter,
  holds,
  type KeyStep,
  press,
  rowStep,
  stuck,
  towards,
  writtenIn,
} from "./key_steps.ts";
import type { Dialog, DialogOption, Screen } from "../pane.ts";
import { markOf } from "../shown.ts";
import { whyRowsMissing } from "./dialog_rights.ts";

export type Goal =
  | AnswerGoal
  /** Only for the dialog with this `mark`, not for the next one. */
  | { kind: "allow"; mark: string }
  | { kind: "deny"; mark: string; message: string }
  /** A row of any other menu, by its place. */
  | { kind: "row"; mark: string; number: number }
  /** Submit what is chosen already. */
  | { kind: "submit" };

export function nextKeyStep(goal: Goal, screen: Screen): KeyStep {
  const { dialog } = screen;
  // Half drawn, or no longer Claude Code: do not conclude that the goal is reached.
  if (screen.state === "unknown") return { kind: "wait" };
  switch (goal.kind) {
    case "answer":
      return dialog === undefined ? done() : answerStep(goal, dialog);
    case "submit":
      return submitStep(dialog);
  }
  if (dialog === undefined) return done();
  if (markOf(dialog) !== goal.mark) return stuck("another dialog has taken its place");
  const cut = goal.kind === "deny" ? undefined : whyRowsMissing(dialog);
  if (cut !== undefined) return stuck(cut);
  switch (goal.kind) {
    case "allow":
      return allowStep(dialog);
    case "deny":
      return denyStep(dialog, goal.message);
    case "row":
      return rowStep(dialog, goal.number);
  }
}

/** Why keys cannot reach this goal; checked before the first key. */
export function whyNotByKeys(goal: Goal): string | undefined {
  if (goal.kind === "deny" && goal.message.includes("\n")) {
    return "with keys a message can have one line only";
  }
  if (goal.kind !== "answer") return undefined;
  for (const [index, choice] of goal.choices.entries()) {
    const question = goal.questions[index]!;
    if (choice.notes) return "with keys no notes can be given";
    if (choice.text?.includes("\n")) return "with keys an answer can have one line only";
    if (choice.text && question.options.some((option) => option.preview !== "")) {
      return `with keys the question "${question.question}" takes one of its options only`;
    }
  }
  return undefined;
}

/** Picks the plain Yes, never one that allows more than this request. */
function allowStep(dialog: Dialog): KeyStep {
  const row = dialog.options.find((option) => /^Yes$/.test(option.label)) ??
    (dialog.kind === "plan" ? dialog.options.find(({ label }) => ASKS_ON.test(label)) : undefined);
  if (row !== undefined) return pickStep(dialog, row);
  const rows = dialog.options.map(({ number, label }) => `${number}. ${label}`).join(", ");
  return stuck(`it offers no plain Yes: choose one of ${rows}`);
}

/** Approves a plan so that Claude still asks before each change. */
const ASKS_ON = /^Yes\b.*(manually approve|ask each time)/;

function denyStep(dialog: Dialog, message: string): KeyStep {
  const row = dialog.options.findLast((option) => /^No\b/.test(option.label)) ??
    dialog.options.find((option) => /^Tell Claude what to change/.test(option.label));
  if (row === undefined) return stuck("it offers no No: esc closes it");
  if (message === "") {
    if (/^No$/.test(row.label)) return pickStep(dialog, row);
    return IS_HINT.test(row.label) ? rowStep(dialog, row.number) : stuck(alreadyWritten(row));
  }
  if (dialog.kind === "plan") return stuck("with keys a plan takes no message: deny without one");
  if (!row.focused) return press(["Down"]);
  if (/^No$/.test(row.label)) return press(["Tab"]);
  if (/tell Claude what to do differently/.test(row.label)) return { kind: "paste", text: message };
  const written = writtenIn(row).replace(/^No,/, "");
  return holds(written, message) ? enterAfter(message, true) : stuck(alreadyWritten(row));
}

/** A No row with an empty text field. A digit would only move the cursor there. */
const IS_HINT = /^No, (keep planning|and tell Claude)|^Tell Claude what to change/;

/**
 * A digit works wherever the cursor is, except in a row with text, which takes it as text. So move
 * the cursor to the plain row first.
 */
function pickStep(dialog: Dialog, row: DialogOption): KeyStep {
  return row.focused ? press([String(row.number)], true) : towards(dialog, row.number);
}

function alreadyWritten({ label }: DialogOption): string {
  return `"${label}" is already written there: enter sends it, esc closes the dialog`;
}
