/** Gives prompts and commands to Claude Code by the mod inside it: no key, no draft in the way. */

import { isObject } from "../json.ts";
import {
  type ActionResult,
  describe,
  type DriverContext,
  refused,
  unsure,
} from "./driver_context.ts";
import type { PaneScreen } from "./claude_pane.ts";
import type { ModRoad, ModState, RoadAnswer } from "./mod_road.ts";
import { noteOwnText } from "../doors/own_drafts.ts";
import { waitForScreen } from "./screen_wait.ts";
import { lastEscape } from "../own_escape.ts";
import { QUIET_COMMANDS } from "../suggested.ts";
import { count, dialogInTheWay, type Giving, ROAD_TAKEN, wayOut } from "./prompt_words.ts";

/** `other`: nothing was done, and another road has to be taken. */
export type ModOutcome = ActionResult | { kind: "other"; reason: string };

/** Users' own hooks run before a turn begins. */
const BEGUN_WITHIN_MS = 60_000;
const CLEARED_WITHIN_MS = 20_000;
const COMPACTED_WITHIN_MS = 300_000;
const ABORTED_WITHIN_MS = 5000;
const QUEUED_WITHIN_MS = 10_000;
/** A mod that is well answers a look in a few milliseconds. */
const THERE_WITHIN_MS = 3000;
const LOOK_EVERY_MS = 100;
/** The screen shows the end of a turn a little later than the mod reports it. */
const DRAWN_WITHIN_MS = 1000;

const COMMAND = /^\/([\w:.-]+)(?:\s+([^]*))?$/;

export async function typeByMod(
  context: DriverContext,
  mod: ModRoad,
  text: string,
  giving: Giving,
): Promise<ModOutcome> {
  const ready = await whenReady(context, mod, giving);
  if (ready.kind !== "ready") return ready;
  const { isBusy } = ready;
  const command = COMMAND.exec(text);
  if (context.dryRun) return done(`Would type ${count(text)}`);
  if (command !== null) {
    if (isBusy) return { kind: "other", reason: "a command is queued with keys" };
    return await commandByMod(context, mod, text, command);
  }
  noteOwnText(context.paths, context.session, text);
  context.beforePrompt(text);
  return await submitByMod(context, mod, text, isBusy);
}

async function submitByMod(
  context: DriverContext,
  mod: ModRoad,
  text: string,
  isBusy: boolean,
): Promise<ModOutcome> {
  const order = { op: "submit", text, asUser: context.voice !== "agent", queue: isBusy } as const;
  const answer = await mod.order(order, isBusy ? QUEUED_WITHIN_MS : BEGUN_WITHIN_MS);
  return await outcomeOf(context, answer, mod, `${isBusy ? "Queued:" : "Typed"} ${count(text)}`);
}

type Ready = { kind: "ready"; isBusy: boolean };

/**
 * Waits until Claude is free. The screen shows dialogs; whether a turn runs the companion knows
 * better: with a draft in the box the screen does not show it.
 */
async function whenReady(
  context: DriverContext,
  mod: ModRoad,
  { queue, now }: Giving,
): Promise<Ready | ModOutcome> {
  // Give nothing to a mod that does not answer. Then keys cannot give it a second time.
  const there = await mod.order({ op: "draft" }, THERE_WITHIN_MS);
  if (there.kind !== "done") return silent(there.reason);
  let state: ModState | undefined = there.state;
  const { clock } = context.pane;
  const until = clock.now() + context.waitMs;
  while (true) {
    const screen = await context.pane.look();
    const dialog = dialogInTheWay(screen);
    if (dialog !== undefined) {
      if (queue) return { kind: "ready", isBusy: true };
      const way = wayOut(dialog.kind, context.whyNoDecision === undefined);
      return refused(`a dialog is open (${way}); ${describe(screen)}`);
    }
    const isBusy = state?.isBusy ?? screen.state === "working";
    if (!isBusy || queue) return { kind: "ready", isBusy };
    if (now) {
      return context.dryRun ? { kind: "ready", isBusy: false } : await afterAbort(context, mod);
    }
    if (clock.now() >= until) {
      // With a draft in the box the screen looks idle.
      const seen = describe({ ...screen, state: "working" });
      return refused(`Claude is still working (--queue types it for later); ${seen}`);
    }
    await clock.sleep(LOOK_EVERY_MS);
    state = await mod.state();
    if (state === undefined) return silent("its companion has ended");
  }
}

function silent(reason: string): ModOutcome {
  return { kind: "other", reason: `the mod does not answer: ${reason}` };
}

