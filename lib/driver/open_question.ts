/** Finds the question that an answer is for: from its hook's file, else from the screen. */

import type { Pending } from "../answers.ts";
import { isToCome, type Question, readQuestions } from "../questions.ts";
import type { PaneScreen } from "./claude_pane.ts";
import { ownRow } from "./answer_keys.ts";
import { CHAT } from "../dialog_options.ts";
import type { Dialog } from "../pane.ts";
import {
  describe,
  type DriverContext,
  mayUseHook,
  pendingHere,
  whyWrongSecret,
} from "./driver_context.ts";
import { readMemory } from "../session_memory.ts";
import { endsLike, isAbout, isSameInput, squeeze } from "../shown.ts";
import { isLike } from "../text.ts";

export interface OpenQuestion {
  pending?: Pending;
  questions: Question[];
}

export type QuestionFound =
  | { kind: "open"; open: OpenQuestion }
  | { kind: "none"; reason: string };

/** The question with this id; without an id the one on the screen. */
export function openQuestion(
  context: DriverContext,
  screen: PaneScreen,
  id: string | undefined,
): QuestionFound {
  const asked = pendingHere(context)
    .filter((one) => one.kind === "question")
    .map((pending) => ({ pending, questions: readQuestions(pending.tool_input) }));
  return id === undefined ? onScreen(context, screen, asked) : named(context, screen, asked, id);
}

type Asked = OpenQuestion & { pending: Pending };

function named(
  context: DriverContext,
  screen: PaneScreen,
  asked: Asked[],
  id: string,
): QuestionFound {
  if (id.startsWith("p-")) return none(`${id} is a permission or a plan: allow or deny it`);
  const own = asked.find(({ pending }) => pending.id === id);
  const { dialog } = screen;
  if (own === undefined) {
    // Without a hook, only the session's memory knows the id and the text of its last wake.
    const { open } = readMemory(context.paths, context.session);
    const isIt = open?.id === id && dialog?.kind === "question" &&
      open.asks?.some((text) => endsLike(squeeze(text), squeeze(dialog.title)));
    if (isIt) return onScreen(context, screen, []);
    return none(
      isToCome(context.paths, context.session, id) && screen.state !== "idle"
        ? `Claude Code has not opened the question ${id} yet: try again; ${describe(screen)}`
        : `the question ${id} is no longer open; ${describe(screen)}`,
    );
  }
  const wrong = whyWrongSecret(context, own.pending);
  if (wrong !== undefined) return none(wrong);
  // A waiting hook needs no screen: the dialog may not fit into a low window.
  if (mayUseHook(context, own.pending)) return { kind: "open", open: own };
  const shown = dialog === undefined ? [] : asked.filter((one) => isAbout(one.pending, dialog));
  return shown.length === 1 && shown[0] === own ? { kind: "open", open: own } : none(
    `the question ${id} is not on the screen: act on what is there first; ${describe(screen)}`,
  );
}

function onScreen(context: DriverContext, screen: PaneScreen, asked: Asked[]): QuestionFound {
  const { dialog } = screen;
  if (dialog?.kind !== "question" && dialog?.kind !== "review" && dialog?.kind !== "other") {
    return none(`no question is open; ${describe(screen)}`);
  }
  const shown = asked.filter((one) => isAbout(one.pending, dialog));
  const whole = shown.filter(({ questions }) =>
    questions.some(({ question }) => isLike(squeeze(question), squeeze(dialog.title)))
  );
  const [first, ...more] = whole.length > 0 ? whole : shown;
  // Of identical ones Claude shows the oldest first. With keys it is what is on the screen anyway.
  if (more.some((one) => !isSameInput(one.pending, first!.pending))) {
    const ids = [first!, ...more].map(({ pending }) => pending.id).join(", ");
    return none(
      `several questions look like the one on the screen: name one with --question: ${ids}`,
    );
  }
  if (first !== undefined) return { kind: "open", open: first };
  const questions = questionIn(dialog);
  if (questions !== undefined) return { kind: "open", open: { questions } };
  const waiting = asked.filter((one) => context.isWaiting(one.pending));
  return waiting.length === 1 ? { kind: "open", open: waiting[0]! } : none(
    `the question cannot be read as a whole (a larger window may help, or --question); ` +
      describe(screen),
  );
}

/** Without a hook, the question and its options are read from the screen. */
function questionIn(dialog: Dialog): Question[] | undefined {
  if (dialog.kind !== "question") return undefined;
  const own = ownRow(dialog);
  const chat = dialog.options.find((row) => row.label === CHAT);
  const rows = dialog.options.filter((row) => row !== own && row !== chat);
  // In a low window rows are missing, so their numbers are not known.
  const end = own?.number ?? (dialog.preview ? rows.length + 1 : undefined);
  if (end !== rows.length + 1 || rows.some((row, index) => row.number !== index + 1)) {
    return undefined;
  }
  return [{
    question: dialog.title,
    header: dialog.tabs[0]?.label ?? "",
    multiSelect: rows.some((row) => row.checked !== undefined),
    options: rows.map((row) => ({
      label: row.label,
      description: row.description,
      preview: dialog.preview ? "shown" : "",
    })),
  }];
}

function none(reason: string): QuestionFound {
  return { kind: "none", reason };
}
