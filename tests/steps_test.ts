import { assertEquals } from "@std/assert";
import { whatNext } from "../lib/next_move.ts";
import {
  commandDone,
  ended,
  failed,
  pausedFor,
  reported,
  resumed,
  started,
  stopped,
  withStop,
} from "../lib/step_endings.ts";
import { begun, given, notGiven, toGive, unread } from "../lib/step_giving.ts";
import {
  isDoneBy,
  matches,
  type Queue,
  stateOfQueue,
  type Step,
  type StepGiving,
  stepOfTurn,
} from "../lib/steps.ts";

const NOW = new Date("2026-11-17T12:00:00Z");
const now = NOW.getTime();

function step(n: number, more: Partial<Step> = {}): Step {
  const text = `step ${n}`;
  const by = { by: "warden", by_kind: "agent", added_at: NOW.toISOString() } as const;
  return { n, text, ...by, state: "waiting", ...more };
}

function queueOf(steps: Step[], more: Partial<Queue> = {}): Queue {
  return { session: "warden-main", agent_id: "warden", next: 9, steps, ...more };
}

const GIVING: StepGiving = {
  instruction_id: "01A",
  at: NOW.toISOString(),
  text: "step 1",
  claude_session_id: "c",
  transcript_path: "/t",
  position: 7,
};

const giving = (n: number) => step(n, { state: "giving", giving: GIVING });
const running = (n: number, more: Partial<Step> = {}) =>
  step(n, { state: "begun", prompt_id: `p${n}`, giving: GIVING, ...more });
const done = (n: number) => step(n, { state: "done", prompt_id: `p${n}` });
const paused = (more: Partial<Queue["paused"]> = {}) => ({
  paused: {
    ...{ why: "failure", reason: "step 1 failed", at: NOW.toISOString(), told: true },
    ...{ wake_id: "W", ...more },
  } as NonNullable<Queue["paused"]>,
});

const MOVES: [name: string, queue: Queue, facts: object, move: string][] = [
  ["the first step of a free session", queueOf([step(1), step(2)]), {}, "give 1"],
  ["a step on its way is looked up first", queueOf([giving(1), step(2)]), {}, "look up 1"],
  ["also while the queue is paused", queueOf([giving(1), step(2)], paused()), {}, "look up 1"],
  ["a turn that runs is watched", queueOf([running(1), step(2)]), {}, "watch 1"],
  ["the next one after it", queueOf([done(1), step(2)]), {}, "give 2"],
  ["a turn that was cut off is continued", queueOf([running(1, { cut: "ended" })]), {}, "give 1"],
  ["all is done", queueOf([done(1)]), {}, "report"],
  [
    "a report that was begun is finished first",
    {
      ...queueOf([done(1), step(2)]),
      report: { wake_id: "W", prompt_id: "" },
    },
    {},
    "report",
  ],
  [
    "a pause that nobody knows is told",
    queueOf([step(1)], paused({ told: false })),
    {},
    "tell the pause",
  ],
  ["a pause lasts", queueOf([step(1)], paused()), {}, "rest"],
  [
    "a failed last step is no end while it is paused",
    queueOf([
      step(1, { state: "failed" }),
    ], paused()),
    {},
    "rest",
  ],
  [
    "a limit that ends later",
    queueOf([step(1)], paused({ until: "2026-11-17T12:00:05Z" })),
    {},
    `wait ${now + 5000}`,
  ],
  [
    "a limit that is over",
    queueOf([step(1)], paused({ until: "2026-11-17T11:59:59Z" })),
    {},
    "go on",
  ],
  ...(["asked", "esc", "person"] as const).map((why): (typeof MOVES)[number] => [
    `nothing is left of a queue that is paused (${why})`,
    queueOf([done(1)], paused({ why })),
    {},
    "report",
  ]),
  ["a pause keeps what is left", queueOf([done(1), step(2)], paused({ why: "asked" })), {}, "rest"],
  [
    "a last step that Esc stopped can be repeated",
    queueOf([done(1), step(2, { state: "failed" })], paused({ why: "esc" })),
    {},
    "rest",
  ],
  ["a session that a person has taken", queueOf([step(1)]), { held: {} }, "rest"],
  [
    "a session that is paused for a time",
    queueOf([step(1)]),
    { held: { until: now + 9 } },
    `wait ${now + 9}`,
  ],
  [
    "a step with a time",
    queueOf([step(1, { after: "2026-11-17T12:01:00Z" })]),
    {},
    `wait ${now + 60_000}`,
  ],
  [
    "a step whose time has come",
    queueOf([step(1, { after: "2026-11-17T11:01:00Z" })]),
    {},
    "give 1",
  ],
  ["a step for a reset, where no limit is", queueOf([step(1, { after: "reset" })]), {}, "give 1"],
  [
    "a condition that is met by the last step",
    queueOf([step(2, { if_last_matches: "all  PASS" })], {
      last: { text: "Now all\npass.", prompt_id: "", at: "" },
    }),
    {},
    "give 2",
  ],
  ["a condition that is met by an earlier turn", queueOf([step(2, { if_last_matches: "pass" })]), {
    last: "They pass",
  }, "give 2"],
  ["a condition that is not met", queueOf([step(2, { if_last_matches: "pass" })]), {}, "unmet 2"],
  [
    "a condition that somebody has overruled",
    queueOf([step(2, { if_last_matches: "pass", isWanted: true })]),
    {},
    "give 2",
  ],
];

