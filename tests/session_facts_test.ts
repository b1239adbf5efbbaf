import { assertEquals } from "@std/assert";
import { factsAfter, look, noFacts, type SessionFacts } from "../lib/companion/session_facts.ts";

const NOW = Date.parse("2026-11-17T14:00:00Z");

type Step = [kind: string, data?: Record<string, unknown>, isOwnAbort?: boolean];

/** The facts after these events, a second apart, and what was found on the way. */
function after(...steps: Step[]): { facts: SessionFacts; found: string[] } {
  let facts = noFacts(NOW);
  const found: string[] = [];
  steps.forEach(([kind, data = {}, isOwnAbort = false], index) => {
    const now = NOW + index * 1000;
    const result = factsAfter(facts, { n: index + 1, kind, data }, { now, isOwnAbort });
    facts = result.facts;
    found.push(...result.findings.map((finding) => finding.kind));
  });
  return { facts, found };
}

const START: Step = ["turn.start", { turnId: "t1" }];
const FAILED: Step[] = [["api.begin", { id: "1" }], ["api.end", { id: "1", status: 529 }]];
const aborted = { reason: "aborted", answer: "I had begun", durationMs: 3200 };

const LEFT = { reason: "answer", answer: "", happened: ["asked"] };
const endAfter = (...happened: string[]): Step[] => [START, ["turn.complete", {
  ...LEFT,
  happened,
}]];

const cases: [name: string, steps: Step[], found: string[]][] = [
  ["a turn that ends by itself", [START, ["turn.complete", { reason: "answer" }]], []],
  ["a turn that a person stops", [START, ["turn.complete", aborted]], ["interrupted"]],
  ["a turn that the agent stops", [START, ["turn.complete", aborted, true]], []],
  ["a turn whose dialog a person leaves", [START, ["turn.complete", LEFT]], ["interrupted"]],
  ["a left dialog by a mod of an earlier version", [START, ["turn.complete", {
    reason: "answer",
    isLeft: true,
  }]], ["interrupted"]],
  ["a turn whose dialog the agent leaves", [START, ["turn.complete", LEFT, true]], []],
  ["a turn with a dialog that fails", [START, ["turn.complete", { ...LEFT, reason: "error" }]], []],
  ["a turn with a dialog that was answered", endAfter("asked", "stopped"), []],
  ["a dialog that is left after a hook has sent the turn on", endAfter("stopped", "asked"), [
    "interrupted",
  ]],
  ["a turn whose subagent asks beside its Stop", endAfter("stopped", "a subagent asked"), []],
  ["a turn whose subagent's dialog a person leaves", endAfter("a subagent asked"), ["interrupted"]],
  ["a turn with more than one end", endAfter("asked", "stopped", "asked", "stopped"), []],
  ["two failures and a success", [START, ...FAILED, ...FAILED, ["api.begin", { id: "2" }], [
    "api.end",
    {
      id: "2",
      status: 200,
    },
  ]], []],
  ["three failures", [START, ...FAILED, ...FAILED, ...FAILED], ["retrying"]],
  ["ten failures", [START, ...Array(10).fill(FAILED).flat() as Step[]], ["retrying"]],
  ["failures of two turns", [
    START,
    ...FAILED,
    ...FAILED,
    ["turn.complete", { reason: "error" }],
    START,
    ...FAILED,
    ...FAILED,
  ], []],
  ["a trouble that ends, and another one", [
    START,
    ...FAILED,
    ...FAILED,
    ...FAILED,
    ["api.begin", { id: "2" }],
    ["api.end", { id: "2", status: 200 }],
    ...FAILED,
    ...FAILED,
    ...FAILED,
  ], ["retrying", "retrying"]],
  ["failures outside of a turn", [...FAILED, ...FAILED, ...FAILED], []],
];
for (const [name, steps, found] of cases) {
  Deno.test(`withEvent() finds ${found.join(", ") || "nothing"} in ${name}`, () => {
    assertEquals(after(...steps).found, found);
  });
}

Deno.test("factsAfter() knows that a person stopped the turn until that person types", () => {
  const stopped = after(START, ["turn.complete", aborted]);
  assertEquals(stopped.facts.stoppedAt, NOW + 1000);
  const byAgent: Step = ["prompt.submit", { from: "plugin" }];
  const byPerson: Step = ["prompt.submit", { from: "composer" }];
  assertEquals(after(START, ["turn.complete", aborted], byAgent).facts.stoppedAt, NOW + 1000);
  assertEquals(after(START, ["turn.complete", aborted], byPerson).facts.stoppedAt, undefined);
  assertEquals(after(START, ["turn.complete", LEFT]).facts.stoppedAt, undefined);
});

Deno.test("factsAfter() takes /clear and /resume for no end", () => {
  assertEquals(after(["session.end", { reason: "clear" }]).facts.ending, undefined);
  assertEquals(after(["session.end", { reason: "resume" }]).facts.ending, undefined);
  assertEquals(after(["session.end", { reason: "other" }]).facts.ending, "other");
  assertEquals(after(["session.end"]).facts.ending, "unknown");
});

Deno.test("factsAfter() keeps what session.measure says, and no more than that", () => {
  const { facts } = after(["session.measure", {
    context: { tokens: 180_000, window: 200_000, percent: 90 },
    cost: { usd: 1.25 },
    rateLimits: [{ kind: "five_hour", percentUsed: 83, resetsAt: "2026-11-17T14:40:00Z" }, "odd"],
  }]);
  assertEquals(facts.usage, {
    percent: 90,
    tokens: 180_000,
    window: 200_000,
    usd: 1.25,
    limits: [{ kind: "five_hour", percentUsed: 83, resetsAt: "2026-11-17T14:40:00Z" }],
  });
  assertEquals(after(["session.measure", { context: 7, cost: "x" }]).facts.usage, { limits: [] });
});

Deno.test("look() finds an API that does not answer, once", () => {
  const { facts } = after(START, ["api.begin"]);
  assertEquals(look(facts, NOW + 20_000).findings, []);
  const found = look(facts, NOW + 31_000);
  assertEquals(found.findings.map(({ kind }) => kind), ["retrying"]);
  assertEquals(look(found.facts, NOW + 90_000).findings, []);
});

Deno.test("factsAfter() knows when the API can be reached again, until it was reached", () => {
  const limited: Step[] = [["api.begin", { id: "1" }], ["api.end", {
    id: "1",
    status: 429,
    headers: { "retry-after": "60" },
  }]];
  assertEquals(after(START, ...limited).facts.resetsAt, NOW + 62_000);
  const reached: Step[] = [["api.begin", { id: "2" }], ["api.end", { id: "2", status: 200 }]];
  assertEquals(after(START, ...limited, ...reached).facts.resetsAt, undefined);
  assertEquals(after(START, ...limited, START).facts.resetsAt, undefined);
});

Deno.test("look() names the same trouble alike, and another one of the turn differently", () => {
  const ids = (steps: Step[]) => {
    let facts = noFacts(NOW);
    const found: string[] = [];
    steps.forEach(([kind, data = {}], index) => {
      const event = { n: index + 1, kind, data };
      const result = factsAfter(facts, event, { now: NOW, isOwnAbort: false });
      facts = result.facts;
      found.push(...result.findings.flatMap((one) => one.kind === "retrying" ? [one.id] : []));
    });
    return found;
  };
  const trouble = [...FAILED, ...FAILED, ...FAILED];
  const success: Step = ["api.end", { id: "1", status: 200 }];
  assertEquals(ids([START, ...trouble, success, ...trouble]), ["t1.0", "t1.1"]);
});
