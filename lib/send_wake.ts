/** From a draft to a wake in the outbox: suppress duplicates, render, write, start the deliverer. */

import { type Foreign, isPlain, loadGuards, prepareForeign } from "./fence.ts";
import { textOf } from "./events.ts";
import { isThere } from "./files.ts";
import { type HookContext, load } from "./hook_context.ts";
import { note } from "./journal.ts";
import { messageOf } from "./json.ts";
import { hasQueue } from "./known_sessions.ts";
import type { LaterFiles } from "./later_files.ts";
import { newWake, newWakeId, queuedRecord, receiverOf } from "./new_wake.ts";
import { type Identity, identityOf, judge, type Judgement, remember } from "./noise.ts";
import { enqueue, isDelivered, type QueuedWake } from "./outbox.ts";
import {
  changeMemory,
  eventOwner,
  promptedBy,
  type SessionMemory,
  withDialog,
  withEvent,
  withoutDialog,
} from "./session_memory.ts";
import { mayBeCut, type WakeDraft } from "./wake.ts";
import { type Paths, pendingDir, safeName } from "./paths.ts";

export interface SendOptions {
  /** Where the words came from, for the journal. */
  source?: string;
  expectsReply?: boolean;
  /** The kind of dialog on the screen. */
  dialog?: string;
  /** A dialog that opens (or, with null, closes) with this event. */
  open?: { id: string; asks?: string[] } | null;
  /** Something runs on that may never end: a reminder follows, though the end was reported. */
  isRunningOn?: boolean;
  /** The message whose words the body has, and what is said where a turn before has reported them. */
  message?: { id: string; ifTold: string };
  /** Why there is nothing to report. */
  nothingNew?: string;
  /** Why another wake reports it, in every mode. */
  quiet?: string;
  /** What makes it this one and no other, where the event does not say it. */
  identity?: string;
  /** What the turn has cost, in dollars. */
  cost?: number;
  /** What the conversation has cost in all. */
  total?: number;
  /** The limit of the account that has stopped the turn. */
  limit?: { kind: string; resets_at?: string };
  /** Called before a new wake is queued: what its answer needs must be there first. */
  beforeQueue?: (wakeId: string) => void;
  /** For a caller that may send it again: the same id is the same wake. */
  wakeId?: string;
}

export type Sent =
  | { kind: "queued"; wake_id: string }
  /** Sent before; this is a reminder. */
  | { kind: "reminded"; wake_id: string }
  | { kind: "suppressed" };

export async function sendWake(
  context: HookContext,
  given: WakeDraft,
  options: SendOptions = {},
): Promise<Sent> {
  const wakeId = options.wakeId ?? newWakeId(context.now.getTime());
  const draft = hasQueue(context.paths, context.session) ? await withQueue(context, given) : given;
  await prepareText(context, draft);
  const earlier = mayRemind(context, draft) ? await loadSentBefore() : undefined;
  const replyWait = options.expectsReply ? await load("reply_wait") : undefined;
  let verdict: Judgement = { kind: "send" };
  let queued: QueuedWake | undefined;
  let prompted: { prompted_by?: string } = {};
  const decideAndQueue = (before: SessionMemory) => {
    verdict = judgeFor(context, draft, before, options, earlier);
    const quiet = isQuiet(verdict, context);
    if (!quiet) {
      const isNew = verdict.kind === "send";
      prompted = promptedBy(before, context.event.promptId);
      const body = bodyOf(draft, context.event.promptId, before, options);
      const known = { ...draft, body, details: { ...draft.details, ...prompted } };
      const sent = earlier?.reminderOf(known, verdict, context) ?? known;
      if (isNew) noteBeforeQueue(options, wakeId);
      // The hook waits only for a new wake.
      queued = queuedWake(context, wakeId, sent, isNew ? replyWait : undefined);
      enqueue(context.paths, queued);
    }
    const memory = afterwards(before, context, draft, quiet ? undefined : wakeId, options);
    return { memory, value: verdict };
  };
  let isKnown = false;
  try {
    isKnown = changeMemory(context.paths, context.session, decideAndQueue).kind === "done";
  } catch {
    verdict = { kind: "send" }; // the memory cannot be used at all
  }
  // The memory is locked for too long or unusable: better send twice than not at all.
  if (!isKnown) {
    noteBeforeQueue(options, wakeId);
    queued = queuedWake(context, wakeId, draft, replyWait);
    enqueue(context.paths, queued);
  }

  const about = {
    session: context.session,
    agent_id: context.agent.agent_id,
    trigger: draft.trigger,
    event: context.event.name,
  };
  const turn = context.event.promptId === "" ? {} : { prompt_id: context.event.promptId };
  if (isQuiet(verdict, context)) {
    const { reason, of } = verdict;
    await note(context.paths, {
      kind: "suppressed",
      ...about,
      ...turn,
      reason,
      ...(of === undefined ? {} : { of }),
      // No wake reports the end of this turn: `report` and limits count it by this record.
      ...(reason === options.quiet ? { status: "step", ...costOf(options) } : {}),
    });
    return { kind: "suppressed" };
  }
  const { question_id, kind: failure } = draft.details ?? {};
  const record = queuedRecord(queued!, {
    event: about.event,
    ...turn,
    ...(question_id === undefined ? {} : { question_id }),
    ...(failure === undefined ? {} : { failure }),
    ...prompted,
    ...(options.source === undefined ? {} : { source: options.source }),
    ...costOf(options),
    ...(options.total === undefined ? {} : { total_usd: options.total }),
    ...(options.limit === undefined ? {} : { limit: options.limit }),
    ...(draft.before === undefined ? {} : { begins: draft.body }),
    // A companion runs for hours: its age says nothing.
    ...(options.source === "mod" ? {} : { duration_ms: Math.round(performance.now()) }),
  });
  await note(context.paths, record);
  await start(context, wakeId, replyWait);
  return { kind: verdict.kind === "send" ? "queued" : "reminded", wake_id: wakeId };
}

