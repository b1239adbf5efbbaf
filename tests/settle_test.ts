import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  dropTaken,
  type GivenDecision,
  isAnswerTaken,
  listPending,
  noteShown,
  openPending,
  type Pending,
  takeAnswer,
} from "../lib/answers.ts";
import { closePending, QUICKER } from "../lib/close_pending.ts";
import type { DriverContext } from "../lib/driver/driver_context.ts";
import type { Goal } from "../lib/driver/keys.ts";
import { byKeys, settle } from "../lib/driver/settle.ts";
import { record } from "../lib/journal.ts";
import { readQuestions } from "../lib/questions.ts";
import { changeMemory } from "../lib/session_memory.ts";
import { markOf } from "../lib/shown.ts";
import { driverContext, pendingFor, SECRET } from "./support/driver_context.ts";
import { FakePane } from "./support/fake_pane.ts";
import { fixturePane, fixtureRequest } from "./support/fixtures.ts";
import { TestHome } from "./support/home.ts";

const IDLE = fixturePane("04-idle-default-mode");
const ASKED = fixturePane("10-ask-single");
const PERMISSION = fixturePane("30-permission-bash");
const PLAN = fixturePane("33-plan-approval");

/** A hook has this long to take an answer; then its dialog has this long to close. */
const [TAKEN, GONE] = [3000, 4000];

const SQLITE: GivenDecision = {
  kind: "answers",
  answers: { "Which database should we use?": "SQLite" },
  annotations: {},
};

const ASK = fixtureRequest("permission_request-ask-single");
const BASH = fixtureRequest("permission_request-bash");
const EXIT_PLAN = fixtureRequest("permission_request-exit-plan-mode");

const ANSWER: Goal = {
  kind: "answer",
  questions: readQuestions(ASK.tool_input),
  choices: [{ options: [2] }],
};

interface Settling {
  home: TestHome;
  pane: FakePane;
  context: DriverContext;
  /** Answers the question on the first screen with SQLite. */
  answer(pending?: Pending): ReturnType<typeof settle>;
}

async function whileAsked(
  shows: (sent: string, ms: number) => string,
  test: (settling: Settling) => Promise<void>,
  more: Partial<DriverContext> = {},
): Promise<void> {
  await using home = new TestHome();
  const pane = new FakePane(shows);
  const context = driverContext(pane, { paths: home.paths, isWaiting: () => true, ...more });
  await test({
    home,
    pane,
    context,
    answer: async (pending) =>
      await settle(context, {
        pending,
        screen: await pane.look(),
        decision: SQLITE,
        goal: ANSWER,
        said: "Answered SQLite",
      }),
  });
}

function question(home: TestHome, more: Partial<Pending> = {}): Pending {
  const pending = pendingFor("question", ASK, more);
  openPending(home.paths, pending);
  return pending;
}

Deno.test("settle() hands an answer to the waiting hook, and presses no key", () => {
  let isGone = false;
  return whileAsked(() => isGone ? IDLE : ASKED, async ({ home, pane, answer }) => {
    const pending = question(home);
    pane.clock.at(100, () => {
      assertEquals(takeAnswer(home.paths, pending), {
        by: "warden",
        by_kind: "agent",
        caller: "openclaw > menu-driver",
        via: "hook",
        at: "2026-11-16T10:00:00.000Z",
        decision: SQLITE,
        secret: SECRET,
      });
      journalAnswer(home, "hook", LATER);
    });
    pane.clock.at(1000, () => {
      isGone = true;
      closePending(home.paths, "warden-main", { id: "q-1" });
    });
    const said = "Answered SQLite (through the waiting hook)";
    assertEquals(await answer(pending), { kind: "done", said, via: "hook", isAnswer: true });
    assertEquals([pane.sent, pane.clock.now()], [[], 1020]);
  });
});