/** Ends the running turn, so that the next prompt is not queued behind it. */
async function afterAbort(context: DriverContext, mod: ModRoad): Promise<Ready | ModOutcome> {
  const { clock } = context.pane;
  const answer = await mod.order({ op: "abort" }, ABORTED_WITHIN_MS);
  // Refused: the turn has ended by itself.
  if (answer.kind === "closed") return silent(answer.reason);
  if (answer.kind === "unsure") return refused(`${answer.reason}; the turn may have been stopped`);
  const until = clock.now() + ABORTED_WITHIN_MS;
  while ((await mod.state())?.isBusy !== false) {
    if (clock.now() >= until) return refused("the running turn did not end; nothing was typed");
    await clock.sleep(LOOK_EVERY_MS);
  }
  return { kind: "ready", isBusy: false };
}

async function commandByMod(
  context: DriverContext,
  mod: ModRoad,
  text: string,
  [, command = "", args = ""]: RegExpExecArray,
): Promise<ModOutcome> {
  const listed = await mod.order({ op: "commands" }, QUEUED_WITHIN_MS);
  if (listed.kind !== "done") return silent(listed.reason);
  const known = Array.isArray(listed.value) ? listed.value.filter(isObject) : [];
  const found = known.find(({ name }) => name === command);
  if (found === undefined) return { kind: "other", reason: `the mod has no command /${command}` };
  if (found.source === "builtin" && !QUIET_COMMANDS.includes(command)) {
    return { kind: "other", reason: `/${command} may open a dialog` };
  }
  const waitMs = command === "compact" ? COMPACTED_WITHIN_MS : BEGUN_WITHIN_MS;
  context.beforePrompt(text);
  const answer = await mod.order({ op: "command", command, args }, waitMs);
  return await outcomeOf(context, answer, mod, `Typed ${count(text)}`);
}

/** /clear, then the text. */
export async function clearByMod(
  context: DriverContext,
  mod: ModRoad,
  text: string,
): Promise<ModOutcome> {
  const ready = await whenReady(context, mod, { queue: false, now: false });
  if (ready.kind !== "ready") return ready;
  if (context.dryRun) return done(`Would clear, then type ${count(text)}`);
  const clear = { op: "command", command: "clear", args: "" } as const;
  const cleared = await outcomeOf(context, await mod.order(clear, CLEARED_WITHIN_MS), mod, "");
  return cleared.kind === "done" ? done("Cleared the conversation") : cleared;
}

/** Ends the running turn, where one runs. */
export async function interruptByMod(context: DriverContext, mod: ModRoad): Promise<ModOutcome> {
  const answer = await mod.order({ op: "abort" }, ABORTED_WITHIN_MS);
  if (answer.kind === "refused") return { kind: "other", reason: answer.reason };
  const outcome = await outcomeOf(context, answer, mod, "Interrupted the turn");
  if (outcome.kind !== "done") return outcome;
  const drawn = ({ state }: PaneScreen) => state !== "working";
  const after = await waitForScreen(context.pane, DRAWN_WITHIN_MS, drawn);
  return { ...outcome, said: `${outcome.said}: ${describe(after)}` };
}

function done(said: string): ActionResult {
  return { kind: "done", said: `${said} ${ROAD_TAKEN.mod}`, via: "mod" };
}

async function outcomeOf(
  context: DriverContext,
  answer: RoadAnswer,
  mod: ModRoad,
  said: string,
): Promise<ModOutcome> {
  switch (answer.kind) {
    case "done":
      return done(said);
    case "closed":
      return silent(answer.reason);
    case "unsure":
      return unsure(`${answer.reason}; it may have been done: look before you try again`);
    case "refused":
      if (NO_SLASH.test(answer.reason)) return { kind: "other", reason: answer.reason };
      return await afterRefusal(context, answer.reason, mod);
  }
}

/** The mod's own words, where its second plugin is not loaded. */
const NO_SLASH = /begins with a slash cannot go this way/;
/** Claude Code's own words: it takes nothing from a mod after a person's Esc. */
const STOPPED = /the session was stopped and nobody has sent input since/;

/** After this time an Esc that no companion knows of may be a person's. */
const OWN_WITHIN_MS = 3_600_000;

/** Claude Code takes our own Esc at a dialog for a person's. Use keys then: no person is typing. */
async function afterRefusal(
  { paths, session }: DriverContext,
  reason: string,
  mod: ModRoad,
): Promise<ModOutcome> {
  if (!STOPPED.test(reason)) return refused(reason);
  const at = (await mod.state())?.stoppedAt;
  if (at === undefined && Date.now() - (lastEscape(paths, session) ?? 0) < OWN_WITHIN_MS) {
    return { kind: "other", reason: "after esc Claude Code takes nothing from the mod" };
  }
  const time = at === undefined ? "" : ` at ${new Date(at).toISOString().slice(11, 16)} UTC`;
  return refused(
    `a person stopped this session${time} and has typed nothing since; wait for that person, or ` +
      "use --road keys",
  );
}
