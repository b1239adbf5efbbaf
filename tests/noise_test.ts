import { assertEquals } from "@std/assert";
import { readEvent } from "../lib/events.ts";
import { identityOf, judge, type Memory, remember } from "../lib/noise.ts";
import { fixtureEvent } from "./support/fixtures.ts";

interface Step {
  event: string;
  trigger: string;
  change?: Record<string, unknown>;
  /** The assembled words; without it those of the event. */
  body?: string;
  afterMs?: number;
  opens?: boolean;
  dialog?: string;
  closes?: boolean;
  /** The lines of the earlier wake would be refused. */
  isUnanswerable?: boolean;
}

/** Plays events as the hooks would and returns which of them woke the agent. */
function play(steps: Step[], delivered: (trigger: string) => boolean = () => true): string[] {
  let memory: Memory = { said: [] };
  let now = 0;
  const told: string[] = [];
  for (const { event: name, trigger, change, body, afterMs = 100, ...step } of steps) {
    const { opens, closes, dialog, isUnanswerable = false } = step;
    now += afterMs;
    const reading = readEvent(JSON.stringify({ ...fixtureEvent(name), ...change }));
    if (reading.kind !== "event") throw new Error(name);
    const { event } = reading;
    const identity = identityOf(event, body ?? String(event.fields.last_assistant_message));
    const incoming = {
      event: event.name,
      dialog,
      trigger,
      promptId: event.promptId,
      identity,
      now,
    };
    const isDelivered = (id: string) => delivered(id.split("#")[0]!);
    const verdict = judge(incoming, memory, isDelivered, () => !isUnanswerable);
    if (closes && memory.open) {
      const { open, ...rest } = memory;
      memory = { ...rest, closed: { ...open, at: now } };
    }
    if (verdict.kind === "suppress") continue;
    const wake_id = `${trigger}#${now}`;
    told.push(trigger);
    const said = { identity: identity.key, wake_id, trigger, prompt_id: event.promptId, at: now };
    memory = remember(memory, said);
    if (opens) memory.open = { id: "q-1", wake_id, prompt_id: event.promptId };
  }
  return told;
}

const stop = { event: "stop-plain", trigger: "response_complete", closes: true };
const idle = { event: "notification-idle_prompt", trigger: "idle_prompt", afterMs: 60_000 };
const question = { event: "pre_tool_use-ask-single", trigger: "ask_user_question", opens: true };
const answer = {
  event: "post_tool_use-ask-single",
  trigger: "ask_user_question_answered",
  closes: true,
};
const permission = {
  event: "notification-permission_prompt",
  trigger: "permission_prompt",
  afterMs: 6000,
};
const wordless = { change: { last_assistant_message: undefined } };
const nameless = { prompt_id: "", last_assistant_message: undefined };
const other = { prompt_id: "another-prompt" };

