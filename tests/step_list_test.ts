import { assertEquals } from "@std/assert";
import { readQueueArgs } from "../lib/queue/queue_args.ts";
import { proofIn } from "../lib/step_proof.ts";
import {
  added,
  afterOf,
  cleared,
  dropped,
  moved,
  type Place,
  stepsIn,
  whyNotAdded,
} from "../lib/queue/step_list.ts";
import type { Queue } from "../lib/steps.ts";

const NOW = new Date(2026, 10, 17, 12, 0, 0);
const AT = { session: "warden-main", agent_id: "warden" };
const BY = { by: "warden", by_kind: "agent" } as const;

function queueOf(...states: Queue["steps"][number]["state"][]): Queue {
  const texts = states.map((_, index) => ({ text: `step ${index + 1}` }));
  const { queue } = added(undefined, AT, texts, BY, NOW);
  const steps = queue.steps.map((step, index) => ({ ...step, state: states[index]! }));
  return { ...queue, steps };
}

const numbers = (queue: Queue | undefined | string) =>
  typeof queue === "object" ? queue.steps.map(({ n }) => n) : queue;

Deno.test("added() numbers the steps on", () => {
  const first = added(undefined, AT, [{ text: "a" }, { text: "b", stop_on: "no" }], BY, NOW);
  const second = added(first.queue, AT, [{ text: "c" }], BY, NOW);
  assertEquals(numbers(second.queue), [1, 2, 3]);
  assertEquals(second.added.map(({ n, text, state }) => [n, text, state]), [[3, "c", "waiting"]]);
  assertEquals(first.added[1]!.stop_on, "no");
});

Deno.test("whyNotAdded() refuses what is no step", () => {
  const refused = [[], [" "], ["/exit"], [":wq"], ["!rm -rf x"], ["x".repeat(100_001)]];
  for (const texts of refused) {
    assertEquals(typeof whyNotAdded(undefined, texts), "string", texts[0]?.slice(0, 20));
  }
  assertEquals(whyNotAdded(undefined, ["/clear", "exit the loop in main.ts"]), undefined);
  assertEquals(typeof whyNotAdded(undefined, Array(1001).fill("x")), "string");
});

Deno.test("dropped() removes what waits, and nothing that is with Claude", () => {
  const queue = queueOf("done", "begun", "waiting", "waiting");
  assertEquals(numbers(dropped(queue, [3])), [1, 2, 4]);
  assertEquals(
    dropped(queue, [2]),
    "step 2 is with Claude already: esc of menu-driver stops its turn",
  );
  assertEquals(dropped(queue, [1]), "step 1 is done");
  assertEquals(dropped(queue, [3, 9]), "there is no step 9");
  assertEquals(dropped(queueOf("waiting"), [1]), undefined);
});

Deno.test("dropped() ends a pause with the last step that waits: the end is reported", () => {
  const paused = { why: "esc", reason: "", at: "", told: true, wake_id: "W" } as const;
  const left = dropped({ ...queueOf("done", "waiting"), paused }, [2]);
  assertEquals(typeof left === "object" && left.paused, undefined);
});

const PLACES: [to: Place, order: number[] | string][] = [
  [{ kind: "first" }, [1, 4, 2, 3]],
  [{ kind: "last" }, [1, 2, 3, 4]],
  [{ kind: "before", n: 3 }, [1, 2, 4, 3]],
  [{ kind: "after", n: 2 }, [1, 2, 4, 3]],
  [{ kind: "before", n: 1 }, "step 1 is with Claude already: esc of menu-driver stops its turn"],
  [{ kind: "before", n: 4 }, "step 4 cannot be moved beside itself"],
];

for (const [to, order] of PLACES) {
  Deno.test(`moved() puts a step ${to.kind} ${"n" in to ? to.n : ""}`, () => {
    assertEquals(numbers(moved(queueOf("begun", "waiting", "waiting", "waiting"), 4, to)), order);
  });
}

Deno.test("cleared() leaves the step that runs, and nothing where none runs", () => {
  assertEquals(numbers(cleared(queueOf("done", "begun", "waiting"))), [1, 2]);
  assertEquals(cleared(queueOf("done", "waiting")), undefined);
});

Deno.test("a step that waits for the end of a limit is cleared and dropped like one that waits", () => {
  const paused = {
    why: "limit",
    reason: "",
    at: "",
    told: true,
    wake_id: "W",
    until: "x",
  } as const;
  const plain = queueOf("done", "begun", "waiting");
  const steps = plain.steps.map((step) => step.n === 2 ? { ...step, cut: "limit" as const } : step);
  const queue: Queue = { ...plain, steps, paused };
  assertEquals(cleared(queue), undefined);
  const left = dropped(queue, [2]);
  assertEquals([numbers(left), typeof left === "object" && left.paused], [[1, 3], paused]);
  assertEquals(numbers(dropped(queue, [2, 3])), [1]);
  assertEquals(moved(queue, 2, { kind: "last" }), "step 2 has begun: it is finished first");
});