for (const [name, queue, facts, move] of MOVES) {
  Deno.test(`whatNext(): ${name}: ${move}`, () => {
    const next = whatNext(queue, { now, ...facts });
    const about = "step" in next ? ` ${next.step.n}` : "until" in next ? ` ${next.until}` : "";
    assertEquals(next.kind + about, move);
  });
}

Deno.test("whatNext() sends Claude on with `continue` where its turn was cut off", () => {
  const move = whatNext(queueOf([running(1, { cut: "limit" }), step(2)]), { now });
  assertEquals(move.kind === "give" && move.text, "continue");
});

/** The life of a step, and what a kill -9 at each moment leaves: the next move says it all. */
Deno.test("each moment of a step's life is found again: nothing is given twice, nothing left out", () => {
  const moves: string[] = [];
  const look = (queue: Queue) => {
    // Everything that was written is read again by another process.
    const read: Queue = JSON.parse(JSON.stringify(queue));
    const next = whatNext(read, { now });
    moves.push("step" in next ? `${next.kind} ${next.step.n}` : next.kind);
    return read;
  };
  let queue = look(queueOf([step(1), step(2)]));
  queue = look(toGive(queue, 1, GIVING)); // killed before or after the driver gave it
  assertEquals(look(notGiven(queue, 1)).steps[0]!.state, "waiting");
  queue = look(given(queue, 1, NOW));
  queue = look(begun(queue, 1, "p1", NOW));
  assertEquals(begun(queue, 1, "p9", NOW), queue, "a second proof changes nothing");
  assertEquals(notGiven(queue, 1), queue, "it cannot be taken back");
  const end = { promptId: "p1", text: "Done", now: NOW };
  queue = look(ended(queue, queue.steps[0]!, end, "W"));
  queue = look(toGive(queue, 2, { ...GIVING, instruction_id: "01B" }));
  queue = look(begun(queue, 2, "p2", NOW));
  queue = look(ended(queue, queue.steps[1]!, { ...end, promptId: "p2" }, "W"));
  assertEquals(moves, [
    ...["give 1", "look up 1", "give 1", "look up 1", "watch 1"],
    ...["give 2", "look up 2", "watch 2", "report"],
  ]);
  assertEquals(reported(queue), undefined);
});

Deno.test("reported() keeps what was added after the end", () => {
  const left = reported(queueOf([done(1), step(2)], { report: { wake_id: "W", prompt_id: "" } }));
  assertEquals([left?.steps.map(({ n }) => n), left?.report], [[2], undefined]);
});

Deno.test("stepOfTurn() knows the turn of a step by its prompt, also later", () => {
  const queue = queueOf([done(1), running(2), step(3)]);
  assertEquals(stepOfTurn(queue, "p2")?.n, 2);
  assertEquals(stepOfTurn(queue, "p1")?.n, 1, "its hook comes late");
  assertEquals(stepOfTurn(queue, "other"), undefined, "a turn of somebody else");
  assertEquals(stepOfTurn(queue, "")?.n, 2, "a version that names no prompt");
  assertEquals(stepOfTurn(queueOf([giving(1)]), "x", true)?.n, 1, "its own hook was killed");
  assertEquals(stepOfTurn(queueOf([giving(1)]), "x"), undefined);
});

