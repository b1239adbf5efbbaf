/** What the menu driver does, verb by verb: looked at, checked, then through the hook or by keys. */

import {
  giveAnswer,
  type Given,
  type GivenDecision,
  isTaken,
  isWaiting,
  listPending,
  noteKeys,
  type Pending,
  withdrawAnswer,
} from "../answers.ts";
import type { ClaudePane, Look } from "./claude_pane.ts";
import { drive } from "./drive.ts";
import { readJournal, record } from "../journal.ts";
import { type Goal, isShown, whyNotByKeys } from "./keys.ts";
import type { Dialog } from "../pane.ts";
import type { Paths } from "../paths.ts";
import { answersFrom, type Pick, readPicks } from "./picks.ts";
import { type Question, readQuestions } from "../questions.ts";
import { pause } from "../time.ts";
import { waitFor } from "./typing.ts";

export type Outcome =
  | { kind: "done"; said: string; via?: "hook" | "keys" }
  | { kind: "refused"; reason: string };

export interface Scene {
  paths: Paths;
  session: string;
  pane: ClaudePane;
  agentId: string;
  by: string;
  /** May this agent decide about permissions? Else why not. */
  whyNoDecision: string | undefined;
  waitMs: number;
  dryRun: boolean;
  isAlive(pid: number): boolean;
}

const TAKEN_WITHIN_MS = 3000;
const GONE_WITHIN_MS = 4000;
/** A wake may be quicker than the dialog that it tells of. */
const DIALOG_WITHIN_MS = 3000;

/** The screen, once a dialog is there or it is plain that none will come. */
export function lookForDialog(scene: Scene): Promise<Look> {
  const { pane, waitMs } = scene;
  const ms = Math.min(waitMs, DIALOG_WITHIN_MS);
  return waitFor(pane, ms, (screen) => screen.dialog !== undefined || screen.state === "idle");
}

export interface OpenQuestion {
  pending?: Pending;
  questions: Question[];
}

/** The question on the screen: as the hook was told it, else as far as it can be read there. */
export function openQuestion(
  scene: Scene,
  screen: Look,
  id: string | undefined,
): { kind: "open"; open: OpenQuestion } | { kind: "none"; reason: string } {
  const { dialog } = screen;
  const pendings = listPending(scene.paths, scene.session).filter((one) => one.kind === "question");
  if (id !== undefined && !pendings.some((pending) => pending.id === id)) {
    return { kind: "none", reason: `the question ${id} is no longer open; ${describe(screen)}` };
  }
  if (dialog?.kind !== "question" && dialog?.kind !== "review" && dialog?.kind !== "other") {
    return { kind: "none", reason: `no question is open; ${describe(screen)}` };
  }
  const wanted = pendings.filter((pending) => id === undefined || pending.id === id)
    .map((pending) => ({ pending, questions: readQuestions(pending.tool_input) }));
  const shown = wanted.findLast(({ questions }) =>
    dialog.kind === "other" || (dialog.kind === "review" && questions.length > 0) ||
    questions.some((question) => isShown(question, dialog))
  );
  if (shown !== undefined) return { kind: "open", open: shown };
  if (id !== undefined) {
    return { kind: "none", reason: `the question ${id} is not on the screen; ${describe(screen)}` };
  }
  const questions = questionOnScreen(dialog);
  return questions === undefined
    ? { kind: "none", reason: `no question can be read; ${describe(screen)}` }
    : { kind: "open", open: { questions } };
}

