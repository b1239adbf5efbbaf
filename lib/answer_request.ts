/** The hook beside a dialog: it wakes the agent, waits for its answer and replies to Claude Code. */

import { fileOf, type GivenDecision, listPending, openPending, type Pending } from "./answers.ts";
import { waitForAnswer, type WaitWorld } from "./answer_wait.ts";
import { atKeyboard, untilDecided } from "./at_keyboard.ts";
import { claimAsking, readQuestions } from "./questions.ts";
import { closePending } from "./close_pending.ts";
import { decisionReply, kindOfTool } from "./decision_reply.ts";
import { textOf } from "./events.ts";
import { loadGuards } from "./fence.ts";
import { isThere, writeAtomic } from "./files.ts";
import type { HookContext } from "./hook_context.ts";
import { record } from "./journal.ts";
import { readJournal } from "./journal_read.ts";
import { isObject, messageOf } from "./json.ts";
import { randomLetters } from "./new_wake.ts";
import { isDelivered } from "./outbox.ts";
import { type Dialog, readScreen } from "./pane.ts";
import { answersBy } from "./question_answers.ts";
import { digestOf, newId, newSecret, withSecret } from "./request_ids.ts";
import { describeRequest, type RequestText } from "./request_text.ts";
import { sendWake } from "./sending.ts";
import { answer, type AnswerFacts } from "./records.ts";
import { readMemory, rememberSession } from "./session_memory.ts";
import { isAbout } from "./shown.ts";
import { openOf, questionWake } from "./tell_question.ts";
import { pause } from "./time.ts";
import { lookAtPane } from "./tmux.ts";
import { actions, type WakeDraft } from "./wake.ts";

/** The reply for Claude Code; none when the human has answered, or no answer came. */
export async function answerRequest(context: HookContext): Promise<string | undefined> {
  const { event, paths, session } = context;
  await loadGuards(); // it shows and keeps what is asked, and has the time
  const pending = await openRequest(context);
  if (pending === undefined) return;
  const { kind } = pending;
  // A question of an earlier turn that is still open was left with Escape.
  if (kind === "question") {
    closePending(paths, session, { kind, but: pending, claude: event.sessionId });
  }
  return await waitBeside(context, pending, { sleep: pause, whenTerminated: onTermination });
}

/** Waits for the answer to what is open, and makes the reply of it. */
export async function waitBeside(
  context: HookContext,
  pending: Pending,
  { whenTerminated, ...world }: Pick<WaitWorld, "sleep" | "isOver"> & {
    whenTerminated?(note: () => void): void;
  },
): Promise<string | undefined> {
  const { event, paths, session, agent, pane } = context;
  const { id, kind, tool } = pending;
  const base = {
    session,
    agent_id: agent.agent_id,
    wake_id: pending.wake_id,
    event: event.name,
    question_id: id,
    tool,
  };
  const noted = (more: Partial<AnswerFacts>) => {
    const { asked_at } = pending;
    record(paths, answer({ what: kind, ...base, asked_at, now: new Date(), ...more }));
  };
  // Claude Code ends this hook when Esc closes the dialog, and says so in no other way.
  const closeUnanswered = () => closePending(paths, session, { id })[0]?.by === "human";
  let isUnnoted = false;
  whenTerminated?.(() => {
    if (closeUnanswered() || isUnnoted) noted(atKeyboard(context, pending));
  });
  const waited = await waitForAnswer(paths, pending, {
    ...world,
    now: Date.now,
    parent: () => Deno.ppid,
    look: async () => {
      const look = await lookAtPane(context.env, pane);
      return readScreen(look.kind === "seen" ? look.screen : "");
    },
    isOurs: (dialog) => isAbout(pending, dialog) || fitsNoOther(context, pending, dialog),
    refused: ({ by }) => {
      const reason = "refused answer: wrong or missing secret";
      record(paths, { kind: "problem", ...base, by: String(by).slice(0, 100), reason });
    },
  });
  // After a time-out the question is still on the screen, and keys can still answer it.
  // The answer of a person to a question is still to be reported.
  const isReported = waited.kind === "too late" && kind === "question";
  const isOver = ["dialog gone", "claude gone", "too late"].includes(waited.kind);
  if (!isReported && isOver && closeUnanswered()) {
    const isGone = waited.kind === "claude gone";
    isUnnoted = true;
    if (!isGone) await untilDecided(context, pending, world.sleep);
    isUnnoted = false;
    noted(isGone ? { outcome: "claude gone" } : atKeyboard(context, pending));
  }
  if (waited.kind === "timeout") {
    noted({ outcome: "timeout" });
    if (kind === "form") closePending(paths, session, { id }); // a person fills it in now
  }
  // Another process has settled it, and has written the record.
  if (waited.kind !== "answered") return;
  const { by, by_kind, caller, via, decision } = waited.given;
  const isLeft = decision.kind === "leave";
  noted({ by, by_kind, caller, via, ...(isLeft ? { outcome: "left" } : { decision }) });
  // No event reports the end of a permission's dialog, nor of a question that was refused.
  if (kind !== "question" || decision.kind === "deny") {
    closePending(paths, session, { id });
    rememberSession(context, { closeDialog: true });
  }
  return decisionReply(kind, pending.tool_input, inOurWords(pending, decision));
}

/** What was chosen of the masked question on disk, in the words that Claude has asked with. */
function inOurWords({ tool_input }: Pending, decision: GivenDecision): GivenDecision {
  if (decision.kind !== "answers" || decision.choices === undefined) return decision;
  return { ...decision, ...answersBy(readQuestions(tool_input), decision.choices) };
}