Deno.test("settle() presses keys where a hook waits whose secret the caller does not have", () =>
  whileAsked((sent) => sent === "" ? ASKED : IDLE, async ({ home, pane, answer }) => {
    const pending = question(home);
    const said = "Answered SQLite (with keys)";
    assertEquals(await answer(pending), { kind: "done", said, via: "keys", isAnswer: true });
    assertEquals(pane.sent, ["2"]);
    assertEquals(takeAnswer(home.paths, pending), undefined);
  }, { opens: () => false }));

Deno.test("settle() says what only the hook can do, and what that takes", () =>
  whileAsked(() => ASKED, async ({ home, pane, context }) => {
    const goal: Goal = { ...ANSWER, choices: [{ options: [], text: "two\nlines" }] } as Goal;
    const wanted = { pending: question(home), screen: await pane.look(), decision: SQLITE, goal };
    assertEquals(await settle(context, { ...wanted, said: "" }), {
      kind: "refused",
      reason: "with keys an answer can have one line only; its hook can: use the --question of " +
        "its wake, secret included",
    });
  }, { opens: () => false }));

Deno.test("settle() presses keys when another's answer took the place of its own", () =>
  whileAsked((sent) => sent === "" ? ASKED : IDLE, async ({ home, pane, answer }) => {
    const pending = question(home);
    pane.clock.at(100, () => {
      takeAnswer(home.paths, pending);
      dropTaken(home.paths, pending);
    });
    // Between the two the driver does not look: a refused answer is gone at once.
    assertEquals((await answer(pending)).kind, "done");
    assertEquals(pane.sent, ["2"]);
  }));

Deno.test("byKeys() closes a permission that it has decided", () =>
  whileAsked((sent) => sent === "" ? PERMISSION : IDLE, async ({ home, pane, context }) => {
    const pending = pendingFor("permission", BASH);
    openPending(home.paths, pending);
    const screen = await pane.look();
    const goal: Goal = { kind: "allow", mark: markOf(screen.dialog!) };
    await byKeys(context, { pending, screen, decision: { kind: "allow" }, goal, said: "Yes" });
    assertEquals([pane.sent, listPending(home.paths, "warden-main")], [["1"], []]);
  }));

Deno.test("settle() --dry-run says which way the answer would go, and gives none", async () => {
  const dryRun = { dryRun: true };
  await whileAsked(() => ASKED, async ({ home, answer }) => {
    const pending = question(home);
    const said = "Would go through the waiting hook: Answered SQLite";
    assertEquals(await answer(pending), { kind: "done", said });
    assertEquals(takeAnswer(home.paths, pending), undefined);
  }, dryRun);
  await whileAsked(() => ASKED, async ({ pane, answer }) => {
    assertEquals(await answer(), { kind: "done", said: "Would press keys: Answered SQLite" });
    assertEquals(pane.sent, []);
  }, dryRun);
});

Deno.test("settle() claims no answer that a person gave meanwhile", () =>
  whileAsked(() => ASKED, async ({ home, pane, answer }) => {
    const pending = question(home);
    // An answer with keys, and one to an earlier asking, are not ours.
    journalAnswer(home, "keys", "2026-11-16T10:00:01Z");
    journalAnswer(home, "hook", "2026-11-16T09:00:00Z");
    pane.clock.at(100, () => closePending(home.paths, "warden-main", { id: "q-1" }));
    assertEquals(await answer(pending), { kind: "refused", reason: ANSWERED });
    assertEquals(pane.sent, []);
  }));

Deno.test("settle() leaves no answer behind where the question is closed already", () =>
  whileAsked(() => ASKED, async ({ home, answer }) => {
    const pending = pendingFor("question", ASK);
    assertEquals(await answer(pending), { kind: "refused", reason: ANSWERED });
    assertEquals(takeAnswer(home.paths, pending), undefined);
  }));

const ANSWERED = "it was answered by another in the meantime";

const LATER = "2026-11-16T10:00:01Z";

function journalAnswer(home: TestHome, via: "hook" | "keys", at: string, id = "q-1"): void {
  const about = { session: "warden-main", agent_id: "warden", question_id: id };
  record(home.paths, { kind: "answered", ...about, via }, new Date(at));
}

