/** Which key comes next in a question, its review, or several questions behind tabs. */

import { CHAT } from "../dialog_options.ts";
import {
  done,
  enterAfter,
  holds,
  isBelow,
  type KeyStep,
  press,
  rowOf,
  rowStep,
  stuck,
  towards,
  writtenIn,
} from "./key_steps.ts";
import type { Dialog, DialogOption } from "../pane.ts";
import type { Question } from "../questions.ts";
import type { Choice } from "../question_answers.ts";
import { placeLike, shownAmong, squeeze } from "../shown.ts";

export interface AnswerGoal {
  kind: "answer";
  questions: Question[];
  choices: Choice[];
  /** More questions are open than we know. The goal is reached when the known ones are answered. */
  isPart?: boolean;
}

export function answerStep(goal: AnswerGoal, dialog: Dialog): KeyStep {
  if (dialog.kind === "review") return reviewStep(goal, dialog);
  if (dialog.kind !== "question") return stuck("another dialog is in front of it");
  const index = shownAmong(goal.questions, dialog);
  if (index === -1) return stuck("the question on the screen is another one");
  const question = goal.questions[index]!;
  const choice = goal.choices[index]!;
  const own = dialog.preview ? undefined : rowOf(dialog, question.options.length + 1);
  // One question ends with its choice, several end with the review.
  const isLast = goal.questions.length === 1;
  if (question.multiSelect) return multiStep(question, choice, dialog, own, goal.isPart === true);
  if (choice.text !== undefined) {
    if (!own?.focused) return towards(dialog, question.options.length + 1);
    return ownWordsStep(choice.text, own, isLast);
  }
  const number = choice.options[0]!;
  // Beside a preview a digit only moves the cursor.
  if (dialog.preview) return previewStep(dialog, number, isLast);
  return digit(question, number, dialog, isLast);
}

/** Only the footer shows that the cursor is in the notes. Enter would submit the notes alone. */
function previewStep(dialog: Dialog, number: number, isLast: boolean): KeyStep {
  const footer = dialog.text.slice(dialog.text.lastIndexOf("Notes:"));
  return footer.includes("ctrl+g")
    ? stuck("notes are being written there: esc leaves them as they are")
    : rowStep(dialog, number, isLast);
}

/** In the row for own words a digit is text; in the rows below it does nothing. */
function digit(question: Question, number: number, dialog: Dialog, isLast = false): KeyStep {
  return isBelow(dialog, question.options.length) ? press(["Up"]) : press([String(number)], isLast);
}

function ownWordsStep(text: string, own: DialogOption, isLast: boolean): KeyStep {
  const written = writtenIn(own);
  if (written === "") return { kind: "paste", text };
  if (own.selected && holds(written, text)) return { kind: "wait" };
  return holds(written, text) ? enterAfter(text, isLast) : stuck(alreadyWritten(own));
}

function alreadyWritten({ label }: DialogOption): string {
  return `"${label}" is already written there: submit sends it, a number takes an option`;
}

function multiStep(
  question: Question,
  choice: Choice,
  dialog: Dialog,
  own: DialogOption | undefined,
  isLast: boolean,
): KeyStep {
  const written = own === undefined ? "" : writtenIn(own);
  const isTaken = choice.text === undefined
    ? own?.checked === true
    : written !== "" && !holds(written, choice.text);
  // Check before ticking anything: a refusal must leave the dialog as it was.
  if (isTaken) return stuck(alreadyWritten(own!));
  const unwanted = dialog.options.find((row) =>
    row.checked && row !== own && !choice.options.includes(row.number)
  );
  if (unwanted) return digit(question, unwanted.number, dialog);
  // In the order of the answer: Claude Code reports the choices in the order they were made.
  const missing = choice.options.find((option) => rowOf(dialog, option)?.checked === false);
  if (missing !== undefined) return digit(question, missing, dialog);

  if (choice.text !== undefined && written === "") {
    if (own?.focused) return { kind: "paste", text: choice.text };
    return towards(dialog, question.options.length + 1);
  }
  return leaveStep(dialog, own, isLast);
}

/** To the next question. In the row for own words, Right would move inside the text. */
function leaveStep(dialog: Dialog, own: DialogOption | undefined, isLast = false): KeyStep {
  if (/^(Submit|Next)$/.test(dialog.focused)) return press(["Enter"], isLast);
  if (dialog.focused.endsWith(CHAT)) return press(["Up"]);
  return own?.focused ? press(["Down"]) : press(["Right"], isLast);
}

/** The review must show our answers: another person may have chosen before us. */
function reviewStep(goal: AnswerGoal, dialog: Dialog): KeyStep {
  const shown = squeeze(dialog.text);
  for (const [index, question] of goal.questions.entries()) {
    const at = placeLike(shown, squeeze(question.question));
    if (at === -1) continue; // cut off in a low window
    const choice = goal.choices[index]!;
    const words = [...choice.options.map((number) => question.options[number - 1]!.label)];
    if (choice.text !== undefined) words.push(choice.text);
    const next = goal.questions[index + 1];
    const end = next === undefined ? shown.length : placeLike(shown, squeeze(next.question), at);
    const answer = shown.slice(at, end === -1 ? shown.length : end);
    const shows = (word: string) => placeLike(answer, squeeze(word).slice(0, 200)) >= 0;
    // With several answers, Claude Code may show one with a comma or quotes as JSON.
    const absent = words.find((word) => !shows(word) && !shows(JSON.stringify(word).slice(1, -1)));
    if (absent !== undefined) {
      return stuck(
        `the review shows another answer to "${question.question}" than "${absent}"; esc gives ` +
          `the questions up, and Claude may ask again`,
      );
    }
  }
  return press(["1"], true);
}

export function submitStep(dialog: Dialog | undefined): KeyStep {
  if (dialog === undefined) return done();
  if (dialog.kind === "review") return press(["1"], true);
  if (dialog.kind !== "question") return stuck("another dialog is in front of it");
  const own = ownRow(dialog);
  if (!dialog.options.some((row) => row.checked !== undefined)) {
    if (own === undefined || writtenIn(own) === "") {
      return stuck(`"${dialog.title}" takes one of its options: choose one`);
    }
    return own.focused
      ? enterAfter(own.label + own.description, true)
      : towards(dialog, own.number);
  }
  if (!dialog.options.some((row) => row.checked)) {
    return stuck(`nothing is chosen yet in "${dialog.title}"`);
  }
  return leaveStep(dialog, own);
}

/** The row for own words: the last one above "Chat about this". Its text is not looked at. */
export function ownRow(dialog: Dialog): DialogOption | undefined {
  if (dialog.kind !== "question" || dialog.preview) return undefined;
  const chat = dialog.options.find((row) => row.label === CHAT)?.number;
  return dialog.options.find((row) => writtenIn(row) === "") ??
    dialog.options.find((row) => row.number + 1 === chat);
}
