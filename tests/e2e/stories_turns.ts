/** Stories of turns: ended, asked, refused, failed, compacted, cleared. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { until } from "../support/until.ts";
import type { Scenario } from "../support/claude_model.ts";
import { assertSections, sectionOf, type Story } from "./story.ts";

const FIRST_ANSWER = 'I did step one:\n\n  - `echo "done"`\n  - [CONTENT]\n\n$HOME stayed.';

const ASK: Scenario = [
  {
    say: [{ text: "I need to know one thing." }, {
      tool: "AskUserQuestion",
      input: {
        questions: [{
          question: "Which database should we use?",
          header: "Database",
          multiSelect: false,
          options: [
            { label: "PostgreSQL", description: "Relational, robust" },
            { label: "SQLite", description: "Embedded, simple" },
          ],
        }],
      },
    }],
  },
  { say: "Going on with your choice." },
];

const RUN_BASH: Scenario = [
  {
    say: [{ text: "I clean up." }, {
      tool: "Bash",
      input: { command: "rm -rf build-output", description: "Remove the build output" },
    }],
  },
  { say: "I leave it." },
];

export const TURNS: Story[] = [
  {
    name: "a turn ends, the agent reads Claude's words and instructs the next",
    short: "turn ends, agent instructs the next",
    scenarios: {
      first: { say: [{ thinking: "Only one step." }, { text: FIRST_ANSWER }] },
      second: { say: "The tests are written." },
    },
    async play(stage, shared) {
      const instruction = 'Write the tests now; "quoted", $HOME, `x` SCENARIO:second';
      shared.agentModel.answer = (request) => {
        const wake = stage.wakes().find((wake) => wake.request === request);
        if (wake === undefined || !wake.message.includes("I did step one")) return undefined;
        const isNew = request.texts.at(-1)?.role === "user";
        if (!isNew) return { text: "Instructed." };
        return {
          tool: { name: "exec", args: { command: stage.action(wake, "type", instruction) } },
        };
      };
      const claude = await stage.startClaude();
      await claude.submit("Do step one SCENARIO:first");
      const wake = await stage.waitForWake("response_complete", "I did step one");
      assertSections(wake, [
        "SESSION IDENTITY",
        "TRIGGER",
        "CONTENT",
        "STATE HINT",
        "CONTEXT PRESSURE",
        "AVAILABLE ACTIONS",
      ]);
      assertEquals(sectionOf(wake, "CONTENT"), FIRST_ANSWER);
      assertEquals(sectionOf(wake, "STATE HINT"), "state: idle");
      const asked = await stage.waitForPrompt("SCENARIO:second");
      assertEquals(asked.prompt, instruction);
      const next = await stage.waitForWake("response_complete", "The tests are written.");
      assertEquals(sectionOf(next, "CONTENT"), "The tests are written.");
      assertEquals(stage.wakes().map(({ trigger }) => trigger), [
        "response_complete",
        "response_complete",
      ]);
      for (const told of stage.wakes()) assertEquals(stage.timesTold(told), 1);
    },
  },
  {
    name: "a question is answered by the agent, without a permission prompt",
    short: "question answered by the agent",
    scenarios: { ask: ASK },
    async play(stage) {
      const claude = await stage.startClaude();
      await claude.submit("Set it up SCENARIO:ask");
      const wake = await stage.waitForWake("ask_user_question");
      assertStringIncludes(sectionOf(wake, "ASK USER QUESTION"), "Which database should we use?");
      assertStringIncludes(sectionOf(wake, "ASK USER QUESTION"), "2. SQLite: Embedded, simple");
      await claude.waitForScreen("the dialog", (screen) => screen.includes("PostgreSQL"));
      await stage.act(wake, "choose", "2");
      const answered = await stage.waitForWake("ask_user_question_answered");
      assertStringIncludes(sectionOf(answered, "ANSWER SELECTED"), "Answer: SQLite");
      await stage.waitForWake("response_complete", "Going on with your choice.");
      const result = stage.claudeModel.asked().flatMap((request) => request.toolResults).at(-1);
      assertMatch(result ?? "", /Which database should we use\?.*SQLite/);
      assert(!stage.wakes().some((wake) => wake.trigger === "permission_prompt"));
    },
  },
  {
    name: "a permission is denied by the agent, and Claude reads why",
    short: "permission denied with a reason",
    options: { hookSettings: { answer_permissions: true } },
    scenarios: { bash: RUN_BASH },
    async play(stage) {
      const claude = await stage.startClaude("warden", { args: ["--permission-mode", "default"] });
      await claude.submit("Clean up SCENARIO:bash");
      const wake = await stage.waitForWake("permission_prompt");
      assertStringIncludes(wake.message, "rm -rf build-output");
      await stage.act(wake, "deny", "Keep build-output: the release needs it");
      const asked = await until(
        "Claude's model to hear of the refusal",
        () => stage.claudeModel.asked().find((request) => request.toolResults.length > 0),
      );
      assertStringIncludes(asked.toolResults.join("\n"), "the release needs it");
      await stage.waitForWake("response_complete", "I leave it.");
    },
  },
  {
    name: "an API failure is reported as what it is",
    short: "API failure is told",
    scenarios: {
      limit: {
        error: { status: 429, type: "rate_limit_error", message: "This would exceed your limit" },
      },
      long: {
        error: {
          status: 400,
          type: "invalid_request_error",
          message: "prompt is too long: 210000 tokens > 200000 maximum",
        },
      },
    },
    async play(stage) {
      const claude = await stage.startClaude();
      await claude.submit("Go on SCENARIO:long");
      const wake = await stage.waitForWake("response_failed");
      assertEquals(sectionOf(wake, "STATE HINT"), "state: error");
      assertMatch(sectionOf(wake, "CONTENT"), /too long/i);
      assertMatch(sectionOf(wake, "TRIGGER"), /^kind: too long.*\nadvice: compact /m);
      await claude.waitUntilIdle();
      await claude.submit("And again SCENARIO:limit");
      await stage.waitForWake("response_failed", "limit");
    },
  },
  {
    name: "a compaction sends a wake, and the agent's wishes reach the summariser",
    short: "compaction",
    options: { hookSettings: { hook_mode: "bidirectional", bidirectional_timeout_s: 60 } },
    scenarios: { first: { say: "The parser is done." }, second: { say: "The printer is done." } },
    async play(stage, shared) {
      shared.agentModel.answer = (request) =>
        request.message.includes("type: pre_compact")
          ? { text: 'Yes:\n{"instructions":"Keep the name of the parser file"}' }
          : undefined;
      const claude = await stage.startClaude();
      await claude.submit("Write the parser SCENARIO:first");
      await stage.waitForWake("response_complete");
      await claude.waitUntilIdle();
      await claude.submit("Write the printer SCENARIO:second");
      await stage.waitForWake("response_complete", "The printer is done.");
      await claude.waitUntilIdle();
      await claude.submit("/compact");
      const wake = await stage.waitForWake("pre_compact");
      assertStringIncludes(sectionOf(wake, "CONTENT"), "manual");
      const summary = await until(
        "the summariser to be asked",
        () => stage.claudeModel.asked("compact")[0],
        { present: claude.capture },
      );
      // Anything else that a hook prints would be there too.
      const given = /Additional Instructions:\n([\s\S]*?)\n\n/.exec(summary.prompt)?.[1];
      assertEquals(given, "Keep the name of the parser file");
    },
  },
  {
    name: "the agent blocks a stop, Claude goes on, and there is no loop",
    short: "stop blocked by the agent",
    options: { hookSettings: { hook_mode: "bidirectional", bidirectional_timeout_s: 60 } },
    scenarios: { first: [{ say: "I am done." }, { say: "The tests are green." }] },
    async play(stage, shared) {
      shared.agentModel.answer = () => ({
        text: '```json\n{"decision":"block","reason":"Run the tests first"}\n```',
      });
      const claude = await stage.startClaude();
      await claude.submit("Fix the bug SCENARIO:first");
      await stage.waitForPrompt("Run the tests first");
      const second = await stage.waitForWake("response_complete", "The tests are green.");
      assertStringIncludes(sectionOf(second, "TRIGGER"), "stop_hook_active: true");
      assertEquals(sectionOf(second, "CONTENT"), "The tests are green.");
      await claude.waitUntilIdle();
      assertEquals(stage.claudeModel.asked().length, 2);
    },
  },
  {
    name: "the conversation is cleared by the agent, and the session goes on",
    short: "/clear and go on",
    scenarios: { first: { say: "Old business." }, second: { say: "New business." } },
    async play(stage) {
      const claude = await stage.startClaude();
      await claude.submit("Do the old thing SCENARIO:first");
      const wake = await stage.waitForWake("response_complete", "Old business.");
      await stage.act(wake, "clear_then", "Do the new thing SCENARIO:second");
      const asked = await stage.waitForPrompt("Do the new thing");
      assert(!JSON.stringify(asked.body.messages).includes("Old business."), "It still knows");
      const next = await stage.waitForWake("response_complete", "New business.");
      assertEquals(sectionOf(next, "CONTENT"), "New business.");
      assert(!stage.wakes().some(({ trigger }) => trigger === "session_end"), "It has not ended");
    },
  },
  {
    name: "an idle reminder says nothing that the end of the turn has said",
    short: "idle reminder is no second wake",
    scenarios: { first: { say: "All done." } },
    async play(stage) {
      // Long enough for a gateway that has just started.
      const claude = await stage.startClaude("warden", { idleAfterMs: 20_000 });
      await claude.submit("Do it SCENARIO:first");
      await stage.waitForWake("response_complete", "All done.");
      await until(
        "the reminder to be judged",
        () => stage.journal().find((record) => record.trigger === "idle_prompt"),
      );
      assertEquals(stage.journal().find((r) => r.trigger === "idle_prompt")?.kind, "suppressed");
      assertEquals(stage.wakes().length, 1);
    },
  },
];