Deno.test("ended() pauses at --stop-on, unless nothing waits any more", () => {
  const own = running(1, { stop_on: "cannot" });
  const end = { promptId: "p1", text: "I Cannot do it", now: NOW };
  const after = ended(queueOf([own, step(2)]), own, end, "W");
  assertEquals([after.paused?.why, after.paused?.told], ["stop_on", false]);
  assertEquals(ended(queueOf([own]), own, end, "W").paused, undefined);
  const other = ended(queueOf([own, step(2)]), own, { ...end, text: "Done" }, "W");
  assertEquals([other.paused, other.steps[0]!.result], [undefined, "Done"]);
});

Deno.test("failed() pauses; with --after reset a limit goes on by itself at its end", () => {
  const failure = { kind: "server error", isLimit: false, now: NOW, told: true };
  const over = failed(queueOf([running(1), step(2)]), running(1), failure, "W");
  assertEquals([over.steps[0]!.state, over.paused?.why, over.paused?.until], [
    "failed",
    "failure",
    undefined,
  ]);
  const limit = { ...failure, kind: "rate limit", isLimit: true, resetsAt: "2026-11-17T13:00:00Z" };
  assertEquals(failed(queueOf([running(1), step(2)]), running(1), limit, "W").paused?.why, "limit");
  const next = step(2, { after: "reset" });
  const cut = failed(queueOf([running(1), next]), running(1), limit, "W");
  assertEquals([cut.steps[0]!.state, cut.steps[0]!.cut, cut.paused?.until], [
    "begun",
    "limit",
    "2026-11-17T13:00:00Z",
  ]);
  const { resetsAt: _, ...unknown } = limit;
  const later = failed(queueOf([running(1), next]), running(1), unknown, "W");
  assertEquals(later.paused?.until, "2026-11-17T12:05:00.000Z");
});

Deno.test("started(): /clear and /compact are done by it, a turn that ran is cut off", () => {
  const clear = step(1, { state: "giving", text: "/clear", giving: { ...GIVING, text: "/clear" } });
  assertEquals(started(queueOf([clear]), "clear", NOW, "W").steps[0]!.state, "done");
  assertEquals(started(queueOf([clear]), "compact", NOW, "W").steps[0]!.state, "giving");
  assertEquals(started(queueOf([running(1)]), "compact", NOW, "W").steps[0]!.cut, undefined);
  assertEquals(started(queueOf([running(1)]), "resume", NOW, "W").steps[0]!.cut, "ended");
  const lost = started(queueOf([running(1), step(2)]), "startup", NOW, "W");
  assertEquals([lost.steps[0]!.state, lost.paused?.why], ["failed", "lost"]);
  assertEquals(isDoneBy("/compact keep the tests", "compact"), true);
  assertEquals(isDoneBy("/clearly", "clear"), false);
});

Deno.test("unread(): a step that the resumed conversation lacks waits again", () => {
  const queue = unread(queueOf([running(1, { cut: "ended", began_at: "x" }), step(2)]), 1);
  assertEquals(queue.steps[0], step(1));
  assertEquals(unread(queueOf([running(1)]), 1).steps[0]!.state, "begun");
});

Deno.test("stopped() pauses, and a second reason does not replace the first", () => {
  const queue = stopped(queueOf([running(1), step(2)]), running(1), NOW.toISOString(), "W", true);
  assertEquals([queue.steps[0]!.state, queue.paused?.why], ["failed", "esc"]);
  assertEquals(pausedFor(queue, "person", "x", "", "W2"), queue);
  const limit = "$1.20 of $1.00 today";
  const spent = stopped(queueOf([running(1)]), running(1), NOW.toISOString(), "W", false, limit);
  assertEquals([spent.steps[0]!.why, spent.paused?.why], [
    ...[`its turn was stopped by a limit: ${limit}`, "budget"],
  ]);
});

const LIMIT = paused({ why: "limit", until: "2026-11-17T13:00:00Z" });

for (const why of ["person", "esc", "lost", "asked"] as const) {
  Deno.test(`pausedFor(): a limit that ends by itself gives way to: ${why}`, () => {
    const queue = queueOf([running(1, { cut: "limit" }), step(2)], LIMIT);
    const after = pausedFor(queue, why, "x", "", "W2");
    assertEquals([after.paused?.why, after.paused?.until, after.paused?.told], [
      ...[why, undefined, false],
    ]);
    assertEquals(whatNext(after, { now: now + 7_200_000 }).kind, "tell the pause");
  });
}

