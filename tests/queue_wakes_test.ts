/** What the agent is told of a queue, byte for byte. */

import { assertEquals } from "@std/assert";
import "../lib/cli/load_guards.ts";
import { doneDraft, pausedDraft, spanOf } from "../lib/queue/queue_wakes.ts";
import type { Queue, Step } from "../lib/steps.ts";
import { actionsFor, renderWake, type WakeDraft } from "../lib/wake.ts";
import { pathsFrom } from "../lib/paths.ts";
import { assertGolden } from "./support/golden.ts";

const PATHS = {
  ...pathsFrom(() => undefined, "/opt/gsd-code-skill"),
  data: "/nowhere",
};
const ACTIONS = actionsFor("menu-driver", "warden-main", { kind: "prompt" });

function step(n: number, text: string, more: Partial<Step> = {}): Step {
  const by = { by: "warden", by_kind: "agent", added_at: "2026-11-17T12:00:00.000Z" } as const;
  return { n, text, ...by, state: "waiting", ...more };
}

function over(n: number, text: string, result: string, more: Partial<Step> = {}): Step {
  return step(n, text, {
    state: "done",
    began_at: `2026-11-17T12:0${n}:00.000Z`,
    ended_at: `2026-11-17T12:0${n}:40.000Z`,
    ...(result === "" ? {} : { result }),
    ...more,
  });
}

const DONE = [
  over(1, "Write the tests", "I wrote 12 tests.\nThey fail, as they should."),
  over(2, "/clear", ""),
];
const QUEUE: Queue = {
  ...{ session: "warden-main", agent_id: "warden", next: 5 },
  steps: DONE,
  last: { text: "All 12 tests pass.\nShall I deploy?", prompt_id: "p", at: "" },
};

const golden = (name: string) => new URL(`./golden/${name}.txt`, import.meta.url);

function rendered(draft: WakeDraft): string {
  const identity = {
    agent_id: "warden",
    tmux_session_name: "warden-main",
    timestamp: "2026-11-17T12:04:00Z",
    wake_id: "01M7NKCC7TJZHG5EEFVB58AJ9W",
  };
  const limit = { maxChars: 16_000, fenceId: () => "0123456789abcdef" };
  // Where no launcher is, lines name the Deno that runs this test.
  return renderWake(identity, draft, limit).message.replaceAll(Deno.execPath(), "deno");
}

Deno.test("the wake of a queue that is through has each step's first lines and the last words", () => {
  const failed = over(3, "Make them pass", "", { state: "failed", why: "server error" });
  const last = over(4, "Make them pass, please", "All 12 tests pass.\nShall I deploy?");
  const queue = { ...QUEUE, steps: [...DONE, failed, last] };
  assertGolden(golden("queue-is-through"), rendered(doneDraft(queue, ACTIONS)));
});

const PAUSES: [name: string, paused: Partial<Queue["paused"]>][] = [
  ["a-person-typed", { why: "person", reason: "a person has typed at the terminal" }],
  ["stop-on-was-met", { why: "stop_on", reason: 'step 2 says "cannot"' }],
  ["a-condition-was-not-met", { why: "condition", reason: 'step 3 is for an answer with "pass"' }],
  ["a-step-could-not-be-given", {
    ...{ why: "road", reason: "step 3 could not be given", said: "a person is typing there" },
  }],
];

for (const [name, paused] of PAUSES) {
  Deno.test(`the wake of a queue that waits: ${name.replaceAll("-", " ")}`, () => {
    const steps = [...DONE, step(3, "Deploy it\nto staging")];
    const all = { at: "", told: false, wake_id: "W", why: "road", reason: "", ...paused } as const;
    const draft = pausedDraft(PATHS, { ...QUEUE, steps, paused: all }, ACTIONS);
    assertGolden(golden(`queue-waits-${name}`), rendered(draft));
  });
}

Deno.test("of many long steps the last ones keep their words", () => {
  const steps = Array.from({ length: 60 }, (_, at) => over(at + 1, `step ${at}`, "x".repeat(500)));
  const text = doneDraft({ ...QUEUE, steps }, []).before!.text;
  assertEquals(text.length < 20_000, true);
  assertEquals(text.split("\n").filter((line) => /^\d+\. step/.test(line)).length, 60);
  assertEquals(text.trimEnd().endsWith("x"), true);
});

Deno.test("spanOf() says a time as people do", () => {
  const spans = [400, 61_000, 60 * 60_000, 200 * 60_000].map(spanOf);
  assertEquals(spans, ["0 s", "61 s", "60 min", "3 h 20 min"]);
});
