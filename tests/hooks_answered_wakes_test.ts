/** `answered_wakes`: which answers to a question wake the agent. Real hooks, by both roads. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  giveAnswer,
  type Given,
  noteKeys,
  openPending,
  type Pending,
  takeAnswer,
} from "../lib/answers.ts";
import { type Paths } from "../lib/paths.ts";
import { readQuestions } from "../lib/questions.ts";
import { readAnswers } from "../lib/question_answers.ts";
import { readMemory } from "../lib/session_memory.ts";
import { fixtureEvent } from "./support/fixtures.ts";
import { HookWorld, section, WARDEN } from "./support/hook_world.ts";

const ASKED = fixtureEvent("pre_tool_use-ask-single");
const ANSWERED = fixtureEvent("post_tool_use-ask-single");
const QUESTIONS = readQuestions(ASKED.tool_input);
const ANSWERS = Object.fromEntries(
  readAnswers(ANSWERED).map(({ question, answer }) => [question, answer]),
);
/** As the hook beside the dialog opens it, under the id of the wake. */
const pendingOf = (id: string): Pending => ({
  id,
  kind: "question",
  session: "warden-main",
  agent_id: "warden",
  tool: "AskUserQuestion",
  tool_input: ASKED.tool_input as Record<string, unknown>,
  asked_at: "2026-01-01T00:00:00.000Z",
  until: "2026-01-01T00:10:00.000Z",
  pid: 100,
  secret_sha256: "",
});

function given(via: Given["via"], by = "warden", answers = ANSWERS): Given {
  return { by, via, at: "now", decision: { kind: "answers", answers, annotations: {} } };
}

/** Who answers, in the files that the menu driver and the hook beside the dialog leave. */
const ANSWERING: Record<string, (paths: Paths, pending: Pending) => void> = {
  "human": (paths, pending) => openPending(paths, pending),
  "human, without a hook beside the dialog": () => {},
  "human, before the agent's keys": (paths, pending) => {
    openPending(paths, pending);
    noteKeys(paths, pending, given("keys", "warden", { [QUESTIONS[0]!.question]: "Another" }));
  },
  "hook alice": (paths, pending) => {
    openPending(paths, pending);
    giveAnswer(paths, pending, given("hook", "alice"));
    takeAnswer(paths, pending);
  },
  "hook warden": (paths, pending) => {
    openPending(paths, pending);
    giveAnswer(paths, pending, given("hook"));
    takeAnswer(paths, pending);
  },
  "keys warden": (paths, pending) => {
    openPending(paths, pending);
    noteKeys(paths, pending, given("keys"));
  },
  "keys warden, without a hook beside the dialog": (paths, pending) =>
    noteKeys(paths, pending, given("keys")),
  "keys warden, of a question that the screen shows in part": (paths, pending) => {
    const [question, answer] = Object.entries(ANSWERS)[0]!;
    noteKeys(paths, pending, given("keys", "warden", { [question.slice(6)]: answer }));
  },
};

for (const wanted of [undefined, "always", "others", "never"]) {
  Deno.test(`answered_wakes ${wanted ?? "by default"} decides who wakes the agent`, async () => {
    await using world = await HookWorld.create();
    for (const [title, answer] of Object.entries(ANSWERING)) {
      await world.writeRegistry({
        hook_settings: wanted === undefined ? {} : { answered_wakes: wanted },
        agents: [WARDEN],
      });
      for (const name of ["outbox", "journal", "sessions", "pending"]) {
        await Deno.remove(`${world.dir}/state/${name}`, { recursive: true }).catch(() => {});
      }
      await world.hook("pre_tool_use.ts", ASKED);
      answer(world.paths, pendingOf(readMemory(world.paths, "warden-main").open!.id));
      const result = await world.hook("post_tool_use.ts", ANSWERED);
      assertEquals([result.code, result.stdout, result.stderr], [0, "", ""]);
      const [who] = title.split(",");
      const isOwn = who!.endsWith("warden");
      const told = world.wakes().slice(1);
      const isTold = wanted !== "never" && !(wanted === "others" && isOwn);
      assertEquals(told.length, isTold ? 1 : 0, title);
      if (isTold) {
        assertStringIncludes(section(told[0]!, "TRIGGER"), `answered_by: ${who}`, title);
      } else {
        const { kind, trigger, reason } = world.journal().at(-1)!;
        assertEquals([kind, trigger], ["suppressed", "ask_user_question_answered"], title);
        assertStringIncludes(String(reason), `answered_wakes is "${wanted}"`);
      }
      assertEquals(readMemory(world.paths, "warden-main").open, undefined, title);
    }
  });
}

Deno.test("answered_wakes of the agent goes before that of all", async () => {
  await using world = await HookWorld.create({
    registry: {
      hook_settings: { answered_wakes: "always" },
      agents: [{ ...WARDEN, hook_settings: { answered_wakes: "never" } }],
    },
  });
  await world.hook("post_tool_use.ts", ANSWERED);
  assertEquals(world.wakes(), []);
});
