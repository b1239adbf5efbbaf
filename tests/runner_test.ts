/** The runner of a queue, and a kill -9 at each of its moments. */

import { assert, assertEquals } from "@std/assert";
import { writeStop } from "../lib/doors/spending_stops.ts";
import { runQueue } from "../lib/queue/runner.ts";
import type { RunnerWorld } from "../lib/queue/running_queue.ts";
import type { SessionLook } from "../lib/queue/session_look.ts";
import { added } from "../lib/queue/step_list.ts";
import { readJournal } from "../lib/journal_read.ts";
import { memoryFile } from "../lib/session_memory.ts";
import { writeAtomic } from "../lib/files.ts";
import { ended, pausedFor, resumed, started } from "../lib/step_endings.ts";
import { begun, withStep } from "../lib/step_giving.ts";
import { type Queue, stepOfInstruction, stepOfTurn } from "../lib/steps.ts";
import { changeQueue, readQueue, updateQueue } from "../lib/steps_file.ts";
import { noteTyped } from "../lib/typed.ts";
import { TestHome } from "./support/home.ts";

const SESSION = "warden-main";
class Killed extends Error {}

interface Simulated {
  /** The call at which the runner dies; each call of its world is one. */
  dies?: number;
  /** Only these calls count. */
  only?: "giving";
  /** Whose hooks are killed: nobody notes what they would have noted. */
  deaf?: ("prompt" | "stop" | "start")[];
  /** The driver cannot tell whether it gave the text. */
  isUnsure?: boolean;
  companion?: boolean;
  /** Each turn leaves a subagent running, as its Stop notes. */
  goesOn?: boolean;
  /** A turn that does not end. */
  endless?: boolean;
  /** Claude Code is killed with this prompt, before it has written it down; it starts again. */
  killedWith?: string;
  /** When the hook of that start tells it. */
  toldAfterMs?: number;
}

/** A Claude that takes one prompt at a time and answers after a second. */
class FakeSession {
  readonly home = new TestHome();
  readonly paths = this.home.paths;
  readonly taken: string[] = [];
  readonly told: string[] = [];
  readonly unsure: string[] = [];
  time = Date.parse("2026-11-17T12:00:00Z");
  calls = 0;
  #claude = 1;
  #busyUntil = 0;
  #turn: { promptId: string; text: string } | undefined;
  #prompts = 0;
  #killedAt: number | undefined;

  constructor(readonly given: Simulated = {}) {
    this.#remember();
  }