/** The hook takes the answer, and Claude Code reports it. */
function takeAndReport(home: TestHome, pending: Pending): void {
  takeAnswer(home.paths, pending);
  journalAnswer(home, "hook", LATER, pending.id);
  closePending(home.paths, "warden-main", { id: pending.id });
}

Deno.test("settle() knows by the journal an answer that was taken and closed between two looks", () =>
  whileAsked((_, ms) => ms < 100 ? ASKED : IDLE, async ({ home, pane, answer }) => {
    const pending = question(home);
    pane.clock.at(100, () => takeAndReport(home, pending));
    const { kind } = await answer(pending);
    assertEquals([kind, pane.sent], ["done", []]);
  }));

Deno.test("settle() presses keys when the hook takes no answer in three seconds", () =>
  whileAsked((sent) => sent === "" ? ASKED : IDLE, async ({ home, pane, answer }) => {
    const pending = question(home);
    const said = "Answered SQLite (with keys)";
    pane.clock.at(TAKEN + 320, () => closePending(home.paths, "warden-main", { id: "q-1" }));
    assertEquals(await answer(pending), { kind: "done", said, via: "keys", isAnswer: true });
    assertEquals(takeAnswer(home.paths, pending), undefined, "the hook must not find it later");
    assertEquals(pane.sent, ["2"]);
    assertEquals(pane.clock.now(), TAKEN + 300 + 40);
  }));

Deno.test("settle() presses no key when the hook takes the answer at the last moment", () =>
  whileAsked(() => IDLE, async ({ home, pane, answer }) => {
    const pending = question(home);
    pane.clock.at(TAKEN, () => takeAnswer(home.paths, pending));
    const { kind } = await answer(pending);
    assertEquals([kind, pane.sent], ["done", []]);
  }));

Deno.test("settle() says when the question was not on the screen", () =>
  whileAsked((_, ms) => ms < 20 ? IDLE : ASKED, async ({ home, pane, answer }) => {
    const pending = question(home);
    noteShown(home.paths, pending);
    pane.clock.at(20, () => takeAndReport(home, pending));
    const result = await answer(pending);
    assertStringIncludes(
      JSON.stringify(result),
      "through the waiting hook; it was not found on the screen, and may have been answered before",
    );
    assertEquals(pane.clock.now(), 20);
  }));

Deno.test("settle() says when the dialog is still to come", () =>
  whileAsked(() => IDLE, async ({ home, pane, answer }) => {
    const pending = question(home);
    pane.clock.at(20, () => takeAndReport(home, pending));
    const said =
      "Answered SQLite (through the waiting hook; its dialog was not seen on the screen so far)";
    assertEquals(await answer(pending), { kind: "done", said, via: "hook", isAnswer: true });
  }));

Deno.test("settle() claims no answer that came after a person's", async () => {
  const quicker = { kind: "refused", reason: QUICKER } as const;
  const theirs = { id: "q-1", answers: { "Which database should we use?": "MongoDB" } };
  // The hook has seen that the dialog was closed.
  await whileAsked((_, ms) => ms < 100 ? ASKED : IDLE, async ({ home, pane, answer }) => {
    const pending = question(home);
    pane.clock.at(100, () => {
      takeAnswer(home.paths, pending);
      dropTaken(home.paths, pending);
      const about = { session: "warden-main", question_id: "q-1", reason: "too late" };
      record(home.paths, { kind: "answered", ...about }, new Date(LATER));
    });
    assertEquals(await answer(pending), { kind: "refused", reason: ANSWERED });
  });
  // It has not; then Claude Code reports another answer.
  await whileAsked((_, ms) => ms < 100 ? ASKED : IDLE, async ({ home, pane, answer }) => {
    const pending = question(home);
    pane.clock.at(100, () => {
      takeAnswer(home.paths, pending);
      journalAnswer(home, "hook", LATER);
    });
    pane.clock.at(300, () => closePending(home.paths, "warden-main", theirs));
    assertEquals(await answer(pending), quicker);
  });
  // The person's key was before ours.
  await whileAsked((sent) => sent === "" ? ASKED : IDLE, async ({ home, pane, answer }) => {
    const pending = question(home);
    pane.clock.at(1000, () => closePending(home.paths, "warden-main", theirs));
    assertEquals(await answer(pending), quicker);
  }, { opens: () => false });
});