for (const why of ["road", "stop_on", "limit", "failure", "condition"] as const) {
  Deno.test(`pausedFor(): a limit that ends by itself stays at: ${why}`, () => {
    const queue = queueOf([running(1, { cut: "limit" })], LIMIT);
    assertEquals(pausedFor(queue, why, "x", "", "W2"), queue);
  });
}

Deno.test("started(): a conversation that is lost during a limit fails its step; again means the step", () => {
  const queue = queueOf([running(1, { cut: "limit" }), step(2)], LIMIT);
  const lost = started(queue, "startup", NOW, "W2");
  assertEquals([lost.steps[0]!.state, lost.steps[0]!.cut, lost.paused?.why], [
    ...["failed", undefined, "lost"],
  ]);
  const move = whatNext(resumed(lost, { isAgain: true }), { now });
  assertEquals(move.kind === "give" && move.text, "step 1");
});

Deno.test("started(): a conversation that is cleared during a limit fails its step, and pauses", () => {
  const queue = queueOf([running(1, { cut: "limit" }), step(2)], LIMIT);
  const lost = started(queue, "clear", NOW, "W2");
  assertEquals([lost.steps[0]!.state, lost.paused?.why], ["failed", "lost"]);
  const runs = queueOf([running(1), step(2)]);
  assertEquals(started(runs, "clear", NOW, "W2"), runs, "the turn that runs tells its own end");
});

Deno.test("withStop() keeps steps back while Claude Code is ended, for a time at most", () => {
  const queue = withStop(queueOf([step(1)]), new Date(now + 1000).toISOString());
  assertEquals(whatNext(queue, { now }), { kind: "wait", until: now + 1000 });
  assertEquals(whatNext(queue, { now: now + 1000 }).kind, "give");
  assertEquals(whatNext(withStop(queue, undefined), { now }).kind, "give");
});

Deno.test("resumed() again drops that the step was cut off", () => {
  const over = queueOf([step(1, { state: "failed", cut: "ended", goes_on: true })], paused());
  assertEquals(resumed(over, { isAgain: true }).steps[0], step(1));
});

Deno.test("unread(): a step that was read, but not its `continue`, is continued again", () => {
  const again = running(1, { cut: "ended", giving: { ...GIVING, text: "continue" } });
  const queue = unread(queueOf([again, step(2)]), 1);
  assertEquals([queue.steps[0]!.cut, queue.steps[0]!.giving], ["ended", undefined]);
  const move = whatNext(queue, { now });
  assertEquals(move.kind === "give" && move.text, "continue");
});

Deno.test("resumed() goes on with the next step, or again with the one that failed", () => {
  const over = queueOf([step(1, { state: "failed", why: "x", ended_at: "y" }), step(2)], paused());
  assertEquals(resumed(over).paused, undefined);
  assertEquals(whatNext(resumed(over), { now }).kind, "give");
  assertEquals(resumed(over, { isAgain: true }).steps[0], step(1));
  const condition = queueOf([step(2, { if_last_matches: "x" })], paused({ why: "condition" }));
  assertEquals(resumed(condition).steps[0]!.isWanted, true);
});

Deno.test("commandDone() ends a step that began no turn", () => {
  const after = commandDone(queueOf([giving(1)]), giving(1), "2026-11-17T12:00:01Z");
  assertEquals([after.steps[0]!.state, after.steps[0]!.began_at], ["done", NOW.toISOString()]);
});

Deno.test("matches() does not mind case, blanks and lines", () => {
  assertEquals(matches("All  tests\npass", "all tests pass"), true);
  assertEquals(matches("All tests", "all tests pass"), false);
});

Deno.test("stateOfQueue() says what runs, waits and is done", () => {
  const states = [
    queueOf([running(1), step(2), step(3)]),
    queueOf([done(1), step(2)]),
    queueOf([step(1, { state: "failed" }), step(2, { state: "skipped" }), done(3), step(4)]),
    queueOf([done(1), step(2)], paused()),
  ];
  assertEquals(states.map(stateOfQueue), [
    "step 1 runs, 2 steps wait, 0 done",
    "1 step waits, 1 done",
    "1 step waits, 1 done, 1 failed, 1 skipped",
    "paused, 1 step waits: step 1 failed",
  ]);
});