  get #transcript(): string {
    return `${this.home.dir}/t${this.#claude}.jsonl`;
  }

  #remember(): void {
    writeAtomic(
      memoryFile(this.paths, SESSION),
      JSON.stringify({
        claude_session_id: `c${this.#claude}`,
        transcript_path: this.#transcript,
        said: [],
      }),
    );
  }

  add(...texts: string[]): void {
    const now = new Date(this.time);
    const by = { by: "warden", by_kind: "agent" } as const;
    const at = { session: SESSION, agent_id: "warden" };
    changeQueue(this.paths, SESSION, (before) => {
      const { queue } = added(before, at, texts.map((text) => ({ text })), by, now);
      return { queue, value: undefined };
    });
  }

  #write(line: Record<string, unknown>): void {
    const timestamp = new Date(this.time).toISOString();
    const text = JSON.stringify({ ...line, timestamp });
    Deno.writeTextFileSync(this.#transcript, `${text}\n`, { append: true });
    Deno.utimeSync(this.#transcript, this.time / 1000, this.time / 1000);
  }

  /** Claude Code has a prompt: its hook notes it, unless that was killed. */
  #take(text: string, instructionId: string): void {
    this.taken.push(text);
    const now = new Date(this.time);
    if (text === "/clear") {
      this.#claude++;
      Deno.writeTextFileSync(this.#transcript, "");
      this.#remember();
      if (!this.given.deaf?.includes("start")) {
        updateQueue(this.paths, SESSION, (queue) => started(queue, "clear", now, "W"));
      }
      return;
    }
    if (text === "/tasks") return; // Claude Code writes nothing down
    if (text === "/context") {
      const content = "<command-name>/context</command-name>\n  <command-args></command-args>";
      return this.#write({ type: "system", subtype: "local_command", content });
    }
    const promptId = `p${++this.#prompts}`;
    const isKilled = text === this.given.killedWith && this.#killedAt === undefined;
    if (isKilled) this.#killedAt = this.time;
    else this.#write({ type: "user", promptId, message: { role: "user", content: text } });
    if (!isKilled) this.#turn = { promptId, text };
    this.#busyUntil = this.given.endless ? Infinity : this.time + 1000;
    if (this.given.deaf?.includes("prompt")) return;
    updateQueue(this.paths, SESSION, (queue) => {
      const step = stepOfInstruction(queue, instructionId);
      return step === undefined ? queue : begun(queue, step.n, promptId, now);
    });
  }

  #pass(ms: number): void {
    const until = this.time + ms;
    if (this.#turn !== undefined && this.#busyUntil <= until) {
      this.time = this.#busyUntil;
      const { promptId, text } = this.#turn;
      this.#turn = undefined;
      const message = {
        ...{ id: `m${promptId}`, role: "assistant", stop_reason: "end_turn" },
        content: [{ type: "text", text: `Done: ${text}` }],
      };
      this.#write({ type: "assistant", message });
      if (!this.given.deaf?.includes("stop")) {
        updateQueue(this.paths, SESSION, (queue) => {
          const step = stepOfTurn(queue, promptId, true);
          const end = { promptId, text: `Done: ${text}`, now: new Date(this.time) };
          if (this.given.goesOn && step !== undefined) {
            return withStep(queue, step.n, { goes_on: true });
          }
          return step === undefined ? queue : ended(queue, step, end, "W");
        });
      }
    }
    this.time = until;
    const { toldAfterMs = Infinity } = this.given;
    if (this.#killedAt !== undefined && until >= this.#killedAt + toldAfterMs) {
      this.#killedAt = Infinity;
      updateQueue(this.paths, SESSION, (queue) => started(queue, "resume", new Date(until), "W"));
    }
  }

  #call(kind?: "giving"): void {
    if (this.given.only !== undefined && this.given.only !== kind) return;
    if (++this.calls === this.given.dies) throw new Killed();
  }

  world(): RunnerWorld {
    return {
      paths: this.paths,
      now: () => new Date(this.time),
      sleep: (ms) => {
        this.#call();
        this.#pass(ms);
        return Promise.resolve();
      },
      look: () => {
        this.#call();
        const state: SessionLook["state"] = this.#turn === undefined ? "free" : "busy";
        return Promise.resolve({ state });
      },
      give: (_queue, text, giver) => {
        this.#call("giving");
        noteTyped(this.paths, SESSION, text, giver, this.time);
        this.#call("giving"); // killed before it was given
        this.#take(text, giver.instruction_id);
        this.#call("giving"); // killed after it was given
        if (!this.given.isUnsure) return Promise.resolve({ kind: "done", said: "Typed" });
        return Promise.resolve({ kind: "refused", reason: "no answer", isUnsure: true });
      },
      clear: () => Promise.resolve(this.#call()),
      held: () => undefined,
      tell: (queue, what, wakeId) => {
        this.#call();
        // As tellQueue() does: the same wake once.
        const line = `${what} ${wakeId}`;
        if (!this.told.includes(line)) this.told.push(line);
        const texts = queue.steps.map(({ text }) => text);
        assert(what === "paused" || texts.length > 0);
        this.#call();
        return Promise.resolve();
      },
      hasCompanion: () => this.given.companion === true,
    };
  }

  /** As the agent does when it was told: goes on with the next step. */
  #resumeUnsure(): void {
    const queue = readQueue(this.paths, SESSION);
    if (queue?.paused?.why !== "unsure" || !queue.paused.told) return;
    this.unsure.push(...queue.steps.filter((one) => one.state === "unsure").map((one) => one.text));
    updateQueue(this.paths, SESSION, (now) => resumed(now));
  }

  /** One runner after the other, until the queue is gone: events and the watch start them. */
  async run(most = 50): Promise<void> {
    for (let runs = 0; runs < most && readQueue(this.paths, SESSION) !== undefined; runs++) {
      try {
        await runQueue(this.world(), SESSION);
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
      this.#resumeUnsure();
      this.#pass(3000);
    }
    assertEquals(readQueue(this.paths, SESSION), undefined, "the queue is through");
  }
}

