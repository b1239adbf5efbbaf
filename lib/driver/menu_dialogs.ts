/** The actions for Claude Code's dialogs: choose, answer, type at a question, submit. */

import type { GivenDecision, Pending } from "../answers.ts";
import { readChoices } from "./choices.ts";
import type { PaneScreen } from "./claude_pane.ts";
import type { MenuOptions } from "./menu_order.ts";
import { decides } from "../dialog_kind.ts";
import { whyNoKeys } from "./dialog_rights.ts";
import { whyMayBeUnread } from "./menu_decide.ts";
import { pressKey } from "./menu_key.ts";
import { typeAtPrompt } from "./menu_prompt.ts";
import { whyUnfitForKeys } from "./prompt_words.ts";
import { type OpenQuestion, openQuestion } from "./open_question.ts";
import { type Question } from "../questions.ts";
import { answersFrom, type Choice } from "../question_answers.ts";
import {
  type ActionResult,
  describe,
  type DriverContext,
  lookForDialog,
  maskedLine,
  pendingHere,
  refused,
} from "./driver_context.ts";
import { quotable } from "../request_text.ts";
import { byKeys, settle } from "./settle.ts";
import { readMemory } from "../session_memory.ts";
import { endsLike, markOf, requestsShown, squeeze } from "../shown.ts";

export async function choose(
  context: DriverContext,
  number: number,
  options: MenuOptions,
): Promise<ActionResult> {
  const screen = await lookForDialog(context, options.question);
  const { dialog } = screen;
  const asks = dialog === undefined || dialog.kind === "question" || dialog.kind === "other";
  if (asks || options.question !== undefined) {
    const open = openQuestion(context, screen, options.question);
    if (open.kind === "open") {
      return await answer(context, screen, open.open, [String(number)], options);
    }
    if (dialog?.kind !== "other" || dialog.options.length === 0 || options.question !== undefined) {
      return refused(open.reason);
    }
  }
  return await chooseRow(context, screen, number);
}

/** Takes a row of a dialog that is not a question. */
async function chooseRow(
  context: DriverContext,
  screen: PaneScreen,
  number: number,
): Promise<ActionResult> {
  const dialog = screen.dialog!;
  const forbidden = whyNoKeys(context, screen);
  if (forbidden !== undefined) return refused(forbidden);
  if (decides(dialog.kind)) {
    const question = waitingQuestion(context);
    if (question !== undefined) {
      return refused(
        `a question waits behind this dialog: choose with --question ${question.id} to answer ` +
          `it, allow or deny decide what is on the screen; ${describe(screen)}`,
      );
    }
  }
  const row = dialog.options.find((option) => option.number === number);
  if (row === undefined) {
    const rows = dialog.options.map((option) => `${option.number}. ${option.label}`).join(", ");
    return refused(`there is no option ${number}; the options are: ${rows}; ${describe(screen)}`);
  }
  const goal = { kind: "row", mark: markOf(dialog), number } as const;
  const chosen: GivenDecision = {
    kind: "answers",
    answers: { [maskedLine(dialog.title)]: row.label },
    annotations: {},
  };
  const shown = requestsShown(pendingHere(context), dialog);
  const unread = /^No\b/.test(row.label) ? undefined : whyMayBeUnread(context, dialog);
  if (unread !== undefined) return refused(unread);
  const [pending, ...more] = shown;
  return await byKeys(context, {
    ...(more.length === 0 ? { pending } : {}),
    screen,
    decision: chosen,
    goal,
    said: `Chose "${quotable(row.label)}"`,
  });
}

function waitingQuestion(context: DriverContext): Pending | undefined {
  return pendingHere(context)
    .find((one) => one.kind === "question" && context.isWaiting(one));
}

export async function answerOpen(
  context: DriverContext,
  words: string[],
  options: MenuOptions,
): Promise<ActionResult> {
  const screen = await lookForDialog(context, options.question);
  const open = openQuestion(context, screen, options.question);
  if (open.kind === "none") return refused(open.reason);
  return open.open.pending === undefined && isOneOfSeveral(screen)
    ? await answerOneByOne(context, screen, words)
    : await answer(context, screen, open.open, words, options);
}

function isOneOfSeveral({ dialog }: PaneScreen): boolean {
  return (dialog?.tabs.length ?? 0) > 1;
}

