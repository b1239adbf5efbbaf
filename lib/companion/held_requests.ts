/**
 * Questions and requests whose hook has ended while their dialog is open. The mod keeps asking for a
 * decision here, and hands it to Claude Code. Answers come by file and need the secret of the wake,
 * as with the hook.
 */

import { isOfInput, listPending, passOn, type Pending, wasShown } from "../answers.ts";
import { closePending } from "../close_pending.ts";
import { kindOfTool } from "../decision_reply.ts";
import { type HookEvent, readEvent, textOf } from "../events.ts";
import { loadGuards } from "../fence.ts";
import type { HookContext } from "../hook_context.ts";
import { isObject } from "../json.ts";
import { later } from "../paths.ts";
import { TIME_IS_UP, within } from "../time.ts";

export type HoldAnswer =
  /** No such request is open: Claude Code goes on without a decision. */
  | { kind: "none" }
  | { kind: "wait" }
  | { kind: "decided"; decision: Record<string, unknown> };

export interface HeldRequests {
  /** The mod asks again and again with the same `id`. `event` is that of PermissionRequest. */
  ask(id: string, event: unknown): Promise<HoldAnswer>;
  /** Claude Code has closed the dialog, or ended the turn. */
  release(id: string): void;
}

export interface HoldWorld {
  /** undefined when no agent owns the session any more. */
  context(event: HookEvent): Promise<HookContext | undefined>;
  now(): number;
  sleep(ms: number): Promise<void>;
  pid: number;
  /** How long the mod is kept waiting for one answer. */
  waitMs: number;
}

interface Held {
  isReleased: boolean;
  answer: Promise<HoldAnswer>;
}

const NONE: HoldAnswer = { kind: "none" };
/** An answer may be noticed a little later than a hook would notice it. */
const LOOK_EVERY_MS = 150;
/** Other processes may remove the file this long after the companion's last renewal. */
const HELD_MS = 3_600_000;
const RENEW_MS = HELD_MS / 2;

export function heldRequests(world: HoldWorld): HeldRequests {
  const all = new Map<string, Held>();
  const taken = new Set<string>();

  const hold = async (one: Held, event: HookEvent): Promise<HoldAnswer> => {
    const context = await world.context(event);
    const input = event.fields.tool_input;
    if (context === undefined || !isObject(input)) return NONE;
    await loadGuards(); // what is open is masked on disk
    const open = leftFor(context, event, input, taken);
    if (open === undefined) return NONE;
    taken.add(open.id);
    try {
      return await wait(world, context, one, { ...open, tool_input: input });
    } finally {
      taken.delete(open.id);
    }
  };

  return {
    async ask(id, value) {
      let one = all.get(id);
      if (one === undefined) {
        const reading = readEvent(JSON.stringify(value ?? null));
        if (reading.kind !== "event") return NONE;
        one = { isReleased: false, answer: Promise.resolve(NONE) };
        all.set(id, one);
        one.answer = hold(one, reading.event).catch(() => NONE);
      }
      const answer = await within(one.answer, world.waitMs);
      return answer === TIME_IS_UP ? { kind: "wait" } : answer;
    },
    release(id) {
      const one = all.get(id);
      if (one !== undefined) one.isReleased = true;
      all.delete(id);
    },
  };
}

/** The oldest that this event may have opened and that is not held yet. */
function leftFor(
  { paths, session }: HookContext,
  event: HookEvent,
  input: Record<string, unknown>,
  taken: Set<string>,
): Pending | undefined {
  const tool = textOf(event.fields, "tool_name");
  const asked = { kind: kindOfTool(tool), tool, tool_input: input };
  return listPending(paths, session).find((open) =>
    !taken.has(open.id) && open.claude_session_id === event.sessionId &&
    open.prompt_id === event.promptId && isOfInput(open, asked) &&
    // Claude Code draws a background subagent's dialog only when none is held here.
    (open.subagent === undefined || wasShown(paths, open))
  );
}

async function wait(
  world: HoldWorld,
  context: HookContext,
  one: Held,
  pending: Pending,
): Promise<HoldAnswer> {
  const { paths, session } = context;
  const { id, kind, pid, until } = pending;
  const ours = { ...pending, pid: world.pid };
  let renewAt = world.now();
  const renew = () => {
    ours.until = new Date(world.now() + HELD_MS).toISOString();
    renewAt = world.now() + RENEW_MS;
    return passOn(paths, ours, { pid: world.pid, until: ours.until });
  };
  if (!renew()) return NONE;
  const { waitBeside } = await loadWaiting();
  const reply = await waitBeside(context, ours, {
    async sleep() {
      if (world.now() >= renewAt) renew();
      await world.sleep(LOOK_EVERY_MS);
    },
    isOver: () => one.isReleased,
  });
  if (reply !== undefined) return decided(reply);
  if (one.isReleased) {
    // No event reports the end of a permission's dialog. PostToolUse reports that of a question.
    if (kind === "question") passOn(paths, ours, { pid, until });
    else closePending(paths, session, { id });
  }
  return NONE;
}

/** Most companions never need it. */
function loadWaiting(): Promise<typeof import("../answer_request.ts")> {
  return import(later("../answer_request.ts"));
}

/** A hook would print this; the mod returns its inner part. */
function decided(reply: string): HoldAnswer {
  const output: unknown = JSON.parse(reply).hookSpecificOutput;
  const decision = isObject(output) ? output.decision : undefined;
  return isObject(decision) ? { kind: "decided", decision } : NONE;
}