const STEPS = ["step 1", "/clear", "step 2"];

async function callsOf(given: Simulated): Promise<number> {
  await using session = withHome(new FakeSession(given));
  session.it.add(...STEPS);
  await session.it.run();
  return session.it.calls;
}

function withHome(it: FakeSession) {
  return { it, [Symbol.asyncDispose]: () => it.home[Symbol.asyncDispose]() };
}

const KINDS: [name: string, given: Simulated][] = [
  ["all goes well", {}],
  ["the hook of each prompt is killed", { deaf: ["prompt"] }],
  ["the hook of each Stop is killed", { deaf: ["stop"] }],
  ["all hooks are killed", { deaf: ["prompt", "stop", "start"] }],
  ["the driver is never sure", { isUnsure: true }],
  ["a companion is there", { companion: true, deaf: ["stop"] }],
];

for (const [name, given] of KINDS) {
  Deno.test(`runQueue() gives each step once, in order, killed at any moment: ${name}`, async () => {
    const calls = await callsOf(given);
    assert(calls > 5);
    for (let dies = 0; dies <= calls; dies++) {
      await using session = withHome(new FakeSession({ ...given, dies }));
      session.it.add(...STEPS);
      await session.it.run();
      assertEquals(session.it.taken, STEPS, `killed at call ${dies} of ${calls}`);
      assertEquals(session.it.told.length, 1, `killed at call ${dies} of ${calls}`);
    }
  });
}

Deno.test("runQueue() runs no command twice, killed at any moment of giving it", async () => {
  const steps = ["/context", "/tasks", "step 2"];
  const seen = new Set<string>();
  for (let dies = 1; dies <= 9; dies++) {
    await using session = withHome(new FakeSession({ dies, only: "giving" }));
    const { it } = session;
    it.add(...steps);
    await it.run();
    assertEquals(it.taken.length, new Set(it.taken).size, `killed at ${dies}: ${it.taken}`);
    // What leaves no trace pauses the queue, whether it was run or not.
    const left = steps.filter((text) => !it.taken.includes(text));
    assertEquals(left.filter((text) => !it.unsure.includes(text)), [], `killed at ${dies}`);
    seen.add(`${dies}: ${it.taken.length} taken, unsure: ${it.unsure.join()}`);
  }
  assertEquals([...seen], [
    "1: 3 taken, unsure: ",
    "2: 3 taken, unsure: ",
    "3: 3 taken, unsure: ",
    "4: 3 taken, unsure: ",
    "5: 2 taken, unsure: /tasks",
    "6: 3 taken, unsure: /tasks",
    "7: 3 taken, unsure: ",
    "8: 3 taken, unsure: ",
    "9: 3 taken, unsure: ",
  ]);
});

function queueOf(session: FakeSession): Queue | undefined {
  return readQueue(session.paths, SESSION);
}

Deno.test("runQueue() pauses after five refusals, and the wake has the reason", async () => {
  await using session = withHome(new FakeSession());
  const { it } = session;
  it.add("step 1");
  const refusing = {
    ...it.world(),
    give: () => Promise.resolve({ kind: "refused", reason: "a person is typing" } as const),
  };
  await runQueue(refusing, SESSION);
  const queue = queueOf(it);
  assertEquals([queue?.paused?.why, queue?.paused?.said, queue?.paused?.told], [
    ...["road", "a person is typing", true],
  ]);
  assertEquals(queue?.steps[0]?.state, "waiting");
  assertEquals(it.told.length, 1);
});

Deno.test("runQueue() pauses at once, by the budget, where a limit of spending is reached", async () => {
  await using session = withHome(new FakeSession());
  const { it } = session;
  it.add("step 1");
  writeStop(it.paths, SESSION, { why: "$2 of $1 today", clears: false });
  let tries = 0;
  const give: RunnerWorld["give"] = () => {
    tries++;
    return Promise.resolve({ kind: "refused", reason: "a limit is reached" } as const);
  };
  await runQueue({ ...it.world(), give }, SESSION);
  const { paused, steps } = queueOf(it)!;
  assertEquals([tries, paused?.why, paused?.said, steps[0]?.state], [
    ...[1, "budget", "a limit is reached", "waiting"],
  ]);
});