function costOf({ cost }: SendOptions): { cost_usd?: number } {
  return cost === undefined ? {} : { cost_usd: cost };
}

/** The wakes of the queue itself have it already. */
async function withQueue(context: HookContext, draft: WakeDraft): Promise<WakeDraft> {
  if (draft.details?.queue !== undefined) return draft;
  try {
    const { queueWords } = await load("queue_turns");
    const words = queueWords(context);
    if (words === undefined) return draft;
    const details = { ...draft.details, queue: words.state };
    return { ...draft, details, actions: [...draft.actions, ...words.actions] };
  } catch {
    return draft;
  }
}

/** A wake that cannot be guarded is still sent, without what may not be shown so. */
async function prepareText(context: HookContext, draft: WakeDraft): Promise<void> {
  try {
    await prepareForeign(foreignIn(context, draft));
    const isLong = mayBeCut(draft, context.settings.max_content_chars);
    // A reminder names a wake. A cut makes new beginnings of lines, and may have to name a path.
    if (isLong || mayRemind(context, draft)) await loadGuards();
  } catch {
    // A file of the rules is missing or broken, as in the middle of an update.
  }
}

/** The wake may be a reminder of an earlier one. */
function mayRemind({ settings }: HookContext, { trigger }: WakeDraft): boolean {
  return settings.dedup_mode === "lightweight" || trigger === "idle_prompt";
}

type SentBefore = LaterFiles["sent_before"];

/** Without it a wake is sent again as it is. */
async function loadSentBefore(): Promise<SentBefore | undefined> {
  try {
    return await load("sent_before");
  } catch {
    return undefined; // missing or broken, as in the middle of an update
  }
}

/** The foreign text of the message; the ids among the details are ours. */
function foreignIn({ session, agent }: HookContext, draft: WakeDraft): Foreign {
  const { question_id: _, ...details } = draft.details ?? {};
  const names = [session, agent.agent_id].filter((name) => !isPlain(name));
  return {
    texts: [draft.body, draft.before?.text, draft.after?.text],
    fields: [...Object.values(details), ...names],
  };
}

/** If it cannot be noted, the answer does not go through the hook; the wake is still sent. */
function noteBeforeQueue({ beforeQueue }: SendOptions, wakeId: string): void {
  try {
    beforeQueue?.(wakeId);
  } catch {
    // The disk is full or cannot be written to.
  }
}

type Suppressed = Extract<Judgement, { kind: "suppress" }>;

function isQuiet(verdict: Judgement, context: HookContext): verdict is Suppressed {
  if (verdict.kind !== "suppress") return false;
  return verdict.of === undefined || context.settings.dedup_mode === "skip";
}