/** Without a hook nobody has told us the question: its options are those on the screen. */
function questionOnScreen(dialog: Dialog): Question[] | undefined {
  if (dialog.kind !== "question") return undefined;
  const rows = dialog.options.filter((row) =>
    !/^(Type something\.?|Chat about this)$/.test(row.label)
  );
  if (rows[0]?.number !== 1) return undefined;
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

export async function answer(
  scene: Scene,
  { pending, questions }: OpenQuestion,
  words: string[],
  notes: string[],
): Promise<Outcome> {
  const reading = readPicks(questions, words, notes);
  if (reading.kind === "wrong") return refused(reading.reason);
  const { picks } = reading;
  const decision: GivenDecision = { kind: "answers", ...answersFrom(questions, picks) };
  const said = questions.map((question, index) =>
    `"${question.question}": ${wordsOf(question, picks[index]!)}`
  ).join(", ");
  return await settle(
    scene,
    pending,
    decision,
    { kind: "answer", questions, picks },
    `Answered ${said}`,
  );
}

function wordsOf(question: Question, pick: Pick): string {
  const labels = pick.options.map((number) => question.options[number - 1]!.label);
  return [...labels, ...(pick.text === undefined ? [] : [pick.text])].join(", ");
}

/** Through the hook that waits, with no key pressed; else with keys, each one looked after. */
export async function settle(
  scene: Scene,
  pending: Pending | undefined,
  decision: GivenDecision,
  goal: Goal,
  said: string,
): Promise<Outcome> {
  const given: Given = {
    by: scene.by,
    via: "hook",
    at: new Date().toISOString(),
    decision,
  };
  if (pending !== undefined && isWaiting(pending, Date.now(), scene.isAlive)) {
    if (scene.dryRun) return { kind: "done", said: `Would go through the waiting hook: ${said}` };
    const handed = await throughHook(scene, pending, given);
    if (handed === "settled") return refused("somebody else has answered it in the meantime");
    if (handed === "taken") {
      const isGone = (now: Look) => !showsSame(now, pending) || isFollowed(scene, pending);
      const screen = await waitFor(scene.pane, GONE_WITHIN_MS, isGone);
      return isGone(screen)
        ? { kind: "done", said: `${said} (through the waiting hook)`, via: "hook" }
        : refused(`the hook took the answer but the dialog is still there; ${describe(screen)}`);
    }
  }
  return await byKeys(scene, pending, { ...given, via: "keys" }, goal, said);
}

async function throughHook(
  scene: Scene,
  pending: Pending,
  given: Given,
): Promise<"taken" | "settled" | "ignored"> {
  const { paths, session } = scene;
  giveAnswer(paths, pending, given);
  const until = performance.now() + TAKEN_WITHIN_MS;
  while (performance.now() < until) {
    if (isTaken(paths, pending)) return "taken";
    if (!listPending(paths, session).some((one) => one.id === pending.id)) {
      // Closed: by the human, unless it was taken and closed between two looks.
      withdrawAnswer(paths, pending);
      return wasTaken(scene, pending, given) ? "taken" : "settled";
    }
    await pause(20);
  }
  return withdrawAnswer(paths, pending) ? "ignored" : "taken";
}

function wasTaken({ paths, session }: Scene, pending: Pending, given: Given): boolean {
  return Array.from(readJournal(paths, session)).some((entry) =>
    entry.question_id === pending.id && entry.via === "hook" && String(entry.at) >= given.at
  );
}

/** The next dialog is there already, with a hook of its own. */
function isFollowed({ paths, session }: Scene, pending: Pending): boolean {
  return listPending(paths, session)
    .some((one) => one.pid !== pending.pid && one.asked_at > pending.asked_at);
}

function showsSame(screen: Look, pending: Pending): boolean {
  const { dialog } = screen;
  if (pending.kind !== "question") {
    return dialog?.kind === "permission" || dialog?.kind === "plan";
  }
  return dialog?.kind === "review" ||
    (dialog?.kind === "question" &&
      readQuestions(pending.tool_input).some((question) => isShown(question, dialog)));
}

export async function byKeys(
  scene: Scene,
  pending: Pending | undefined,
  given: Given,
  goal: Goal,
  said: string,
): Promise<Outcome> {
  const impossible = whyNotByKeys(goal);
  if (impossible !== undefined) return refused(`no hook is waiting for it, and ${impossible}`);
  if (scene.dryRun) return { kind: "done", said: `Would press keys: ${said}` };
  if (pending !== undefined) noteKeys(scene.paths, pending, given);
  const driven = await drive(scene.pane, goal);
  if (driven.kind === "stuck") {
    return refused(`${driven.reason}; ${describe(await scene.pane.look())}`);
  }
  record(scene.paths, {
    kind: goal.kind === "answer" || goal.kind === "submit" ? "answered" : "decided",
    session: scene.session,
    agent_id: scene.agentId,
    ...(pending === undefined
      ? {}
      : { wake_id: pending.wake_id, question_id: pending.id, tool: pending.tool }),
    by: given.by,
    via: "keys",
    decision: given.decision,
  });
  return { kind: "done", said: `${said} (with keys)`, via: "keys" };
}

export function refused(reason: string): { kind: "refused"; reason: string } {
  return { kind: "refused", reason };
}

/** The present state, for every refusal. */
export function describe(screen: Look): string {
  const { state, dialog, draft } = screen;
  if (dialog !== undefined) {
    return `the present state is ${state} (${dialog.kind.replace("_", " ")}: ${dialog.title})`;
  }
  if (draft !== "") {
    const start = draft.replace(/\s+/g, " ").slice(0, 40);
    return `the present state is ${state}, with the draft "${start}" in the box`;
  }
  return `the present state is ${state}`;
}