Deno.test("runQueue() says that the budget has stopped a step's turn, where a limit is reached", async () => {
  await using session = withHome(new FakeSession({ endless: true, companion: true }));
  const { it } = session;
  it.add("step 1", "step 2");
  const look = () => Promise.resolve({ state: "free", isReady: true, draft: "" } as const);
  const world = { ...it.world(), look };
  await runQueue(world, SESSION);
  writeStop(it.paths, SESSION, { why: "$2 of $1 today", clears: false });
  await world.sleep(15_000);
  await runQueue(world, SESSION);
  const { paused, steps } = queueOf(it)!;
  assertEquals([steps[0]?.state, paused?.why, paused?.reason, it.told.length], [
    ...["failed", "budget", "the turn of step 1 was stopped by a limit: $2 of $1 today", 1],
  ]);
});

Deno.test("runQueue() gives nothing to a session that is gone, and leaves", async () => {
  await using session = withHome(new FakeSession());
  const { it } = session;
  it.add("step 1");
  const gone = { ...it.world(), look: () => Promise.resolve({ state: "gone" } as const) };
  await runQueue(gone, SESSION);
  assertEquals([it.taken, queueOf(it)?.steps[0]?.state], [[], "waiting"]);
});

Deno.test("runQueue() gives nothing that was dropped while it waited for the prompt", async () => {
  await using session = withHome(new FakeSession());
  const { it } = session;
  it.add("step 1");
  let looks = 0;
  const busy = {
    ...it.world(),
    look: () => {
      if (++looks === 2) changeQueue(it.paths, SESSION, () => ({ queue: undefined, value: 0 }));
      return Promise.resolve({ state: looks < 3 ? "busy" : "free" } as const);
    },
  };
  await runQueue(busy, SESSION);
  assertEquals(it.taken, []);
});

Deno.test("runQueue() pauses where several panes run Claude Code, and says so", async () => {
  await using session = withHome(new FakeSession());
  const { it } = session;
  it.add("step 1");
  const reason = "several panes of it run Claude Code (%1, %2)";
  const look = () => Promise.resolve({ state: "several", reason } as const);
  await runQueue({ ...it.world(), look }, SESSION);
  const { paused, steps } = queueOf(it)!;
  assertEquals([paused?.why, paused?.said, paused?.told], ["road", reason, true]);
  assertEquals([it.taken, steps[0]?.state, it.told.length], [[], "waiting", 1]);
});

Deno.test("runQueue() does not end a step whose turn goes on with a subagent", async () => {
  await using session = withHome(new FakeSession({ goesOn: true, companion: true }));
  const { it } = session;
  it.add("step 1", "step 2");
  const world = it.world();
  for (const minutes of [0, 1, 10, 50]) {
    await world.sleep(minutes * 60_000);
    await runQueue(world, SESSION);
    const states = queueOf(it)?.steps.map(({ state }) => state);
    assertEquals([it.taken, states], [["step 1"], ["begun", "waiting"]], `${minutes} min`);
  }
  // Nothing has come of it: its hook was killed.
  await world.sleep(3 * 3_600_000);
  await runQueue(world, SESSION);
  assertEquals(it.taken, ["step 1", "step 2"]);
});

const QUIET: [name: string, look: Omit<SessionLook, "state">, state: string][] = [
  ["an empty box", { isReady: true, draft: "" }, "failed"],
  ["a draft hides whether Claude works", { isReady: true, draft: "and then" }, "begun"],
  ["a menu, or a shell line", { isReady: false, draft: "" }, "begun"],
  ["Esc has put the prompt back", { isReady: true, draft: "step\n 1" }, "failed"],
];