Deno.test("settle() says that an answer was not reported", () =>
  whileAsked((_, ms) => ms < 100 ? ASKED : IDLE, async ({ home, pane, answer }) => {
    const pending = question(home);
    pane.clock.at(100, () => {
      takeAnswer(home.paths, pending);
      journalAnswer(home, "hook", LATER);
    });
    const said = "Answered SQLite (through the waiting hook; Claude Code has not reported it yet)";
    assertEquals(await answer(pending), { kind: "done", said, via: "hook", isAnswer: true });
  }));

Deno.test("settle() says when a dialog that looks the same stays on the screen", () =>
  whileAsked(() => ASKED, async ({ home, pane, answer }) => {
    const pending = question(home);
    pane.clock.at(20, () => takeAndReport(home, pending));
    const result = await answer(pending);
    assertStringIncludes(
      JSON.stringify(result),
      "(through the waiting hook; one that looks the same is on the screen now: look)",
    );
    assertEquals(pane.clock.now(), 20 + GONE);
  }));

Deno.test("settle() names what else waits, and waits for no screen then", () =>
  whileAsked(() => ASKED, async ({ home, pane, answer }) => {
    const pending = question(home);
    openPending(home.paths, pendingFor("permission", BASH));
    pane.clock.at(20, () => takeAndReport(home, pending));
    assertStringIncludes(JSON.stringify(await answer(pending)), "still open: p-1)");
    assertEquals(pane.clock.now(), 20);
  }));

/** Allows the request on the first screen, which a hook takes after 20 ms. */
async function allow({ home, pane, context }: Settling, pending: Pending) {
  pane.clock.at(20, () => takeAndReport(home, pending));
  const screen = await pane.look();
  const goal: Goal = { kind: "allow", mark: markOf(screen.dialog!) };
  return await settle(context, { pending, screen, decision: { kind: "allow" }, goal, said: "Yes" });
}

Deno.test("settle() takes the next of several requests for the same thing for another one", () => {
  const count = (n: number) => PERMISSION.replace("Bash command", `Bash command ${n} of 2`);
  return whileAsked((_, ms) => ms < 500 ? count(1) : count(2), async (settling) => {
    const pending = pendingFor("permission", BASH);
    openPending(settling.home.paths, pending);
    const said = "Yes (through the waiting hook)";
    assertEquals(await allow(settling, pending), {
      kind: "done",
      said,
      via: "hook",
      isAnswer: true,
    });
    assertEquals(settling.pane.clock.now(), 20 + 480);
  });
});

Deno.test("settle() says when Claude stands still after a decision, as after a person's No", async () => {
  const said =
    "Yes (through the waiting hook; but Claude is idle: a person may have decided first, look)";
  const outcome = async (after: string) => {
    let result: unknown;
    await whileAsked((_, ms) => ms < 20 ? PERMISSION : after, async (settling) => {
      const pending = pendingFor("permission", BASH);
      openPending(settling.home.paths, pending);
      result = await allow(settling, pending);
    });
    return result;
  };
  assertEquals(await outcome(IDLE), { kind: "done", said, via: "hook", isAnswer: true });
  const works = {
    kind: "done",
    said: "Yes (through the waiting hook)",
    via: "hook",
    isAnswer: true,
  };
  assertEquals(await outcome(fixturePane("02-working")), works);
});

Deno.test("settle() takes a plan on the screen for the later one, where one was asked later", () =>
  whileAsked(() => PLAN, async (settling) => {
    const pending = pendingFor("plan", EXIT_PLAN);
    openPending(settling.home.paths, pending);
    noteShown(settling.home.paths, pending);
    const later = { id: "p-2", asked_at: "2026-11-16T09:59:30.000Z" };
    openPending(settling.home.paths, pendingFor("plan", EXIT_PLAN, later));
    const said =
      "Yes (through the waiting hook; it was not found on the screen, and may have been " +
      "answered before; still open: p-2)";
    assertEquals(await allow(settling, pending), {
      kind: "done",
      said,
      via: "hook",
      isAnswer: true,
    });
  }));

