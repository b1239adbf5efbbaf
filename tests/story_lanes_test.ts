import { assertEquals } from "@std/assert";
import type { StoryLine } from "../lib/story/story_line.ts";
import { lanesOf } from "../lib/story/lanes.ts";

const START = Date.parse("2026-11-16T22:00:00Z");
const SINCE = START;
const UNTIL = START + 60 * 60_000;

type Step = [minute: number, record: StoryLine];

/** `working 0-5, agent 5-9`, in minutes. */
function lanes(steps: Step[], since = SINCE): string {
  const records = steps.map(([minute, record]) => ({
    at: new Date(START + minute * 60_000).toISOString(),
    session: "s",
    ...record,
  }));
  const minutes = (at: number) => (at - START) / 60_000;
  return lanesOf(records, since, UNTIL).lanes
    .map(({ state, from, to }) => `${state} ${minutes(from)}-${minutes(to)}`).join(", ");
}

const prompt = (by_kind: string): StoryLine => ({ kind: "prompt", by_kind, prompt_id: "t" });
const wake = (trigger: string, more: StoryLine = {}): StoryLine => ({
  kind: "queued",
  trigger,
  ...more,
});
const asks = wake("ask_user_question", { question_id: "q-1" });
const answered = (by_kind: string, more: StoryLine = {}): StoryLine => ({
  kind: "answered",
  question_id: "q-1",
  by_kind,
  outcome: "given",
  ...more,
});
const done = wake("response_complete");
const limit = (until?: number): StoryLine => {
  const resets_at = until === undefined
    ? undefined
    : new Date(START + until * 60_000).toISOString();
  return wake("response_failed", { failure: "rate limit", limit: { kind: "limit", resets_at } });
};
const started = { kind: "session", event: "SessionStart", source: "startup" };

const stepDone = { kind: "step", status: "done" };
/** A step of that many minutes. */
const step = (status: string, minutes: number) => ({
  ...{ kind: "step", status, after_ms: minutes * 60_000 },
});
const stepEnd = { kind: "suppressed", trigger: "response_complete", status: "step" };

