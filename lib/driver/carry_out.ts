/** Carries out an action in a session: who may, in which pane, by which road; then notes it. */

import { listPending } from "../answers.ts";
import { decides } from "../dialog_kind.ts";
import { newWakeId } from "../new_wake.ts";
import { noteEscape } from "../own_escape.ts";
import { whyNotInside } from "./caller.ts";
import { findPane } from "./claude_pane.ts";
import { type ActionResult, type DriverContext, refused } from "./driver_context.ts";
import { callerOf, contextFor, type DriverWorld, paneWorld, roadsInto } from "./driver_world.ts";
import { noteInstruction } from "./instructions.ts";
import { clearDraft } from "./menu_clear.ts";
import { decide } from "./menu_decide.ts";
import { answerOpen, choose, submit, type } from "./menu_dialogs.ts";
import { settleForm } from "./menu_form.ts";
import { pressKey } from "./menu_key.ts";
import type { DrivingVerb, MenuOptions } from "./menu_order.ts";
import { clearThen } from "./menu_prompt.ts";
import { canBeRead } from "./screen_wait.ts";
import { whySpentFrom } from "./spending_refusal.ts";
import { whyTakenFrom } from "./taken.ts";
import { makeRoom, mayNeedRoom, needsRoom } from "./window_room.ts";

/** What can take another road than keys. */
const TYPING = ["type", "clear_then", "esc"];
/** A turn that ends by one of these was not stopped by a person. */
const ENDS_TURNS: DrivingVerb["kind"][] = ["esc", "deny", "enter"];

const WHY_UNREADABLE =
  "the screen of Claude Code cannot be read: snapshot shows it, esc leaves a menu";

export async function carryOut(
  given: DriverWorld,
  session: string,
  verb: DrivingVerb,
  options: MenuOptions,
): Promise<ActionResult> {
  const world = { ...given, processes: once(given.processes) };
  world.processes().catch(() => {}); // asked meanwhile: it takes as long as all of tmux's answers
  const panes = paneWorld(world, options);
  const asking = listPending(world.paths, session).find(({ id }) => id === options.question)?.pane;
  if (options.pane !== undefined && asking !== undefined && options.pane !== asking) {
    return refused(`${options.question} was asked in pane ${asking}, not in ${options.pane}`);
  }
  const unreadable = options.question === undefined ? "of Claude" : "any";
  const found = await findPane(panes, session, options.pane ?? asking, unreadable);
  if (found.kind === "none") return refused(found.reason);
  const caller = await callerOf(world, panes, { id: found.pane.id, pid: found.pid });
  const inside = whyNotInside(caller);
  if (inside !== undefined) return refused(inside);
  const taken = whyTakenFrom(world, session, options, caller) ??
    whySpentFrom(world, session, verb, options, caller);
  const roads = taken !== undefined || options.road === "keys" || !TYPING.includes(verb.kind)
    ? {}
    : await roadsInto(world, session, { id: found.pane.id, pid: found.pid });
  if (taken === undefined && roads.mod === undefined && options.road === "mod") {
    return refused("the Claude Code in it has no mod, or its companion does not run");
  }
  const began = world.now();
  const instructionId = options.giver?.instruction_id ?? newWakeId(began.getTime());
  const context = await contextFor(world, session, options, found.pane, caller, {
    ...roads,
    instructionId,
    listAgain: given.processes,
  });
  if (taken !== undefined) {
    noteInstruction(context, verb, instructionId, refused(taken), began);
    return refused(taken);
  }
  const room = needsRoom(found.screen) && mayNeedRoom(context, verb, options.question)
    ? await makeRoom(panes, found.pane)
    : undefined;
  try {
    const { state, dialog } = room?.screen ?? found.screen;
    // An answer with an id needs no screen, and esc is the way out of one that cannot be read.
    if (state === "unknown" && unreadable === "of Claude" && verb.kind !== "esc") {
      if (context.dryRun || !await canBeRead(found.pane)) return refused(WHY_UNREADABLE);
    }
    const mayRefuse = verb.kind === "choose" && decides(dialog?.kind) &&
      isNo(dialog?.options.find(({ number }) => number === verb.number)?.label);
    if ((ENDS_TURNS.includes(verb.kind) || options.now || mayRefuse) && !options.dryRun) {
      noteEscape(world.paths, session, Date.now());
    }
    const result = await act(context, verb, options);
    noteInstruction(context, verb, instructionId, result, began);
    return result;
  } finally {
    await room?.restore();
  }
}

/** A row that may stop the turn; one that cannot be read may do so too. */
function isNo(label = "No"): boolean {
  return /^No\b/.test(label);
}

async function act(
  context: DriverContext,
  verb: DrivingVerb,
  options: MenuOptions,
): Promise<ActionResult> {
  switch (verb.kind) {
    case "choose":
      return await choose(context, verb.number, options);
    case "answer":
      return await answerOpen(context, verb.words, options);
    case "type":
      return await type(context, verb.text, options);
    case "clear":
      return await clearDraft(context);
    case "clear_then":
      return await clearThen(context, verb.text);
    case "enter":
      return await pressKey(context, "Enter");
    case "esc":
      return await pressKey(context, "Escape");
    case "submit":
      return await submit(context);
    case "allow":
      return await decide(context, { kind: "allow" }, options);
    case "deny":
      return await decide(context, { kind: "deny", message: verb.message }, options);
    case "fill":
    case "decline":
    case "leave":
      return await settleForm(context, verb, options);
  }
}

/** Listing all processes takes longer than all else. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => asked ??= ask();
}