Deno.test("settle() takes a plan on the screen for its own, where another was asked earlier", () =>
  whileAsked(() => PLAN, async (settling) => {
    const pending = pendingFor("plan", EXIT_PLAN);
    openPending(settling.home.paths, pending);
    const earlier = { id: "p-0", asked_at: "2026-11-16T09:58:00.000Z" };
    openPending(settling.home.paths, pendingFor("plan", EXIT_PLAN, earlier));
    const said = "Yes (through the waiting hook; still open: p-0)";
    assertEquals(await allow(settling, pending), {
      kind: "done",
      said,
      via: "hook",
      isAnswer: true,
    });
  }));

Deno.test("byKeys() refuses what keys cannot do, before it presses one", () =>
  whileAsked(() => ASKED, async ({ pane, context }) => {
    const goal: Goal = { ...ANSWER, choices: [{ options: [2], notes: "why" }] } as Goal;
    const screen = await pane.look();
    const reason = "no hook is waiting for it, and with keys no notes can be given";
    const wanted = { screen, decision: SQLITE, goal, said: "" };
    assertEquals(await byKeys(context, wanted), { kind: "refused", reason });
    assertEquals(pane.sent, []);
  }));

Deno.test("byKeys() journals who answered what with keys", () =>
  whileAsked((sent) => sent === "" ? ASKED : IDLE, async ({ home, answer }) => {
    const pending = question(home);
    assertEquals((await answer(pending)).kind, "done");
    assertEquals(isAnswerTaken(home.paths, pending), true);
    const { at: _, asked, ...entry } = home.journal()[0]!;
    assertStringIncludes(asked as string, "Which database should we use?");
    assertEquals(entry, {
      kind: "answered",
      session: "warden-main",
      agent_id: "warden",
      wake_id: "wake-1",
      question_id: "q-1",
      tool: "AskUserQuestion",
      outcome: "given",
      after_ms: 60_000,
      by: "warden",
      by_kind: "agent",
      caller: "openclaw > menu-driver",
      via: "keys",
      decision: SQLITE,
    });
  }, { isWaiting: () => false }));

Deno.test("byKeys() journals nothing, and names the screen, when a key does nothing", () =>
  whileAsked(() => ASKED, async ({ home, answer }) => {
    const result = await answer();
    assertEquals(result.kind, "refused");
    assertStringIncludes(JSON.stringify(result), "changed nothing on the screen");
    assertStringIncludes(JSON.stringify(result), "; the present state is menu (question: Which");
    assertEquals(home.journal(), []);
  }));

Deno.test("byKeys() notes its answer under the id of the wake where no hook has the question", async () => {
  const remember = (home: TestHome, id: string) =>
    changeMemory(home.paths, "warden-main", (memory) => ({
      memory: { ...memory, open: { id } as never },
      value: undefined,
    }));
  const shows = (sent: string) => sent === "" ? ASKED : IDLE;
  const noted = (home: TestHome, id: string) =>
    closePending(home.paths, "warden-main", { id }).map((one) => one.by);
  await whileAsked(shows, async ({ home, answer }) => {
    remember(home, "q-7");
    await answer();
    assertEquals(noted(home, "q-7"), ["keys"]);
  });
  // A permission's wake is none of a question.
  await whileAsked(shows, async ({ home, answer }) => {
    remember(home, "p-7");
    await answer();
    assertEquals(noted(home, "p-7"), []);
  });
  // A hook has it: the dialog on the screen is another one.
  await whileAsked(shows, async ({ home, answer }) => {
    remember(home, "q-1");
    question(home);
    await answer();
    assertEquals(noted(home, "q-1"), ["human"]);
  });
});
