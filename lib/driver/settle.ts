/** Passes a decision to Claude Code: through the waiting hook, else with keys. */

import {
  giveAnswer,
  type Given,
  type GivenDecision,
  isAnswerTaken,
  listPending,
  noteKeys,
  type Pending,
  wasShown,
  withdrawAnswer,
} from "../answers.ts";
import type { PaneScreen } from "./claude_pane.ts";
import type { Waited } from "../answer_wait.ts";
import { closePending, QUICKER } from "../close_pending.ts";
import { drive } from "./drive.ts";
import { record } from "../journal.ts";
import { readJournal } from "../journal_read.ts";
import { type Goal, whyNotByKeys } from "./keys.ts";
import {
  type ActionResult,
  describe,
  type DriverContext,
  maskedLine,
  mayUseHook,
  pendingHere,
  refused,
} from "./driver_context.ts";
import { timeOfWake } from "../new_wake.ts";
import { answer } from "../records.ts";
import { isAbout, placeOf } from "../shown.ts";
import { readMemory } from "../session_memory.ts";
import { waitForScreen } from "./screen_wait.ts";

const TAKEN_WITHIN_MS = 3000;
const GONE_WITHIN_MS = 4000;
const REPORTED_WITHIN_MS = 4000;
const IDLE_FOR_MS = 800;

export interface Settlement {
  pending?: Pending;
  /** The screen on which the decision is based. */
  screen: PaneScreen;
  decision: GivenDecision;
  goal: Goal;
  said: string;
}

/** Through the waiting hook no key is pressed. Without one, every key is checked on the screen. */
export async function settle(context: DriverContext, wanted: Settlement): Promise<ActionResult> {
  const { pending, said } = wanted;
  if (pending !== undefined && mayUseHook(context, pending)) {
    if (context.dryRun) return { kind: "done", said: `Would go through the waiting hook: ${said}` };
    const given = { ...givenBy(context, wanted.decision, "hook"), secret: context.secret };
    const isHeld = !wasShown(context.paths, pending); // its end removes the note
    const result = await throughHook(context, pending, given);
    if (result === "settled") return refused("it was answered by another in the meantime");
    if (result === "taken") return await afterTaken(context, pending, wanted, { isHeld, given });
  }
  return await byKeys(context, wanted);
}

export function givenBy(
  context: DriverContext,
  decision: GivenDecision,
  via: "hook" | "keys",
): Given {
  const { by, byKind: by_kind, caller } = context;
  return { by, by_kind, caller, via, at: context.now().toISOString(), decision };
}

type Passed = "taken" | "settled" | "ignored";

export async function throughHook(
  context: DriverContext,
  pending: Pending,
  given: Given,
): Promise<Passed> {
  const { paths } = context;
  const { clock } = context.pane;
  giveAnswer(paths, pending, given);
  const until = clock.now() + TAKEN_WITHIN_MS;
  while (clock.now() < until) {
    const isClosed = !isOpen(context, pending);
    if (isClosed || isAnswerTaken(paths, pending)) {
      const verdict = verdictOf(context, pending, given);
      if (isClosed) withdrawAnswer(paths, pending);
      if (verdict !== undefined || isClosed) return verdict ?? "settled";
    }
    await clock.sleep(20);
  }
  if (withdrawAnswer(paths, pending)) return verdictOf(context, pending, given) ?? "ignored";
  // Our answer is neither there nor taken: another answer replaced it and was refused.
  return verdictOf(context, pending, given) ??
    (isAnswerTaken(paths, pending) ? "taken" : "ignored");
}

function isOpen({ paths, session }: DriverContext, { id }: Pending): boolean {
  return listPending(paths, session).some((one) => one.id === id);
}

/** The hook's note about the answer that it took; undefined while there is none. */
function verdictOf(context: DriverContext, pending: Pending, given: Given): Passed | undefined {
  const notes = notesOf(context, pending, given.at);
  if (notes.some(({ via }) => via === "hook")) return "taken";
  return notes.some(({ reason }) => reason === TOO_LATE) ? "settled" : undefined;
}

const TOO_LATE: Waited["kind"] = "too late";

function notesOf({ paths, session }: DriverContext, { id }: Pending, since: string) {
  return Array.from(readJournal(paths, session))
    .filter((entry) => entry.question_id === id && String(entry.at) >= since);
}

/** Claude Code reports the answer to a question, and a person may have given another one before. */
async function reportOf(
  context: DriverContext,
  pending: Pending,
  since: string,
): Promise<"ours" | "a person's" | "none"> {
  const { clock } = context.pane;
  const until = clock.now() + REPORTED_WITHIN_MS;
  while (isOpen(context, pending)) {
    if (clock.now() >= until) return "none";
    await clock.sleep(20);
  }
  const isQuicker = notesOf(context, pending, since).some(({ reason }) => reason === QUICKER);
  return isQuicker ? "a person's" : "ours";
}