/** Without a hook, a question is known only once it is on the screen. */
async function answerOneByOne(
  context: DriverContext,
  first: PaneScreen,
  words: string[],
): Promise<ActionResult> {
  const { tabs, title } = first.dialog!;
  if (words.length !== tabs.length) {
    return refused(`${tabs.length} questions are open, ${words.length} answered`);
  }
  // The answers are given in order, so the first question must be on the screen.
  const asks = readMemory(context.paths, context.session).open?.asks ?? [];
  const at = asks.findIndex((text) => endsLike(squeeze(text), squeeze(title)));
  if (tabs.some(({ answered }) => answered) || at > 0) {
    return refused(
      `some questions are answered already: choose or type answers what is on the screen, submit ` +
        `sends all; ${describe(first)}`,
    );
  }
  const said: string[] = [];
  for (const word of words) {
    const screen = await context.pane.look();
    const open = openQuestion(context, screen, undefined);
    if (open.kind === "none") return refused(open.reason);
    const outcome = await answer(context, screen, open.open, [word], { notes: [] });
    if (outcome.kind === "refused") return outcome;
    said.push(outcome.said);
  }
  const done: ActionResult = { kind: "done", said: said.join("; "), via: "keys", isAnswer: true };
  if ((await context.pane.look()).dialog?.kind !== "review") return done;
  const submitted = await submit(context);
  return submitted.kind === "done" ? done : submitted;
}

async function answer(
  context: DriverContext,
  screen: PaneScreen,
  { pending, questions }: OpenQuestion,
  words: string[],
  { notes }: Pick<MenuOptions, "notes">,
): Promise<ActionResult> {
  const reading = readChoices(questions, words, notes);
  if (reading.kind === "wrong") return refused(reading.reason);
  const { choices } = reading;
  // The other questions are not known and must not be submitted with this one.
  const isPart = pending === undefined && isOneOfSeveral(screen);
  const said = questions.map((question, index) =>
    `"${quotable(maskedLine(question.question))}": ${quotable(wordsOf(question, choices[index]!))}`
  ).join(", ");
  return await settle(context, {
    pending,
    screen,
    decision: { kind: "answers", ...answersFrom(questions, choices), choices },
    goal: { kind: "answer", questions, choices, isPart },
    said: `Answered ${said}`,
  });
}

function wordsOf(question: Question, choice: Choice): string {
  const labels = choice.options.map((number) => question.options[number - 1]!.label);
  return [...labels, ...(choice.text === undefined ? [] : [choice.text])].join(", ");
}

/** At an open question the text is the answer. A question that opens later is not waited for. */
export async function type(
  context: DriverContext,
  text: string,
  options: MenuOptions,
): Promise<ActionResult> {
  if (options.promptOnly) return await typeAtPrompt(context, text, options.queue);
  const screen = options.question === undefined
    ? await context.pane.look()
    : await lookForDialog(context, options.question);
  if (options.question === undefined && !isAnswer(context, screen, options)) {
    return await typeAtPrompt(context, text, options.queue, options.now);
  }
  const unfit = whyUnfitForKeys(text);
  if (unfit !== undefined) return refused(unfit);
  const open = openQuestion(context, screen, options.question);
  return open.kind === "none"
    ? refused(open.reason)
    : await answer(context, screen, open.open, [`text:${text}`], options);
}

/** At an open question a text is its answer, unless it is for later or for another road. */
function isAnswer(
  { mod, inbox }: DriverContext,
  { dialog }: PaneScreen,
  { queue, road }: MenuOptions,
): boolean {
  const isForLater = queue && (mod !== undefined || inbox !== undefined);
  return dialog?.kind === "question" && !isForLater && (road === undefined || road === "keys");
}

export async function submit(context: DriverContext): Promise<ActionResult> {
  const screen = await context.pane.look();
  if (screen.dialog === undefined || screen.dialog.kind === "slash_menu") {
    return await pressKey(context, "Enter");
  }
  if (screen.dialog.kind !== "question" && screen.dialog.kind !== "review") {
    return refused(`there is nothing to submit; ${describe(screen)}`);
  }
  const decision: GivenDecision = { kind: "answers", answers: {}, annotations: {} };
  const said = "Submitted what was chosen";
  return await byKeys(context, { screen, decision, goal: { kind: "submit" }, said });
}