for (const [name, more, state] of QUIET) {
  Deno.test(`runQueue(), a turn without a sign, the screen has ${name}: ${state}`, async () => {
    await using session = withHome(new FakeSession({ endless: true, companion: true }));
    const { it } = session;
    it.add("step 1", "step 2");
    const look = () => Promise.resolve({ state: "free", ...more } as const);
    const world = { ...it.world(), look };
    await runQueue(world, SESSION);
    await world.sleep(15_000);
    await runQueue(world, SESSION);
    assertEquals([queueOf(it)?.steps[0]?.state, it.taken], [state, ["step 1"]]);
  });
}

Deno.test("runQueue() draws no conclusion where the box was empty for a moment only", async () => {
  await using session = withHome(new FakeSession({ endless: true, companion: true }));
  const { it } = session;
  it.add("step 1");
  const first = it.world();
  await runQueue(first, SESSION);
  await first.sleep(15_000);
  let looks = 0;
  const look = () =>
    Promise.resolve({ state: ++looks === 1 ? "free" : "busy", isReady: true, draft: "" } as const);
  await runQueue({ ...it.world(), look }, SESSION);
  assertEquals([queueOf(it)?.steps[0]?.state, looks > 1], ["begun", true]);
});

Deno.test("runQueue() gives a step again that Claude Code had not written down when it was killed", async () => {
  await using session = withHome(new FakeSession({ killedWith: "step 2", toldAfterMs: 30_000 }));
  const { it } = session;
  it.add("step 1", "step 2", "step 3");
  const look = () => Promise.resolve({ state: "free", isReady: true, draft: "" } as const);
  await runQueue({ ...it.world(), look }, SESSION);
  assertEquals(it.taken, ["step 1", "step 2", "step 2", "step 3"]);
  assertEquals(it.told.map((line) => line.split(" ")[0]), ["done"]);
});

Deno.test("runQueue() gives such a step again, however long Claude Code was away", async () => {
  await using session = withHome(new FakeSession({ killedWith: "step 2", toldAfterMs: 630_000 }));
  const { it } = session;
  it.add("step 1", "step 2");
  const gone = () => Promise.resolve({ state: "gone" } as const);
  const free = () => Promise.resolve({ state: "free", isReady: true, draft: "" } as const);
  const isKilled = () => it.taken.includes("step 2");
  await runQueue({ ...it.world(), look: () => isKilled() ? gone() : free() }, SESSION);
  await it.world().sleep(600_000);
  await runQueue({ ...it.world(), look: free }, SESSION);
  assertEquals(it.taken, ["step 1", "step 2", "step 2"]);
});

type Unwritten = [name: string, draft: string, given: Simulated, end: [string, string]];
const UNSURE: [string, string] = ["unsure", "step 2: whether Claude has read it is not known"];
const ESC: [string, string] = ["failed", "the turn of step 2 was stopped (Esc)"];
const UNWRITTEN: Unwritten[] = [
  ["an empty box", "", {}, UNSURE],
  ["an empty box, beside a companion", "", { companion: true }, UNSURE],
  ["Esc has put the prompt back", "step 2", {}, ESC],
];

for (const [name, draft, given, end] of UNWRITTEN) {
  Deno.test(`runQueue(), a step that is nowhere written, the screen has ${name}: ${end[0]}`, async () => {
    await using session = withHome(new FakeSession({ ...given, killedWith: "step 2" }));
    const { it } = session;
    it.add("step 1", "step 2", "step 3");
    const look = () => Promise.resolve({ state: "free", isReady: true, draft } as const);
    await runQueue({ ...it.world(), look }, SESSION);
    const { steps, paused } = queueOf(it)!;
    assertEquals([steps[1]?.state, paused?.reason], end);
    assertEquals(it.taken, ["step 1", "step 2"]);
  });
}

Deno.test("runQueue() reports the end of a step that no hook has reported, also after a pause", async () => {
  await using session = withHome(new FakeSession({ deaf: ["stop"], companion: true }));
  const { it } = session;
  it.add("step 1", "step 2");
  const world = it.world();
  const give: RunnerWorld["give"] = async (queue, text, giver) => {
    const result = await world.give(queue, text, giver);
    updateQueue(it.paths, SESSION, (now) => pausedFor(now, "asked", "x", "", "W1", { told: true }));
    return result;
  };
  await runQueue({ ...world, give }, SESSION);
  assertEquals(queueOf(it)?.steps.map((step) => step.state), ["done", "waiting"]);
  assertEquals([it.told.length, queueOf(it)?.paused?.told], [1, true]);
});