// deno-fmt-ignore
const SEQUENCES: Record<string, { steps: Step[]; told: string[]; undelivered?: boolean }> = {
  "an idle reminder says nothing that the turn's end has said":
    { steps: [stop, idle], told: ["response_complete"] },
  "an idle reminder is sent when the turn's end did not arrive":
    { steps: [stop, idle], told: ["response_complete", "idle_prompt"], undelivered: true },
  "an idle reminder of another turn is sent":
    { steps: [stop, { ...idle, change: other }], told: ["response_complete", "idle_prompt"] },
  "a failed turn needs no idle reminder either":
    { steps: [{ event: "stop_failure-rate_limit", trigger: "response_failed" },
      { ...idle, change: { prompt_id: "1e59cbca-f157-4d39-b0be-bd2eb827dd3d" } }], told: ["response_failed"] },
  "a turn that a person has stopped needs no idle reminder either":
    { steps: [{ ...stop, trigger: "interrupted" }, idle], told: ["interrupted"] },
  "an end needs no wake when the loss of the session was just reported":
    { steps: [{ event: "session_end-other", trigger: "session_lost", change: { hook_event_name: "lost" } },
      { event: "session_end-other", trigger: "session_end" }], told: ["session_lost"] },
  "a later end is reported, though the session was lost before":
    { steps: [{ event: "session_end-other", trigger: "session_lost", change: { hook_event_name: "lost" } },
      { event: "session_end-other", trigger: "session_end", afterMs: 20_000 }], told: ["session_lost", "session_end"] },
  "the dialog of an open question is that question":
    { steps: [question, permission, answer], told: ["ask_user_question", "ask_user_question_answered"] },
  "a permission after the question was answered is reported":
    { steps: [question, answer, permission], told: ["ask_user_question", "ask_user_question_answered", "permission_prompt"] },
  "a permission dialog is no question, though one is thought to be open":
    { steps: [question, { ...permission, dialog: "permission" }], told: ["ask_user_question", "permission_prompt"] },
  "the reminder of a question that stands on the screen is that question":
    { steps: [question, { ...permission, dialog: "question" }], told: ["ask_user_question"] },
  "the reminder of one that can no longer be answered by its wake is reported":
    { steps: [question, { ...permission, isUnanswerable: true }], told: ["ask_user_question", "permission_prompt"] },
  "the reminder of a question whose answer came at the same time is that question":
    { steps: [question, answer, { ...permission, dialog: "question", afterMs: 600 }],
      told: ["ask_user_question", "ask_user_question_answered"] },
  "another kind of dialog is reported, though a question was just answered":
    { steps: [question, answer, { ...permission, dialog: "permission", afterMs: 600 }],
      told: ["ask_user_question", "ask_user_question_answered", "permission_prompt"] },
  "two permissions of one turn are two":
    { steps: [permission, permission], told: ["permission_prompt", "permission_prompt"] },
  "one permission reported by two hooks at once is one":
    { steps: [permission, { ...permission, afterMs: 20 }], told: ["permission_prompt"] },
  "a turn's end reported twice is one":
    { steps: [stop, { ...stop, afterMs: 5 }], told: ["response_complete"] },
  "two turns with the same last words are two":
    { steps: [stop, { ...stop, change: other }], told: ["response_complete", "response_complete"] },
  "the same words after the agent had prolonged the turn are reported":
    { steps: [stop, { ...stop, change: { stop_hook_active: true } }], told: ["response_complete", "response_complete"] },
  "an end beside a background task and the end after it are two":
    { steps: [{ event: "stop-background-shell", trigger: "response_complete" },
      { event: "stop-woken-by-background", trigger: "response_complete" }], told: ["response_complete", "response_complete"] },
  "two ends without a prompt id are two, unless they come together":
    { steps: [{ ...stop, change: { prompt_id: "" } }, { ...stop, change: { prompt_id: "" }, afterMs: 50 },
      { ...stop, change: { prompt_id: "" }, afterMs: 9000 }], told: ["response_complete", "response_complete"] },
  "a double is measured from the last time it was reported":
    { steps: [{ ...stop, change: { prompt_id: "" } }, { ...stop, change: { prompt_id: "" }, afterMs: 10_000 },
      { ...stop, change: { prompt_id: "" }, afterMs: 100 }], told: ["response_complete", "response_complete"] },
  "a turn's end reported twice is one, though an earlier block was written in between":
    { steps: [{ ...stop, body: "B" }, { ...stop, body: "A\n\nB", afterMs: 5 }], told: ["response_complete"] },
  "a turn's end without a word reported twice is one, though the pane has moved":
    { steps: [{ ...stop, ...wordless, body: "lines" }, { ...stop, ...wordless, body: "other lines", afterMs: 5 }], told: ["response_complete"] },
  "two ends of one prompt without a word are two, unless they come together":
    { steps: [{ ...stop, ...wordless, body: "lines" }, { ...stop, ...wordless, body: "lines", afterMs: 9000 }], told: ["response_complete", "response_complete"] },
  "two ends that come together are two, though neither names its prompt nor has a word":
    { steps: [{ ...stop, change: nameless, body: "lines" }, { ...stop, change: nameless, body: "other lines", afterMs: 3000 }], told: ["response_complete", "response_complete"] },
  "two failures of one prompt with different details are two":
    { steps: [{ event: "stop_failure-rate_limit", trigger: "response_failed", body: "one" },
      { event: "stop_failure-rate_limit", trigger: "response_failed", body: "two" }], told: ["response_failed", "response_failed"] },
  "two compactions of one turn are two":
    { steps: [{ event: "pre_compact-auto", trigger: "pre_compact" }, { event: "pre_compact-auto", trigger: "pre_compact", afterMs: 60_000 }],
      told: ["pre_compact", "pre_compact"] },
};

for (const [title, { steps, told, undelivered }] of Object.entries(SEQUENCES)) {
  Deno.test(`judge(): ${title}`, () => {
    assertEquals(play(steps, () => !undelivered), told);
  });
}

Deno.test("remember() does not grow without end", () => {
  let memory: Memory = { said: [] };
  for (let at = 0; at < 200; at++) {
    memory = remember(memory, { identity: `${at}`, wake_id: "", trigger: "", prompt_id: "", at });
  }
  assertEquals([memory.said.length, memory.said.at(-1)?.at], [50, 199]);
});

Deno.test("judge() takes no dialog that is still open for one that was just answered", () => {
  const reading = readEvent(JSON.stringify(fixtureEvent("notification-permission_prompt")));
  if (reading.kind !== "event") throw new Error("no event");
  const { event } = reading;
  const incoming = {
    ...{ event: event.name, trigger: "permission_prompt", promptId: event.promptId, now: 1000 },
    identity: identityOf(event, ""),
  };
  const closed = { id: "p-2", wake_id: "w-2", prompt_id: event.promptId, at: 900 };
  const verdict = (isOpen: boolean) =>
    judge(incoming, { said: [], closed }, () => true, () => isOpen).kind;
  assertEquals([verdict(false), verdict(true)], ["suppress", "send"]);
});