function judgeFor(
  context: HookContext,
  draft: WakeDraft,
  memory: SessionMemory,
  options: SendOptions,
  earlier: SentBefore | undefined,
): Judgement {
  const { dialog } = options;
  if (eventOwner(memory, context.event) === "guest") {
    const reason = "it comes from a claude -p beside the session's own Claude Code";
    return { kind: "suppress", reason };
  }
  if (options.quiet !== undefined) return { kind: "suppress", reason: options.quiet };
  if (context.settings.dedup_mode === "off") return { kind: "send" };
  if (options.nothingNew) return { kind: "suppress", reason: options.nothingNew };
  const verdict = judge(
    {
      event: context.event.name,
      ...(dialog === undefined ? {} : { dialog }),
      trigger: draft.trigger,
      promptId: context.event.promptId,
      identity: identityIn(context, draft, options),
      now: context.now.getTime(),
    },
    memory,
    (wakeId) => isDelivered(context.paths, { agent_id: context.agent.agent_id, wake_id: wakeId }),
    (id) => isAnswerable(context, id),
  );
  const isNew = verdict.kind === "send" && draft.trigger === "idle_prompt";
  return (isNew ? earlier?.sentByJournal(context) : undefined) ?? verdict;
}

/** A question is answered on the screen, too; a permission by its id while its file is there. */
function isAnswerable({ paths, session }: HookContext, id: string): boolean {
  return id.startsWith("q-") || isThere(`${pendingDir(paths, session)}/${safeName(id)}.json`);
}

/** Two requests for the same thing are two: a hook waits beside each. */
function identityIn(
  { event }: HookContext,
  draft: WakeDraft,
  { open, identity }: SendOptions,
): Identity {
  if (identity !== undefined) return { key: `${draft.trigger}|${identity}`, weak: false };
  const isRequest = event.name === "PermissionRequest";
  return identityOf(event, isRequest ? `${open?.id}\n${draft.body}` : draft.body);
}

/** Leaves out words of an earlier turn: the id of their message shows it. */
function bodyOf(
  { body }: WakeDraft,
  promptId: string,
  { said }: SessionMemory,
  { message }: SendOptions,
): string {
  const isTold = message !== undefined &&
    said.some((wake) => wake.message === message.id && wake.prompt_id !== promptId);
  return isTold ? message.ifTold : body;
}

function queuedWake(
  { agent, session, now, paths, event, settings }: HookContext,
  wakeId: string,
  draft: WakeDraft,
  replyWait: ReplyWait | undefined,
): QueuedWake {
  const isAwaited = replyWait !== undefined && holds(replyWait, paths, wakeId);
  const waitS = isAwaited ? settings.bidirectional_timeout_s : 0;
  const isWhole = settings.dedup_mode === "off" || draft.section === "NO CHANGE";
  const promptId = isWhole ? "" : event.promptId;
  const making = { wakeId, now, promptId, waitS };
  return newWake(paths, receiverOf(agent), session, draft, making);
}

/** A hook whose lock cannot be made does not wait for a reply; its wake is sent. */
function holds({ holdReplyWait }: ReplyWait, paths: Paths, wakeId: string): boolean {
  try {
    holdReplyWait(paths, wakeId);
    return true;
  } catch {
    return false;
  }
}

function afterwards(
  before: SessionMemory,
  context: HookContext,
  draft: WakeDraft,
  wakeId: string | undefined,
  options: SendOptions,
): SessionMemory {
  const { event, now } = context;
  const { open } = options;
  const updated = withEvent(before, context);
  const closed = open === null ? withoutDialog(updated, event, now.getTime()) : updated;
  if (wakeId === undefined) return closed;
  const subagent = textOf(event.fields, "agent_id");
  const asked = {
    prompt_id: event.promptId,
    claude_session_id: event.sessionId,
    ...(subagent === "" ? {} : { subagent }),
  };
  const memory = open ? withDialog(closed, { ...open, wake_id: wakeId, ...asked }) : closed;
  const said = {
    identity: identityIn(context, draft, options).key,
    wake_id: wakeId,
    trigger: draft.trigger,
    prompt_id: event.promptId,
    at: now.getTime(),
    ...(options.isRunningOn ? { running: true } : {}),
    ...(options.message === undefined ? {} : { message: options.message.id }),
  };
  return { ...memory, ...remember(memory, said) };
}

type ReplyWait = LaterFiles["reply_wait"];

async function start(
  context: HookContext,
  wakeId: string,
  replyWait: ReplyWait | undefined,
): Promise<void> {
  try {
    await context.startDeliverer(replyWait === undefined ? "after the hook" : "now");
  } catch (error) {
    // The wake is safe in the outbox; the next event or the timer delivers it.
    const { paths, session, agent } = context;
    const reason = `Cannot start the deliverer: ${messageOf(error)}`;
    await note(paths, { kind: "problem", session, agent_id: agent.agent_id, reason });
    replyWait?.endReplyWait(paths, wakeId);
  }
}
