/**
 * Which key comes next: from the goal and the screen as it is now, never from what was pressed
 * before. Whoever carries it out looks again after each step, so no key is ever sent blindly.
 */

import type { Dialog, DialogOption, Screen } from "../pane.ts";
import type { Pick } from "./picks.ts";
import type { Question } from "../questions.ts";

export type Goal =
  | { kind: "answer"; questions: Question[]; picks: Pick[] }
  | { kind: "allow" }
  | { kind: "deny"; message: string }
  /** A row of any other menu, by its place. */
  | { kind: "row"; dialog: Dialog["kind"]; number: number }
  /** Hand in what is chosen already. */
  | { kind: "submit" };

export type KeyStep =
  | { kind: "press"; keys: string[] }
  | { kind: "paste"; text: string }
  /** The last key has worked, the dialog is about to go. */
  | { kind: "wait" }
  | { kind: "done" }
  | { kind: "stuck"; reason: string };

export function nextStep(goal: Goal, screen: Screen): KeyStep {
  const { dialog } = screen;
  // Half drawn, or not Claude Code any more: never a reason to think that all is done.
  if (screen.state === "unknown") return { kind: "wait" };
  switch (goal.kind) {
    case "answer":
      return dialog === undefined ? done() : answerStep(goal, dialog);
    case "allow":
    case "deny":
      if (dialog?.kind !== "permission" && dialog?.kind !== "plan") return done();
      return goal.kind === "allow" ? allowStep(dialog) : denyStep(dialog, goal.message);
    case "row":
      return dialog?.kind === goal.dialog ? rowStep(dialog, goal.number, "Enter") : done();
    case "submit":
      return submitStep(dialog);
  }
}

/** A first step that would already be a wrong one: said before any key is pressed. */
export function whyNotByKeys(goal: Goal): string | undefined {
  if (goal.kind === "deny" && goal.message.includes("\n")) {
    return "with keys a message can have one line only";
  }
  if (goal.kind !== "answer") return undefined;
  for (const [index, pick] of goal.picks.entries()) {
    const question = goal.questions[index]!;
    if (pick.notes) return "with keys no notes can be given";
    if (pick.text?.includes("\n")) return "with keys an answer can have one line only";
    if (pick.text && question.options.some((option) => option.preview !== "")) {
      return `with keys the question "${question.question}" takes one of its options only`;
    }
  }
  return undefined;
}

function answerStep(goal: Goal & { kind: "answer" }, dialog: Dialog): KeyStep {
  if (dialog.kind === "review") return reviewStep(goal, dialog);
  if (dialog.kind !== "question") return done();
  const index = goal.questions.findIndex((question) => isShown(question, dialog));
  if (index === -1) return done();
  const question = goal.questions[index]!;
  const pick = goal.picks[index]!;
  if (question.multiSelect) return multiStep(question, pick, dialog);
  if (pick.text !== undefined) return ownWordsStep(question.options.length + 1, pick.text, dialog);
  const number = pick.options[0]!;
  // Beside a preview a digit only moves the cursor.
  return dialog.preview ? rowStep(dialog, number, "Enter") : press(String(number));
}

/** Is it this question? In a low window its beginning, and some of its options, are cut off. */
export function isShown(question: Question, dialog: Dialog): boolean {
  if (!squeeze(question.question).endsWith(squeeze(dialog.title))) return false;
  const rows = dialog.options.filter((row) => row.number <= question.options.length);
  return rows.length > 0 && rows.every((row) => {
    const label = squeeze(question.options[row.number - 1]!.label);
    const drawn = squeeze(row.label);
    return drawn.replace(/…$/, "") !== "" && label.startsWith(drawn.replace(/…$/, ""));
  });
}

function ownWordsStep(number: number, text: string, dialog: Dialog): KeyStep {
  const row = rowOf(dialog, number);
  if (!row?.focused) return press(String(number));
  const written = writtenIn(row);
  if (written === "") return { kind: "paste", text };
  if (row.selected && holds(written, text)) return { kind: "wait" };
  return holds(written, text) ? enterAfter(text) : stuck(`"${row.label}" is already written there`);
}

function multiStep(question: Question, pick: Pick, dialog: Dialog): KeyStep {
  const number = question.options.length + 1;
  const unwanted = dialog.options.find((row) =>
    row.checked && row.number < number && !pick.options.includes(row.number)
  );
  if (unwanted) return press(String(unwanted.number));
  // In the order of the answer: Claude Code reports the choices in the order they were made.
  const missing = pick.options.find((option) => rowOf(dialog, option)?.checked === false);
  if (missing !== undefined) return press(String(missing));

  const own = rowOf(dialog, number);
  const written = own === undefined ? "" : writtenIn(own);
  if (pick.text === undefined) {
    if (own?.checked) return stuck(`"${own.label}" is already written there`);
  } else if (own === undefined || (written === "" && !own.focused)) {
    return press("Down");
  } else if (written === "") {
    return { kind: "paste", text: pick.text };
  } else if (!holds(written, pick.text)) {
    return stuck(`"${own.label}" is already written there`);
  }
  return leaveStep(dialog, own);
}