Deno.test("runQueue() does not take the end of a later turn for that of a step which Esc has stopped", async () => {
  await using session = withHome(new FakeSession({ endless: true }));
  const { it } = session;
  it.add("step 1", "step 2");
  const world = it.world();
  const give: RunnerWorld["give"] = async (queue, text, giver) => {
    const result = await world.give(queue, text, giver);
    const timestamp = new Date(it.time).toISOString();
    const said = (content: string) => ({
      role: "user",
      content: [{ type: "text", text: content }],
    });
    const message = { id: "m", role: "assistant", stop_reason: "end_turn", content: "Well." };
    const lines = [
      { type: "user", promptId: "p1", message: said("[Request interrupted by user]") },
      { type: "user", promptId: "p9", message: said("Do something else") },
      { type: "assistant", message },
    ].map((line) => `${JSON.stringify({ ...line, timestamp })}\n`).join("");
    Deno.writeTextFileSync(`${it.home.dir}/t1.jsonl`, lines, { append: true });
    Deno.utimeSync(`${it.home.dir}/t1.jsonl`, it.time / 1000, it.time / 1000);
    return result;
  };
  const look = () => Promise.resolve({ state: "free", isReady: true, draft: "" } as const);
  await runQueue({ ...world, give, look }, SESSION);
  const { steps, paused } = queueOf(it)!;
  assertEquals([steps[0]?.state, paused?.why, it.taken], ["failed", "esc", ["step 1"]]);
});

/** `change` happens between the look at the queue and what the runner does about it. */
function changedMeanwhile(it: FakeSession, change: (queue: Queue) => Queue | undefined) {
  let isDone = false;
  const held = () => {
    if (!isDone) updateQueue(it.paths, SESSION, change);
    isDone = true;
    return undefined;
  };
  return { ...it.world(), held };
}

const stepNotes = (it: FakeSession) =>
  [...readJournal(it.paths, SESSION)].filter(({ kind }) => kind === "step")
    .map(({ status }) => status);

Deno.test("runQueue() keeps the pause of a person who types at the moment a limit ends", async () => {
  await using session = withHome(new FakeSession());
  const { it } = session;
  it.add("step 1");
  const at = new Date(it.time).toISOString();
  updateQueue(
    it.paths,
    SESSION,
    (queue) => pausedFor(queue, "limit", "a limit", at, "W1", { told: true, until: at }),
  );
  const world = changedMeanwhile(it, (queue) => pausedFor(queue, "person", "typed", at, "W2"));
  await runQueue(world, SESSION);
  assertEquals([it.taken, queueOf(it)?.paused?.why, it.told, stepNotes(it)], [
    ...[[], "person", ["paused W2"], []],
  ]);
});

Deno.test("runQueue() does not pause for the condition of a step that was dropped meanwhile", async () => {
  await using session = withHome(new FakeSession());
  const { it } = session;
  it.add("step 1", "step 2");
  updateQueue(it.paths, SESSION, (queue) => ({
    ...withStep(queue, 1, { if_last_matches: "tests pass" }),
    last: { text: "they fail", prompt_id: "p0", at: "" },
  }));
  const world = changedMeanwhile(it, (queue) => ({ ...queue, steps: queue.steps.slice(1) }));
  await runQueue(world, SESSION);
  assertEquals([it.taken, queueOf(it)?.paused?.why], [["step 2"], undefined]);
});

Deno.test("runQueue() records no pause for a condition where a person has paused the queue", async () => {
  await using session = withHome(new FakeSession());
  const { it } = session;
  it.add("step 1");
  updateQueue(it.paths, SESSION, (queue) => ({
    ...withStep(queue, 1, { if_last_matches: "tests pass" }),
    last: { text: "they fail", prompt_id: "p0", at: "" },
  }));
  const world = changedMeanwhile(it, (queue) => pausedFor(queue, "person", "typed", "", "W2"));
  await runQueue(world, SESSION);
  assertEquals([queueOf(it)?.paused?.why, stepNotes(it)], ["person", []]);
});
