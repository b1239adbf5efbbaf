/** The verbs for Claude Code's dialogs: choose, answer, type at a question, submit, allow, deny. */

import { isWaiting, listPending } from "../answers.ts";
import type { MenuOptions } from "./menu_args.ts";
import { decides, pressKey, typeAtPrompt } from "./menu_prompt.ts";
import {
  answer,
  byKeys,
  describe,
  lookForDialog,
  openQuestion,
  type Outcome,
  refused,
  type Scene,
  settle,
} from "./menu_verbs.ts";

export async function choose(scene: Scene, number: number, options: MenuOptions): Promise<Outcome> {
  const screen = await lookForDialog(scene);
  const { dialog } = screen;
  const asks = dialog === undefined || dialog.kind === "question" || dialog.kind === "other";
  if (asks || options.question !== undefined) {
    const open = openQuestion(scene, screen, options.question);
    if (open.kind === "open") {
      return await answer(scene, open.open, [String(number)], options.notes);
    }
    if (dialog?.kind !== "other" || dialog.options.length === 0) return refused(open.reason);
  }
  if (decides(dialog!.kind) && scene.whyNoDecision !== undefined) {
    return refused(`${scene.whyNoDecision}; ${describe(screen)}`);
  }
  const row = dialog!.options.find((option) => option.number === number);
  if (row === undefined) {
    const rows = dialog!.options.map((option) => `${option.number}. ${option.label}`).join(", ");
    return refused(`there is no option ${number}; the options are: ${rows}; ${describe(screen)}`);
  }
  const goal = { kind: "row", dialog: dialog!.kind, number } as const;
  const chosen = {
    kind: "answers",
    answers: { [dialog!.title]: row.label },
    annotations: {},
  } as const;
  const given = {
    by: scene.by,
    via: "keys",
    at: new Date().toISOString(),
    decision: chosen,
  } as const;
  return await byKeys(scene, undefined, given, goal, `Chose "${row.label}"`);
}

export async function answerOpen(
  scene: Scene,
  words: string[],
  options: MenuOptions,
): Promise<Outcome> {
  const screen = await lookForDialog(scene);
  const open = openQuestion(scene, screen, options.question);
  if (open.kind === "none") return refused(open.reason);
  const tabs = screen.dialog?.tabs.length ?? 0;
  return open.open.pending === undefined && tabs > 1
    ? await answerOneByOne(scene, words, tabs)
    : await answer(scene, open.open, words, options.notes);
}

/** Without a hook the next question is known only when it is on the screen. */
async function answerOneByOne(scene: Scene, words: string[], tabs: number): Promise<Outcome> {
  if (words.length !== tabs) return refused(`${tabs} questions are open, ${words.length} answered`);
  const said: string[] = [];
  for (const word of words) {
    const screen = await scene.pane.look();
    const open = openQuestion(scene, screen, undefined);
    if (open.kind === "none") return refused(open.reason);
    const outcome = await answer(scene, open.open, [word], []);
    if (outcome.kind === "refused") return outcome;
    said.push(outcome.said);
  }
  const done: Outcome = { kind: "done", said: said.join("; "), via: "keys" };
  if ((await scene.pane.look()).dialog?.kind !== "review") return done;
  const handed = await submit(scene);
  return handed.kind === "done" ? done : handed;
}

/** At an open question the text is the answer; one that opens only now was not meant. */
export async function type(scene: Scene, text: string, options: MenuOptions): Promise<Outcome> {
  const screen = options.question === undefined
    ? await scene.pane.look()
    : await lookForDialog(scene);
  if (options.question === undefined && screen.dialog?.kind !== "question") {
    return await typeAtPrompt(scene, text, options.queue);
  }
  const open = openQuestion(scene, screen, options.question);
  return open.kind === "none"
    ? refused(open.reason)
    : await answer(scene, open.open, [`text:${text}`], options.notes);
}

export async function submit(scene: Scene): Promise<Outcome> {
  const screen = await scene.pane.look();
  if (screen.dialog === undefined || screen.dialog.kind === "slash_menu") {
    return await pressKey(scene, "Enter");
  }
  if (screen.dialog.kind !== "question" && screen.dialog.kind !== "review") {
    return refused(`there is nothing to submit; ${describe(screen)}`);
  }
  const chosen = { kind: "answers", answers: {}, annotations: {} } as const;
  const given = {
    by: scene.by,
    via: "keys",
    at: new Date().toISOString(),
    decision: chosen,
  } as const;
  return await byKeys(scene, undefined, given, { kind: "submit" }, "Submitted what was chosen");
}

export async function decide(
  scene: Scene,
  decision: { kind: "allow" } | { kind: "deny"; message: string },
  options: MenuOptions,
): Promise<Outcome> {
  const screen = await lookForDialog(scene);
  const { dialog } = screen;
  const open = listPending(scene.paths, scene.session);
  const pending = open.findLast((one) =>
    options.question === undefined ? kindShown(one.kind, dialog?.kind) : one.id === options.question
  );
  if (options.question !== undefined && pending === undefined) {
    return refused(`the request ${options.question} is no longer open; ${describe(screen)}`);
  }
  const declines = decision.kind === "deny" && dialog?.kind === "question";
  if (!declines && scene.whyNoDecision !== undefined) {
    return refused(`${scene.whyNoDecision}; ${describe(screen)}`);
  }
  if (!declines && dialog?.kind !== "permission" && dialog?.kind !== "plan") {
    return refused(`nothing asks for permission; ${describe(screen)}`);
  }
  if (declines && (pending === undefined || !isWaiting(pending, Date.now(), scene.isAlive))) {
    return refused(`no hook waits for this question: esc declines it; ${describe(screen)}`);
  }
  const said = decision.kind === "allow" ? "Allowed" : "Denied";
  return await settle(scene, pending, decision, decision, `${said} "${dialog?.title ?? ""}"`);
}

function kindShown(pending: string, shown: string | undefined): boolean {
  return pending === shown || (pending === "question" && shown === "review");
}