const CASES: [what: string, steps: Step[], lanes: string][] = [
  ["a turn", [[0, prompt("agent")], [5, done]], "working 0-5, idle 5-60"],
  [
    "the agent gives the next instruction",
    [[0, prompt("agent")], [5, done], [9, prompt("agent")], [60, done]],
    "working 0-5, agent 5-9, working 9-60",
  ],
  [
    "a person gives it at the keyboard, another by a command",
    [[0, prompt("agent")], [5, done], [9, prompt("keyboard")], [10, done], [20, prompt("person")]],
    "working 0-5, human 5-9, working 9-10, human 10-20, working 20-60",
  ],
  [
    "Claude goes on by itself after work in the background",
    [[0, prompt("agent")], [5, done], [9, prompt("claude")], [10, done]],
    "working 0-10, idle 10-60",
  ],
  [
    "it is not known who went on",
    [[0, prompt("agent")], [5, done], [9, prompt("unknown")], [10, done]],
    "working 0-5, idle 5-9, working 9-10, idle 10-60",
  ],
  [
    "a question that the agent answers",
    [[0, prompt("agent")], [2, asks], [3, answered("agent")], [6, done]],
    "working 0-2, agent 2-3, working 3-6, idle 6-60",
  ],
  [
    "a question that a person answers",
    [[0, prompt("agent")], [2, asks], [3, answered("keyboard")], [6, done]],
    "working 0-2, human 2-3, working 3-6, idle 6-60",
  ],
  [
    "a question that is left with Esc",
    [[0, prompt("agent")], [2, asks], [3, answered("keyboard", { outcome: "left" })]],
    "working 0-2, human 2-3, idle 3-60",
  ],
  [
    "a question for which the hook no longer waits",
    [[0, prompt("agent")], [2, asks], [3, answered("", { outcome: "timeout" })]],
    "working 0-2, agent 2-60",
  ],
  [
    "the answer of another question changes nothing",
    [[0, prompt("agent")], [2, asks], [3, answered("agent", { question_id: "q-0" })]],
    "working 0-2, agent 2-60",
  ],
  [
    "a permission that only a person may decide",
    [[0, prompt("agent")], [2, wake("permission_prompt")], [8, done]],
    "working 0-2, human 2-8, idle 8-60",
  ],
  [
    "the API is tried again",
    [[0, prompt("agent")], [1, wake("retrying")], [4, done]],
    "working 0-1, api 1-4, idle 4-60",
  ],
  [
    "a limit until its end, and who goes on then",
    [[0, prompt("agent")], [5, limit(20)], [22, wake("limited")], [30, prompt("agent")]],
    "working 0-5, limited 5-20, agent 20-30, working 30-60",
  ],
  [
    "a limit that goes on, and one whose end is not known",
    [[0, prompt("agent")], [5, limit(90)], [50, prompt("keyboard")], [55, limit()]],
    "working 0-5, limited 5-50, working 50-55, limited 55-60",
  ],
  [
    "a limit that ends unseen",
    [[0, prompt("agent")], [5, limit(20)]],
    "working 0-5, limited 5-20, idle 20-60",
  ],
  [
    "a program that goes on: no wait",
    [[0, prompt("agent")], [5, done], [8, prompt("program")]],
    "working 0-5, idle 5-8, working 8-60",
  ],
  [
    "a turn that fails because of the API, and one that fails otherwise",
    [
      [0, prompt("agent")],
      [1, wake("response_failed", { failure: "rate limit (rate_limit)" })],
      [6, prompt("agent")],
      [7, wake("response_failed", { failure: "login (authentication_failed)" })],
    ],
    "working 0-1, api 1-6, working 6-7, failed 7-60",
  ],
  [
    "Esc by the driver, while it works and at rest",
    [
      [0, prompt("agent")],
      [2, { kind: "instruction", action: "esc", outcome: "done" }],
      [3, { kind: "instruction", action: "esc", outcome: "done" }],
    ],
    "working 0-2, idle 2-60",
  ],
  [
    "lost and back",
    [[0, prompt("agent")], [4, wake("session_lost")], [5, started], [6, prompt("agent")]],
    "working 0-4, lost 4-5, agent 5-6, working 6-60",
  ],
  [
    "lost, and started again by the watch: it is back when it can be spoken to",
    [
      [0, prompt("agent")],
      [4, wake("session_lost")],
      [5, { kind: "session", source: "watch", reason: "it was lost and is started again" }],
      [8, { kind: "session", reason: "recovered: its tmux session held only a shell" }],
      [9, prompt("agent")],
    ],
    "working 0-4, lost 4-8, agent 8-9, working 9-60",
  ],
  [
    "stopped, taken, removed: it has ended",
    [
      ...[[0, prompt("agent")], [5, done], [9, wake("session_end")]] as Step[],
      ...["stopped", "taken", "given back", "renamed from a", "limit raised: by $1", "removed"]
        .map((reason): Step => [10, { kind: "session", reason }]),
    ],
    "working 0-5, idle 5-9",
  ],
  [
    "lost, and removed",
    [
      ...[[0, prompt("agent")], [5, wake("session_lost")]] as Step[],
      [9, { kind: "session", reason: "removed" }],
    ],
    "working 0-5, lost 5-9",
  ],
  [
    "adopted while it runs",
    [[5, { kind: "session", reason: "adopted" }], [9, prompt("agent")], [10, done]],
    "agent 5-9, working 9-10, idle 10-60",
  ],
  [
    "ended, and started again later",
    [[0, prompt("agent")], [4, wake("session_end")], [30, started]],
    "working 0-4, idle 30-60",
  ],
  [
    "a /clear and a compaction are no break",
    [
      [0, prompt("agent")],
      [4, { kind: "session", event: "SessionStart", source: "compact" }],
      [5, done],
      [6, { kind: "session", event: "SessionStart", source: "clear" }],
    ],
    "working 0-5, idle 5-60",
  ],
  [
    "a claude -p beside it",
    [[0, prompt("agent")], [3, { ...started, guest: "g" }]],
    "working 0-60",
  ],
  [
    "the end of a queue, and the agent that goes on later",
    [
      ...[[0, prompt("agent")], [5, stepDone], [5, stepEnd], [6, prompt("agent")]] as Step[],
      ...[[9, stepDone], [10, wake("queue_done")], [10, stepEnd]] as Step[],
      [30, prompt("agent")],
    ],
    "working 0-5, idle 5-6, working 6-9, idle 9-10, agent 10-30, working 30-60",
  ],
  [
    "a queue that pauses after a step, and a person who goes on",
    [[0, prompt("agent")], [5, stepDone], [5, wake("queue_paused")], [50, prompt("person")]],
    "working 0-5, human 5-50, working 50-60",
  ],
  [
    "a person who works in a session whose queue pauses for it",
    [[0, prompt("keyboard")], [1, wake("queue_paused")]],
    "working 0-60",
  ],
  [
    "steps that begin without a prompt: Stop hooks gave them, or they are commands",
    [[0, prompt("agent")], [5, stepDone], [5, stepEnd], [20, step("done", 12)], [20, stepEnd]],
    "working 0-5, idle 5-8, working 8-20, idle 20-60",
  ],
  [
    "a step that a Stop hook gave, with a request",
    [
      ...[[0, prompt("agent")], [5, stepDone], [5, { kind: "step", status: "begun" }]] as Step[],
      ...[[9, asks], [12, answered("agent")], [20, step("done", 15)]] as Step[],
    ],
    "working 0-9, agent 9-12, working 12-20, idle 20-60",
  ],
  [
    "a step that a Stop hook gave, which still runs",
    [[0, prompt("agent")], [5, stepDone], [5, { kind: "step", status: "begun" }]],
    "working 0-60",
  ],
  [
    "a step after which nobody knows what became of it",
    [[0, prompt("agent")], [5, step("unsure", 5)], [5, wake("queue_paused")]],
    "working 0-5, idle 5-60",
  ],
  [
    "a step that was perhaps not given, beside a person's turn",
    [[0, prompt("keyboard")], [5, { kind: "step", status: "unsure" }], [9, done]],
    "working 0-9, idle 9-60",
  ],
  [
    "a step whose turn has failed",
    [[0, prompt("agent")], [5, { kind: "step", status: "failed" }], [5, wake("response_failed")]],
    "working 0-5, failed 5-60",
  ],
  [
    "the end of a step whose work in the background goes on",
    [[0, prompt("agent")], [5, stepEnd], [9, prompt("claude")], [10, stepDone]],
    "working 0-10, idle 10-60",
  ],
  ["before the first record", [[20, prompt("agent")]], "working 20-60"],
  [
    "what happened before",
    [[-9, prompt("agent")], [-5, done], [5, prompt("agent")]],
    "agent 0-5, working 5-60",
  ],
  ["what happens after", [[0, prompt("agent")], [70, done]], "working 0-60"],
  ["records without a time", [[0, prompt("agent")], [3, { ...done, at: "?" }]], "working 0-60"],
];

for (const [what, steps, expected] of CASES) {
  Deno.test(`lanesOf() knows ${what}`, () => assertEquals(lanes(steps), expected));
}
