import { assertEquals } from "@std/assert";
import "../lib/cli/load_guards.ts";
import {
  giveAnswer,
  type Given,
  hookWaits,
  isAnswerTaken,
  isStillOpen,
  listPending,
  noteKeys,
  openPending,
  type Pending,
  takeAnswer,
  wasShown,
  withdrawAnswer,
} from "../lib/answers.ts";
import { closePending } from "../lib/close_pending.ts";
import { waitForAnswer, type WaitWorld } from "../lib/answer_wait.ts";
import { decisionReply } from "../lib/decision_reply.ts";
import { readScreen, type Screen } from "../lib/pane.ts";
import { type Paths, pathsFrom, pendingDir } from "../lib/paths.ts";
import { SECRET, SECRET_SHA256 } from "./support/driver_context.ts";

const QUESTIONS = { questions: [{ question: "Which?", options: [{ label: "A" }] }] };

function pendingOf(id: string, more: Partial<Pending> = {}): Pending {
  return {
    id,
    kind: "question",
    session: "warden-main",
    agent_id: "warden",
    tool: "AskUserQuestion",
    tool_input: QUESTIONS,
    asked_at: "2026-01-01T00:00:00.000Z",
    until: "2026-01-01T00:10:00.000Z",
    pid: 100,
    secret_sha256: SECRET_SHA256,
    ...more,
  };
}

const GIVEN: Given = {
  by: "warden",
  via: "hook",
  at: "2026-01-01T00:00:01.000Z",
  decision: { kind: "answers", answers: { "Which?": "A" }, annotations: {} },
  secret: SECRET,
};