/** The hook has the answer: wait until its dialog closes, unless another request is behind it. */
async function afterTaken(
  context: DriverContext,
  pending: Pending,
  { screen: before, said, decision }: Settlement,
  { isHeld, given }: { isHeld: boolean; given: Given },
): Promise<ActionResult> {
  const others = () =>
    pendingHere(context)
      .filter((one) => one.id !== pending.id && context.isWaiting(one));
  const isLater = ({ kind, asked_at }: Pending) => kind === "plan" && asked_at > pending.asked_at;
  const shows = ({ dialog }: PaneScreen) =>
    dialog !== undefined && isAbout(pending, dialog) &&
    !(dialog.kind === "plan" && others().some(isLater));
  const isSeen = shows(before);
  const isGone = (now: PaneScreen) =>
    !isSeen || !shows(now) || placeOf(now.dialog!) !== placeOf(before.dialog!) ||
    others().length > 0;
  const screen = await waitForScreen(context.pane, GONE_WITHIN_MS, isGone);
  const isAnswer = decision.kind === "answers";
  const report = isAnswer ? await reportOf(context, pending, given.at) : "ours";
  if (report === "a person's") return refused(QUICKER);
  const mayTell = !isAnswer && isSeen && pending.subagent === undefined;
  const isStopped = mayTell && await staysIdle(context, screen);
  const notes = [
    ...(isStopped ? ["but Claude is idle: a person may have decided first, look"] : []),
    ...(report === "none" ? ["Claude Code has not reported it yet"] : []),
    ...(isSeen ? [] : [
      isHeld
        ? "its dialog was not seen on the screen so far"
        : "it was not found on the screen, and may have been answered before",
    ]),
    ...(isGone(screen) ? [] : ["one that looks the same is on the screen now: look"]),
    ...(others().length === 0 ? [] : [`still open: ${others().map((one) => one.id).join(", ")}`]),
  ];
  const how = ["through the waiting hook", ...notes].join("; ");
  return { kind: "done", said: `${said} (${how})`, via: "hook", isAnswer: true };
}

/** No event says who decided. After a decision of ours Claude works on; a person's No stops it. */
async function staysIdle({ pane }: DriverContext, { dialog }: PaneScreen): Promise<boolean> {
  if (dialog !== undefined) return false;
  const after = await waitForScreen(pane, IDLE_FOR_MS, ({ state }) => state !== "idle");
  return after.state === "idle";
}

export async function byKeys(context: DriverContext, wanted: Settlement): Promise<ActionResult> {
  const { pending, goal, said, decision, screen } = wanted;
  const impossible = whyNotByKeys(goal);
  if (impossible !== undefined) {
    const isClosed = pending !== undefined && context.isWaiting(pending) && !context.opens(pending);
    return refused(
      isClosed
        ? `${impossible}; its hook can: use the --question of its wake, secret included`
        : `no hook is waiting for it, and ${impossible}`,
    );
  }
  if (context.dryRun) return { kind: "done", said: `Would press keys: ${said}` };
  const isAnswer = goal.kind === "answer" || goal.kind === "submit";
  const noted = pending ?? (isAnswer ? questionOfWake(context) : undefined);
  const given = givenBy(context, decision, "keys");
  if (noted !== undefined) noteKeys(context.paths, noted, given);
  const driven = await drive(context.pane, goal);
  if (driven.kind === "stuck") {
    return refused(`${driven.reason}; ${describe(await context.pane.look())}`);
  }
  if (pending?.kind === "question" && await reportOf(context, pending, given.at) === "a person's") {
    return refused(QUICKER);
  }
  noteByKeys(context, isAnswer ? "answered" : "decided", { pending, screen, decision });
  // No event reports the end of a permission's dialog. With this its hook need not look for it.
  if (pending !== undefined && pending.kind !== "question") {
    closePending(context.paths, context.session, { id: pending.id });
  }
  return { kind: "done", said: `${said} (with keys)`, via: "keys", isAnswer: true };
}

/** Without a hook, the id of a question is known only from its wake. */
function questionOfWake(
  { paths, session }: DriverContext,
): { session: string; id: string } | undefined {
  const id = readMemory(paths, session).open?.id ?? "";
  const hasHook = listPending(paths, session).some((one) => one.id === id);
  return id.startsWith("q-") && !hasHook ? { session, id } : undefined;
}

/** Records who decided, and what the screen asked. */
export function noteByKeys(
  context: DriverContext,
  kind: "answered" | "decided",
  { pending, screen, decision }: Pick<Settlement, "pending" | "screen" | "decision">,
): void {
  record(context.paths, {
    ...byUs(context, kind === "answered" ? "question" : "permission", pending),
    decision,
    asked: maskedLine(screen.dialog?.text ?? "", 300),
  });
}

/** A dialog that esc has closed has no answer; the record says who closed it. */
export function noteLeft(context: DriverContext, pending: Pending): void {
  record(context.paths, { ...byUs(context, pending.kind, pending), outcome: "left" });
}

function byUs(context: DriverContext, what: Pending["kind"], pending: Pending | undefined) {
  const { paths, session, agentId: agent_id, by, byKind: by_kind, caller } = context;
  // Without a hook, the wake of the open question says when it was asked.
  const { open } = readMemory(paths, session);
  const asked_at = pending?.asked_at ?? timeOfWake(open?.wake_id);
  return answer({
    ...{ what, session, agent_id, by, by_kind, caller, via: "keys", asked_at },
    ...(pending === undefined
      ? { wake_id: open?.wake_id, question_id: open?.id }
      : { wake_id: pending.wake_id, question_id: pending.id, tool: pending.tool }),
    now: context.now(),
  });
}