/** On to the next question. In the row for one's own words Right would move inside the text. */
function leaveStep(dialog: Dialog, own: DialogOption | undefined): KeyStep {
  if (/^(Submit|Next)$/.test(dialog.focused)) return press("Enter");
  return press(own?.focused ? "Down" : "Right");
}

/** The review must show what is to be answered: somebody may have chosen before us. */
function reviewStep(goal: Goal & { kind: "answer" }, dialog: Dialog): KeyStep {
  const shown = squeeze(dialog.text);
  for (const [index, question] of goal.questions.entries()) {
    const at = shown.indexOf(squeeze(question.question));
    if (at === -1) continue; // cut off in a low window
    const pick = goal.picks[index]!;
    const words = [...pick.options.map((number) => question.options[number - 1]!.label)];
    if (pick.text !== undefined) words.push(pick.text);
    const next = goal.questions[index + 1];
    const end = next === undefined ? shown.length : shown.indexOf(squeeze(next.question), at);
    const answer = shown.slice(at, end === -1 ? shown.length : end);
    const absent = words.find((word) => !answer.includes(squeeze(word).slice(0, 200)));
    if (absent !== undefined) {
      return stuck(`the review shows another answer to "${question.question}" than "${absent}"`);
    }
  }
  return press("1");
}

/** The plain yes: never one that allows more than what is asked now. */
function allowStep(dialog: Dialog): KeyStep {
  const row = dialog.options.find((option) => /^Yes$/.test(option.label)) ??
    (dialog.kind === "plan" ? dialog.options.find((o) => /^Yes\b/.test(o.label)) : undefined);
  return row === undefined ? stuck("it offers no plain Yes") : press(String(row.number));
}

function denyStep(dialog: Dialog, message: string): KeyStep {
  const row = dialog.options.findLast((option) => /^No\b/.test(option.label));
  if (row === undefined) return stuck("it offers no No");
  if (message === "") return press(String(row.number));
  if (!row.focused) return press("Down");
  if (/^No$/.test(row.label)) {
    return dialog.kind === "plan" ? stuck("with keys a plan takes no message") : press("Tab");
  }
  if (/tell Claude what to do differently/.test(row.label)) return { kind: "paste", text: message };
  const written = writtenIn(row).replace(/^No,/, "");
  return holds(written, message)
    ? enterAfter(message)
    : stuck(`"${row.label}" is already written there`);
}

function rowStep(dialog: Dialog, number: number, enter: string): KeyStep {
  const focused = dialog.options.find((option) => option.focused)?.number;
  if (focused === number) return press(enter);
  return press(focused !== undefined && focused > number ? "Up" : "Down");
}

function submitStep(dialog: Dialog | undefined): KeyStep {
  if (dialog === undefined) return done();
  if (dialog.kind === "review") return press("1");
  if (dialog.kind !== "question") return done();
  const chooses = dialog.options.some((row) => row.checked !== undefined);
  if (!chooses) return stuck(`"${dialog.title}" takes one of its options: choose one`);
  if (!dialog.options.some((row) => row.checked)) {
    return stuck(`nothing is chosen yet in "${dialog.title}"`);
  }
  const own = dialog.options.findLast((row) => row.checked !== undefined);
  return leaveStep(dialog, own);
}

function rowOf(dialog: Dialog, number: number): DialogOption | undefined {
  return dialog.options.find((option) => option.number === number);
}

/** What somebody wrote into the row for own words; "" while it shows its hint. */
function writtenIn(row: DialogOption): string {
  return /^Type something\.?$/.test(row.label) ? "" : squeeze(row.label + row.description);
}

function holds(written: string, text: string): boolean {
  const wanted = squeeze(text);
  const seen = written.replace(/…$/, "");
  return wanted === seen ||
    (seen.length >= 20 && (wanted.startsWith(seen) || wanted.endsWith(seen)));
}

/** Without blanks: where a line was wrapped cannot be told from where one was typed. */
function squeeze(text: string): string {
  return text.replace(/[\s│]+/g, "");
}

function press(...keys: string[]): KeyStep {
  return { kind: "press", keys };
}

/** Enter right behind a backslash would make a new line: the cursor goes to the front first. */
function enterAfter(text: string): KeyStep {
  return text.endsWith("\\") ? press("C-a", "Enter") : press("Enter");
}

function done(): KeyStep {
  return { kind: "done" };
}

function stuck(reason: string): KeyStep {
  return { kind: "stuck", reason };
}