async function withPaths(work: (paths: Paths) => unknown): Promise<void> {
  const dir = Deno.makeTempDirSync({ prefix: "gsd-answers-" });
  try {
    await work(pathsFrom((name) => name === "GSD_STATE_DIR" ? dir : undefined, "/"));
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test("takeAnswer() gives an answer to one taker only", () =>
  withPaths((paths) => {
    const pending = pendingOf("q-1");
    openPending(paths, pending);
    assertEquals(takeAnswer(paths, pending), undefined);
    giveAnswer(paths, pending, GIVEN);
    assertEquals(isAnswerTaken(paths, pending), false);
    assertEquals(takeAnswer(paths, pending), GIVEN);
    assertEquals(takeAnswer(paths, pending), undefined);
    assertEquals(isAnswerTaken(paths, pending), true);
    assertEquals(withdrawAnswer(paths, pending), false);
  }));

Deno.test("withdrawAnswer() takes back what no hook has taken", () =>
  withPaths((paths) => {
    const pending = pendingOf("q-1");
    openPending(paths, pending);
    giveAnswer(paths, pending, GIVEN);
    assertEquals(withdrawAnswer(paths, pending), true);
    assertEquals(takeAnswer(paths, pending), undefined);
  }));

Deno.test("openPending() forgets the answer to an earlier asking of the same question", () =>
  withPaths((paths) => {
    openPending(paths, pendingOf("q-1"));
    giveAnswer(paths, pendingOf("q-1"), GIVEN);
    const again = pendingOf("q-1", { pid: 200 });
    openPending(paths, again);
    assertEquals(takeAnswer(paths, again), undefined);
    assertEquals(isStillOpen(paths, pendingOf("q-1")), false);
    assertEquals(isStillOpen(paths, again), true);
  }));

Deno.test("closePending() says who settled a question", () =>
  withPaths((paths) => {
    const settle = (act: (pending: Pending) => void, answers?: Record<string, string>) => {
      const pending = pendingOf("q-1");
      openPending(paths, pending);
      act(pending);
      const { pending: asked, ...closed } = closePending(paths, "warden-main", {
        id: "q-1",
        answers,
      })[0]!;
      assertEquals(asked?.asked_at, pending.asked_at);
      return closed;
    };
    const take = (pending: Pending) => {
      giveAnswer(paths, pending, GIVEN);
      takeAnswer(paths, pending);
    };
    const human = { id: "q-1", by: "human" } as const;
    assertEquals(settle(() => {}), human);
    assertEquals(settle(take), { id: "q-1", by: "hook", who: "warden" });
    assertEquals(settle(take, { "Which?": "A" }), { id: "q-1", by: "hook", who: "warden" });
    assertEquals(settle(take, { "Which?": "B" }), human);
    assertEquals(settle((pending) => giveAnswer(paths, pending, GIVEN)), human);
    assertEquals(
      settle((pending) => noteKeys(paths, pending, { ...GIVEN, via: "keys" }), { "Which?": '"A"' }),
      { id: "q-1", by: "keys", who: "warden" },
    );
  }));

Deno.test("closePending() closes those of a kind, or all with what is left of them", () =>
  withPaths((paths) => {
    const open = () => {
      openPending(paths, pendingOf("q-1"));
      openPending(paths, pendingOf("q-2", { asked_at: "2026-01-01T00:00:01.000Z" }));
      openPending(paths, pendingOf("p-1", { kind: "permission", asked_at: "2026-01-02" }));
    };
    const ids = () => listPending(paths, "warden-main").map((pending) => pending.id);
    open();
    closePending(paths, "warden-main", { kind: "question", but: { id: "q-2" } });
    assertEquals(ids(), ["q-2", "p-1"]);
    Deno.writeTextFileSync(`${pendingDir(paths, "warden-main")}/broken.json`, "{");
    assertEquals(ids(), ["q-2", "p-1"]);
    closePending(paths, "warden-main");
    assertEquals(Array.from(Deno.readDirSync(`${paths.state}/pending`)), []);
    assertEquals(closePending(paths, "nobody"), []);
  }));

Deno.test("closePending() leaves another Claude's questions alone while somebody waits for them", () =>
  withPaths((paths) => {
    const until = new Date(Date.now() + 60_000).toISOString();
    const open = (id: string, more: Partial<Pending>) =>
      openPending(paths, pendingOf(id, { until, ...more }));
    open("q-own", { claude_session_id: "own" });
    open("q-other", { claude_session_id: "other" });
    open("q-late", { claude_session_id: "other", until: "2026-01-01T00:10:00.000Z" });
    open("q-unnamed", {});
    closePending(paths, "warden-main", { claude: "own" });
    assertEquals(listPending(paths, "warden-main").map(({ id }) => id), ["q-other"]);
    closePending(paths, "warden-main", { claude: "" });
    assertEquals(Array.from(Deno.readDirSync(`${paths.state}/pending`)), []);
  }));

Deno.test("closePending() finds a Claude's own among very many, and in time all that is late", () =>
  withPaths((paths) => {
    const until = new Date(Date.now() + 60_000).toISOString();
    const open = (id: string, more: Partial<Pending>) =>
      openPending(paths, pendingOf(id, { until, ...more }));
    const count = () => listPending(paths, "warden-main").length;
    for (let at = 0; at < 100; at++) open(`p-${at}`, { claude_session_id: "other" });
    open("q-1", { claude_session_id: "own" });
    open("q-2/odd name", { claude_session_id: "own" });
    const closed = closePending(paths, "warden-main", { claude: "own" });
    assertEquals(closed.map(({ id }) => id).sort(), ["q-1", "q-2/odd name"]);
    assertEquals(count(), 100);

    const late = "2026-01-01T00:10:00.000Z";
    for (let at = 0; at < 100; at++) open(`p-${at}`, { claude_session_id: "other", until: late });
    for (let left = 90; left >= 10; left -= 10) {
      closePending(paths, "warden-main", { claude: "own" });
      assertEquals(count(), left, "a hook reads only some of them");
    }
    closePending(paths, "warden-main", { claude: "own" });
    assertEquals(Array.from(Deno.readDirSync(`${paths.state}/pending`)), []);
  }));

Deno.test("closePending() keeps the list of a Claude that closes only some of its own", () =>
  withPaths((paths) => {
    const more = { until: new Date(Date.now() + 60_000).toISOString(), claude_session_id: "own" };
    for (let at = 0; at < 30; at++) {
      openPending(paths, pendingOf(`p-${at}`, { ...more, claude_session_id: "other" }));
    }
    openPending(paths, pendingOf("q-1", more));
    openPending(paths, pendingOf("q-2", more));
    const kind = { kind: "question", but: { id: "q-2" }, claude: "own" } as const;
    assertEquals(closePending(paths, "warden-main", kind).map(({ id }) => id), ["q-1"]);
    assertEquals(
      closePending(paths, "warden-main", { claude: "own" }).map(({ id }) => id),
      ["q-2"],
    );
  }));

Deno.test("hookWaits() knows an expired question and one whose hook has died", () => {
  const pending = pendingOf("q-1");
  const inTime = Date.parse("2026-01-01T00:05:00.000Z");
  assertEquals(hookWaits(pending, inTime, () => true), true);
  assertEquals(hookWaits(pending, inTime, () => false), false);
  assertEquals(hookWaits(pending, Date.parse(pending.until), () => true), false);
});

/** A world in which something happens after so many sleeps. */
function worldWith(events: Record<number, () => void>, more: Partial<WaitWorld> = {}): WaitWorld {
  let now = Date.parse("2026-01-01T00:00:00.000Z");
  let sleeps = 0;
  const working = readScreen(
    ["─".repeat(40), "❯ ", "─".repeat(40), "  ? for shortcuts"].join("\n"),
  );
  return {
    now: () => now,
    sleep: (ms) => {
      now += ms;
      events[++sleeps]?.();
    },
    parent: () => 7,
    look: () => Promise.resolve({ ...working, state: "unknown" }),
    isOurs: () => false,
    refused: () => {},
    ...more,
  };
}

Deno.test("waitForAnswer() ends with the answer, the closing, Claude Code, the dialog or the time", () =>
  withPaths(async (paths) => {
    const pending = pendingOf("q-1");
    const wait = (world: WaitWorld) => {
      openPending(paths, pending);
      return waitForAnswer(paths, pending, world);
    };
    assertEquals(await wait(worldWith({ 3: () => giveAnswer(paths, pending, GIVEN) })), {
      kind: "answered",
      given: GIVEN,
    });
    assertEquals(
      await wait(worldWith({ 3: () => closePending(paths, "warden-main") })),
      { kind: "settled" },
    );
    let parent = 7;
    const orphan = worldWith({ 3: () => parent = 1 }, { parent: () => parent });
    assertEquals(await wait(orphan), { kind: "claude gone" });
    const idle = readScreen(["─".repeat(40), "❯ ", "─".repeat(40), "  ? for shortcuts"].join("\n"));
    const asking = { ...idle, state: "menu", dialog: { kind: "question" } } as Screen;
    const screens = [asking, idle, idle];
    const gone = worldWith({}, {
      look: () => Promise.resolve(screens.shift()!),
      isOurs: () => true,
    });
    assertEquals([await wait(gone), screens], [{ kind: "dialog gone" }, []]);
    // Behind another it waits; once it was on the screen, another in its place means it is settled.
    const other = { ...idle, state: "permission_prompt", dialog: { kind: "permission" } } as Screen;
    const behind = worldWith({}, { look: () => Promise.resolve(other) });
    assertEquals(await wait(behind), { kind: "timeout" });
    let shown = 0;
    const passed = worldWith({}, {
      look: () => Promise.resolve(other),
      isOurs: () => shown++ === 0,
    });
    assertEquals(await wait(passed), { kind: "dialog gone" });
    assertEquals(await wait(worldWith({})), { kind: "timeout" });
  }));

Deno.test("waitForAnswer() does not take a dialog for gone that it never saw", () =>
  withPaths(async (paths) => {
    const idle = readScreen(["─".repeat(40), "❯ ", "─".repeat(40), "  ? for shortcuts"].join("\n"));
    const held = { look: () => Promise.resolve(idle) };
    const wait = (pending: Pending, world: WaitWorld) => {
      openPending(paths, pending);
      return waitForAnswer(paths, pending, world);
    };
    // Claude Code holds it back while a person types.
    const own = pendingOf("p-1", { kind: "permission" });
    assertEquals(await wait(own, worldWith({}, held)), { kind: "timeout" });
    assertEquals(wasShown(paths, own), false);
    // That of a background subagent comes when its hooks have left: a person has to see it.
    const subagent = pendingOf("p-2", { kind: "permission", subagent: "a7117d85637ad6a75" });
    const world = worldWith({}, held);
    const began = world.now();
    assertEquals(await wait(subagent, world), { kind: "not shown yet" });
    const waited = world.now() - began;
    assertEquals(waited >= 60_000 && waited < 63_000, true, `${waited} ms`);
    // The subagent of 2.1.197 has its dialog at once.
    const asking = { ...idle, state: "permission_prompt", dialog: {} } as Screen;
    const shown = { look: () => Promise.resolve(asking) };
    const seen = worldWith({}, { ...shown, isOurs: () => true });
    assertEquals(await wait(subagent, seen), { kind: "timeout" });
    assertEquals(wasShown(paths, subagent), true);
    closePending(paths, "warden-main", { id: "p-2" });
    assertEquals(wasShown(paths, subagent), false);
  }));

Deno.test("waitForAnswer() takes no answer for a dialog that has closed", () =>
  withPaths(async (paths) => {
    const idle = readScreen(["─".repeat(40), "❯ ", "─".repeat(40), "  ? for shortcuts"].join("\n"));
    const asking = { ...idle, state: "menu", dialog: { kind: "question" } } as Screen;
    const pending = pendingOf("q-1");
    const wait = (screens: Screen[]) => {
      openPending(paths, pending);
      const give = () => giveAnswer(paths, pending, GIVEN);
      const look = () => Promise.resolve(screens.length > 1 ? screens.shift()! : screens[0]!);
      return waitForAnswer(paths, pending, worldWith({ 3: give }, { look, isOurs: () => true }));
    };
    assertEquals(await wait([asking, idle]), { kind: "too late" });
    assertEquals(isAnswerTaken(paths, pending), false);
    // Between two dialogs the prompt may show for an instant.
    assertEquals((await wait([asking, idle, asking])).kind, "answered");
    assertEquals((await wait([asking])).kind, "answered");
  }));

Deno.test("closePending() leaves open what subagents ask that outlive the turn", () =>
  withPaths((paths) => {
    const ids = () => listPending(paths, "warden-main").map(({ id }) => id);
    openPending(paths, pendingOf("p-1", { claude_session_id: "own" }));
    openPending(paths, pendingOf("p-2", { claude_session_id: "own", subagent: "a7117d" }));
    closePending(paths, "warden-main", { claude: "own", keepSubagents: true });
    assertEquals(ids(), ["p-2"]);
    closePending(paths, "warden-main", { claude: "own", keepSubagents: false });
    assertEquals(ids(), []);
  }));

Deno.test("decisionReply() repeats the input and never allows a question without answers", () => {
  const decisionIn = (text: string | undefined) =>
    text === undefined ? undefined : JSON.parse(text).hookSpecificOutput;
  assertEquals(decisionIn(decisionReply("question", QUESTIONS, GIVEN.decision)), {
    hookEventName: "PermissionRequest",
    decision: {
      behavior: "allow",
      updatedInput: { ...QUESTIONS, answers: { "Which?": "A" }, annotations: {} },
    },
  });
  assertEquals(decisionReply("question", QUESTIONS, { kind: "allow" }), undefined);
  const empty = { kind: "answers", answers: {}, annotations: {} } as const;
  assertEquals(decisionReply("question", QUESTIONS, empty), undefined);
  assertEquals(decisionReply("permission", {}, GIVEN.decision), undefined);
  assertEquals(
    decisionIn(decisionReply("permission", { command: "ls" }, { kind: "allow" })).decision,
    { behavior: "allow", updatedInput: { command: "ls" } },
  );
  assertEquals(
    decisionIn(decisionReply("plan", {}, { kind: "deny", message: "First B" })).decision,
    { behavior: "deny", message: "First B" },
  );
});
