/** Gives prompts and commands to Claude Code by the mod inside it: no key, no draft in the way. */

import { isObject } from "../json.ts";
import { type ActionResult, describe, type DriverContext, refused } from "./driver_context.ts";
import type { ModRoad, RoadAnswer } from "./mod_road.ts";

/** `other`: this has to go with keys. */
export type ModOutcome = ActionResult | { kind: "other"; reason: string };

/** A turn has begun by then, unless Claude Code is very busy. */
const BEGUN_WITHIN_MS = 15_000;
const CLEARED_WITHIN_MS = 10_000;
const ABORTED_WITHIN_MS = 5000;

/** Built-in commands that open no dialog. Those of skills, plugins and people open none either. */
const QUIET_COMMANDS = ["clear", "compact", "context", "init", "review"];

/** No dialog may be open: the mod would wait behind it. */
export async function submitByMod(
  context: DriverContext,
  road: ModRoad,
  text: string,
  { isBusy }: { isBusy: boolean },
): Promise<ModOutcome> {
  if (/^\/[\w:.-]+(\s|$)/.test(text)) return await commandByMod(road, text);
  const order = { op: "submit", text, asUser: context.voice !== "agent" } as const;
  if (!isBusy) {
    return said(await road.order(order, BEGUN_WITHIN_MS), road, `Typed ${count(text)}`);
  }
  // Its turn begins later. The mod takes orders one after the other: its word on a later one shows
  // that this one is in Claude Code's queue.
  const submitting = road.order(order, QUEUED_WITHIN_MS);
  const answer = await road.order({ op: "draft" }, QUEUED_WITHIN_MS);
  if (answer.kind !== "done") return said(answer, road, "");
  const early = await Promise.race([submitting, context.pane.clock.sleep(REFUSED_WITHIN_MS)]);
  if (early?.kind === "refused") return said(early, road, "");
  return { kind: "done", said: `Queued: ${count(text)} (through the mod)`, via: "mod" };
}

const QUEUED_WITHIN_MS = 10_000;
const REFUSED_WITHIN_MS = 100;

async function commandByMod(road: ModRoad, text: string): Promise<ModOutcome> {
  const [, command = "", args = ""] = /^\/([\w:.-]+)\s*([^]*)$/.exec(text) ?? [];
  const listed = await road.order({ op: "commands" }, QUEUED_WITHIN_MS);
  if (listed.kind !== "done") return said(listed, road, "");
  const known = Array.isArray(listed.value) ? listed.value.filter(isObject) : [];
  const found = known.find(({ name }) => name === command);
  if (found === undefined) return { kind: "other", reason: `the mod has no command /${command}` };
  if (found.source === "builtin" && !QUIET_COMMANDS.includes(command)) {
    return { kind: "other", reason: `/${command} may open a dialog` };
  }
  const waitMs = command === "compact" ? 300_000 : BEGUN_WITHIN_MS;
  const answer = await road.order({ op: "command", command, args }, waitMs);
  return said(answer, road, `Ran ${count(text)}`);
}

/** /clear, then the text. */
export async function clearByMod(
  context: DriverContext,
  road: ModRoad,
  text: string,
): Promise<ModOutcome> {
  const cleared = await road.order(
    { op: "command", command: "clear", args: "" },
    CLEARED_WITHIN_MS,
  );
  const result = await said(cleared, road, "");
  if (result.kind !== "done") return result;
  const typed = await submitByMod(context, road, text, { isBusy: false });
  if (typed.kind === "done") {
    const { said } = typed;
    return { ...typed, said: `Cleared the conversation, then t${said.slice(1)}` };
  }
  return refused(`the conversation is cleared, but ${typed.reason}`);
}

/** Ends the running turn. */
export async function interruptByMod(context: DriverContext, road: ModRoad): Promise<ModOutcome> {
  const answer = await road.order({ op: "abort" }, ABORTED_WITHIN_MS);
  if (answer.kind === "refused") return { kind: "other", reason: answer.reason };
  const result = await said(answer, road, "Interrupted the turn");
  if (result.kind !== "done") return result;
  return { ...result, said: `${result.said}: ${describe(await context.pane.look())}` };
}

async function said(answer: RoadAnswer, road: ModRoad, done: string): Promise<ModOutcome> {
  switch (answer.kind) {
    case "done":
      return { kind: "done", said: `${done} (through the mod)`, via: "mod" };
    case "closed":
      return { kind: "other", reason: `the companion cannot be reached: ${answer.reason}` };
    case "unsure":
      return refused(`${answer.reason}; it may have been done: look with snapshot`);
    case "refused":
      return refused(await whyStopped(road) ?? answer.reason);
  }
}

/** After a person's Esc Claude Code takes nothing from a mod until that person has typed. */
async function whyStopped(road: ModRoad): Promise<string | undefined> {
  const at = (await road.state())?.stoppedAt;
  if (typeof at !== "number") return undefined;
  const time = new Date(at).toISOString().slice(11, 16);
  return `a person stopped this session at ${time} UTC and has typed nothing since; ` +
    "wait for that person, or use --road keys";
}

function count(text: string): string {
  const lines = text.split("\n").length;
  const short = text.length <= 60 && lines === 1;
  return short
    ? `"${text}"`
    : `${text.length} characters in ${lines} line${lines === 1 ? "" : "s"}`;
}