Deno.test("afterOf() reads done, reset, a time of the day and a date", () => {
  assertEquals(afterOf("done", NOW), {});
  assertEquals(afterOf("reset", NOW), { after: "reset" });
  assertEquals(afterOf("14:40", NOW), { after: new Date(2026, 10, 17, 14, 40).toISOString() });
  assertEquals(afterOf("9:05", NOW), { after: new Date(2026, 10, 18, 9, 5).toISOString() });
  assertEquals(afterOf("2026-12-01T08:00:00Z", NOW), { after: "2026-12-01T08:00:00.000Z" });
  for (const wrong of ["25:00", "later", "12", "12:60"]) {
    assertEquals(typeof afterOf(wrong, NOW), "string", wrong);
  }
});

Deno.test("stepsIn() takes a line or a block for a step, and leaves notes out", () => {
  assertEquals(stepsIn("# my list\nfirst\r\n\n  second \n#hash is a step\n"), [
    ...["first", "second", "#hash is a step"],
  ]);
  assertEquals(stepsIn("first\nwith more\n---\n\n# a heading\ntext\n---\n"), [
    ...["first\nwith more", "# a heading\ntext"],
  ]);
});

const read = (...args: string[]) =>
  readQueueArgs(args, { now: NOW, readFile: (path) => `from ${path}` });

const CALLS: [args: string[], action: unknown][] = [
  [["s"], { kind: "list" }],
  [["s", "add", "a", "b"], { kind: "add", steps: [{ text: "a" }, { text: "b" }] }],
  [["s", "add", "--", "--help"], { kind: "add", steps: [{ text: "--help" }] }],
  [["s", "add", "- a list item"], { kind: "add", steps: [{ text: "- a list item" }] }],
  [["s", "add", "a", "--stop-on", "no", "--after=reset"], {
    kind: "add",
    steps: [{ text: "a", after: "reset", stop_on: "no" }],
  }],
  [["s", "add", "--file", "f.txt"], { kind: "add", steps: [{ text: "from f.txt" }] }],
  [["s", "drop", "3", "4"], { kind: "drop", numbers: [3, 4] }],
  [["s", "move", "5", "before", "2"], { kind: "move", n: 5, to: { kind: "before", n: 2 } }],
  [["s", "pause", "for", "lunch"], { kind: "pause", reason: "for lunch" }],
  [["s", "resume", "--again"], { kind: "resume", isAgain: true }],
];

for (const [args, action] of CALLS) {
  Deno.test(`readQueueArgs() reads: ${args.join(" ")}`, () => {
    const order = read(...args);
    assertEquals(order.kind === "order" && order.action, action);
  });
}

const WRONG = [
  ...[[], ["s", "add"], ["s", "drop"], ["s", "drop", "x"], ["s", "move", "1"], ["s", "fly"]],
  ...[["s", "list", "--after", "done"], ["s", "add", "a", "--again"], ["s", "add", "a", "--x"]],
  ...[["s", "add", "a", "--after", "soon"], ["s", "add", "a", "--stop-on"], ["s", "clear", "1"]],
  ...[["s", "add", "-"], ["s", "add", "a", "-"]],
];

for (const args of WRONG) {
  Deno.test(`readQueueArgs() refuses: ${args.join(" ") || "nothing"}`, () => {
    assertEquals(read(...args).kind, "usage");
  });
}

const line = (content: unknown, more = {}) =>
  JSON.stringify({ type: "user", promptId: "p1", message: { role: "user", content }, ...more });

Deno.test("proofIn() finds the prompt of a step, and no other line", () => {
  const wanted = "Write the tests\nand the docs";
  const others = [
    line("Write the tests"),
    line([{ type: "tool_result", content: wanted }]),
    line(wanted, { isMeta: true }),
    line(wanted, { isSidechain: true }),
    JSON.stringify({ type: "assistant", message: { content: wanted } }),
    '{"type":"user","message":{"con',
  ];
  assertEquals(proofIn(others, wanted), { kind: "none" });
  assertEquals(proofIn([...others, line("Write the tests\n and the docs ")], wanted), {
    ...{ kind: "prompt", promptId: "p1" },
  });
  const voiced = line(`The gsd plugin sent a message: ${wanted}`);
  assertEquals(proofIn([voiced], wanted).kind, "prompt");
  assertEquals(proofIn([line("please continue with it")], "continue"), { kind: "none" });
});

Deno.test("proofIn() finds a command by its name", () => {
  const run = line("<command-name>/gsd:go</command-name>\n<command-args>now</command-args>");
  assertEquals(proofIn([run], "/gsd:go now"), { kind: "command" });
  assertEquals(proofIn([run], "/gsd:go-on"), { kind: "none" });
});