/** The dialog has other words than the request, but fits no other open request. */
function fitsNoOther({ paths, session }: HookContext, pending: Pending, dialog: Dialog): boolean {
  if (dialog.kind !== pending.kind || pending.subagent !== undefined) return false;
  return !listPending(paths, session).some((one) => one.id !== pending.id && isAbout(one, dialog));
}

function onTermination(note: () => void): void {
  Deno.addSignalListener("SIGTERM", () => {
    try {
      note();
    } finally {
      Deno.exit(0);
    }
  });
}

/** Opens what is asked, and notifies the agent unless PreToolUse has done so. */
async function openRequest(context: HookContext): Promise<Pending | undefined> {
  const { event, session, settings, agent } = context;
  const tool = textOf(event.fields, "tool_name");
  const input = event.fields.tool_input;
  if (!isObject(input)) return undefined;
  const asked = Date.now();
  const subagent = textOf(event.fields, "agent_id");
  const base = {
    kind: kindOfTool(tool),
    session,
    pane: context.pane,
    claude_session_id: event.sessionId,
    prompt_id: event.promptId,
    ...(subagent === "" ? {} : { subagent }),
    agent_id: agent.agent_id,
    tool,
    tool_input: input,
    asked_at: new Date(asked).toISOString(),
    until: new Date(asked + settings.answer_timeout_s * 1000).toISOString(),
    pid: Deno.pid,
  };
  return base.kind === "question" ? await openAsked(context, base) : await tell(context, base);
}

type Unnamed = Omit<Pending, "id" | "secret_sha256">;

/** A question has its id from PreToolUse. If that was killed before its wake, this hook reports it. */
async function openAsked(context: HookContext, base: Unnamed): Promise<Pending> {
  const { event, paths, session } = context;
  const asking = claimAsking(paths, session, event);
  if (asking === undefined) return await tell(context, base);
  const { id, secret_sha256, wake_id, tool_use_id } = asking;
  const pending = { ...base, id, secret_sha256, wake_id, tool_use_id };
  if (!isSent(context, wake_id)) return await tell(context, { ...base, tool_use_id }, id);
  return openPending(paths, pending) ? pending : await tell(context, base);
}

/** Is it queued or delivered? The memory may have missed it, if the hook was killed after that. */
function isSent({ paths, session, agent }: HookContext, wakeId: string): boolean {
  return readMemory(paths, session).said.some(({ wake_id }) => wake_id === wakeId) ||
    !isDelivered(paths, { agent_id: agent.agent_id, wake_id: wakeId }) ||
    readJournal(paths, session).some(({ wake_id }) => wake_id === wakeId);
}

/** The request is open before its wake is queued, so an answer finds it. */
async function tell(context: HookContext, base: Unnamed, wanted?: string): Promise<Pending> {
  const { paths } = context;
  const isQuestion = base.kind === "question";
  const id = freeId(context, wanted ?? newId(isQuestion ? "q" : "p"));
  const secret = newSecret();
  const named = { ...base, id, secret_sha256: await digestOf(secret) };
  const name = withSecret(id, secret);
  const questions = readQuestions(base.tool_input);
  const { draft, cut } = isQuestion
    ? { draft: questionWake(context, { id, name, questions, said: "" }), cut: undefined }
    : await requestWake(context, named, name);
  let pending: Pending = { ...named, ...(cut === undefined ? {} : { cut }) };
  let isOpened = false;
  await sendWake(context, draft, {
    source: "event",
    open: isQuestion ? openOf(id, questions) : { id },
    beforeQueue: (wake_id) => {
      pending = { ...pending, wake_id };
      isOpened = openPending(paths, pending);
    },
  });
  // Not by a look for its file: a person may have answered, and that has closed it.
  if (!isOpened) openPending(paths, pending);
  return pending;
}

/** This id, or another one where it is open already. */
function freeId({ paths, session }: HookContext, wanted: string): string {
  let id = wanted;
  while (isThere(fileOf(paths, session, id, ""))) id = newId(wanted.startsWith("q-") ? "q" : "p");
  return id;
}

async function requestWake(
  context: HookContext,
  { id, tool, tool_input }: Pick<Pending, "id" | "tool" | "tool_input">,
  name: string,
): Promise<{ draft: WakeDraft; cut: Pending["cut"] }> {
  const text = describeRequest(tool, tool_input, context.settings.max_content_chars);
  const kept = text.cut === undefined ? undefined : await keepWhole(context, id, text.cut);
  const details: Record<string, string> = { question_id: id };
  if (kept !== undefined) details.cut = kept.detail;
  if (text.masked !== "") details.masked = text.masked;
  const draft: WakeDraft = {
    trigger: "permission_prompt",
    section: "CONTENT",
    body: text.text,
    isReady: true,
    state: "permission_prompt",
    details,
    actions: actions(context, {
      kind: "permission",
      mayDecide: true,
      id: name,
      isCut: kept !== undefined,
    }),
  };
  return { draft, cut: kept?.cut };
}

/** The code at the end of the file is what `allow` asks for: it proves that the file was read. */
async function keepWhole(
  { paths }: HookContext,
  id: string,
  { what, whole }: NonNullable<RequestText["cut"]>,
): Promise<{ detail: string; cut: NonNullable<Pending["cut"]> }> {
  const file = `${paths.state}/content/${id}.txt`;
  const code = randomLetters(8);
  const cut = { file, code_sha256: await digestOf(code) };
  try {
    const end = `This is the end of the request. To allow it, add: --seen ${code}`;
    writeAtomic(file, `${whole}\n\n${end}\n`, { durable: true });
    return { detail: `${what}; whole text: ${file}`, cut };
  } catch (error) {
    return { detail: `${what}; the whole text could not be kept (${messageOf(error)})`, cut };
  }
}
