/** The stories: what is promised, told once, played on every version. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { ClaudeVersion } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import type { Scenario } from "../support/claude_model.ts";
import type { House, Stage, StageOptions, Wake } from "./stage.ts";

export interface Story {
  name: string;
  /** For the canary: what a user would call it. */
  short: string;
  /** Left out of a short run. */
  slow?: boolean;
  options?: Pick<StageOptions, "agents" | "hookSettings">;
  scenarios?: Record<string, Scenario>;
  /** Versions it is not played on, each with the reason. */
  notOn?: Partial<Record<ClaudeVersion, string>>;
  play(stage: Stage, house: House): Promise<void>;
}

const FIRST_ANSWER = 'I did step one:\n\n  - `echo "done"`\n  - [CONTENT]\n\n$HOME stayed.';

export const ASK: Scenario = [
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

export const STORIES: Story[] = [
  {
    name: "a turn ends, the agent is told in Claude's words and instructs the next",
    short: "turn ends, agent instructs the next",
    scenarios: {
      first: { say: [{ thinking: "Only one step." }, { text: FIRST_ANSWER }] },
      second: { say: "The tests are written." },
    },
    async play(stage, house) {
      const instruction = 'Write the tests now; "quoted", $HOME, `x` SCENARIO:second';
      house.agentModel.answer = (request) => {
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
    name: "a question is answered by the agent, and nobody asks for permission",
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
    name: "a permission is denied by the agent, and Claude is told why",
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
    name: "an API failure is told as what it is",
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
      await claude.waitUntilIdle();
      await claude.submit("And again SCENARIO:limit");
      await stage.waitForWake("response_failed", "limit");
    },
  },
  {
    name: "a compaction is told, and the agent's wishes reach the summariser",
    short: "compaction",
    options: { hookSettings: { hook_mode: "bidirectional", bidirectional_timeout_s: 60 } },
    scenarios: { first: { say: "The parser is done." }, second: { say: "The printer is done." } },
    async play(stage, house) {
      house.agentModel.answer = (request) =>
        request.message.includes("type: pre_compact")
          ? { text: 'Yes: {"instructions":"Keep the name of the parser file"}' }
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
      // Whatever else a hook prints would stand there too.
      const given = /Additional Instructions:\n([\s\S]*?)\n\n/.exec(summary.prompt)?.[1];
      assertEquals(given, "Keep the name of the parser file");
    },
  },
  {
    name: "the agent blocks a stop, Claude goes on, and there is no loop",
    short: "stop blocked by the agent",
    options: { hookSettings: { hook_mode: "bidirectional", bidirectional_timeout_s: 60 } },
    scenarios: { first: [{ say: "I am done." }, { say: "The tests are green." }] },
    async play(stage, house) {
      house.agentModel.answer = () => ({
        text: '```json\n{"decision":"block","reason":"Run the tests first"}\n```',
      });
      const claude = await stage.startClaude();
      await claude.submit("Fix the bug SCENARIO:first");
      await stage.waitForPrompt("Run the tests first");
      const second = await stage.waitForWake("response_complete", "The tests are green.");
      assertStringIncludes(sectionOf(second, "TRIGGER"), "stop_hook_active: true");
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
      const claude = await stage.startClaude("warden", { idleAfterMs: 3000 });
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
  {
    name: "two agents side by side hear of their own sessions only",
    short: "two agents side by side",
    options: { agents: ["warden", "forge"] },
    scenarios: { walls: { say: "The walls stand." }, swords: { say: "The swords are sharp." } },
    async play(stage) {
      const [warden, forge] = await Promise.all([
        stage.startClaude("warden"),
        stage.startClaude("forge"),
      ]);
      await Promise.all([
        warden.submit("Build SCENARIO:walls"),
        forge.submit("Sharpen SCENARIO:swords"),
      ]);
      const [one, two] = await Promise.all([
        stage.waitForWake("response_complete", "", "warden"),
        stage.waitForWake("response_complete", "", "forge"),
      ]);
      assertEquals(sectionOf(one, "CONTENT"), "The walls stand.");
      assertEquals(sectionOf(two, "CONTENT"), "The swords are sharp.");
      assertStringIncludes(one.message, "agent_id: warden\n");
      assertStringIncludes(two.message, "agent_id: forge\n");
      await stage.act(two, "type", "And now the shields");
      const asked = await stage.waitForPrompt("And now the shields");
      assert(JSON.stringify(asked.body.messages).includes("swords"), "It reached the other one");
    },
  },
  {
    name: "the gateway dies and comes back, and nothing is lost or told twice",
    short: "gateway restarted in the middle",
    slow: true,
    scenarios: { first: { say: "One." }, second: { say: "Two." }, third: { say: "Three." } },
    async play(stage, { gateway }) {
      // On a slow day the gateway is away for so long that Claude Code reminds of its idleness.
      const claude = await stage.startClaude("warden", { idleAfterMs: 3_600_000 });
      await claude.submit("SCENARIO:first");
      await stage.waitForWake("response_complete", "One.");
      await gateway.untilQuiet("warden");
      await gateway.kill("SIGKILL");
      try {
        await claude.waitUntilIdle();
        await claude.submit("SCENARIO:second");
        await until(
          "the wake to wait for the gateway",
          () => stage.journal().filter((record) => record.kind === "queued").length === 2,
        );
      } finally {
        await gateway.start();
      }
      await claude.waitUntilIdle();
      await claude.submit("SCENARIO:third");
      await stage.waitForWake("response_complete", "Three.");
      assertEquals(stage.wakes().map((wake) => sectionOf(wake, "CONTENT")), [
        "One.",
        "Two.",
        "Three.",
      ]);
      for (const wake of stage.wakes()) assertEquals(stage.timesTold(wake), 1);
    },
  },
  {
    name: "the gateway dies while the agent is thinking, and nothing is lost",
    short: "gateway killed in the agent's turn",
    slow: true,
    notOn: { "2.1.197": "nothing in it depends on Claude Code" },
    scenarios: { first: { say: "One." }, second: { say: "Two." } },
    async play(stage, { gateway, agentModel }) {
      const thinking = Promise.withResolvers<void>();
      agentModel.answer = (request) =>
        stage.wakes().some((wake) => wake.request === request && wake.message.includes("One."))
          ? { hold: thinking.promise }
          : undefined;
      const claude = await stage.startClaude();
      await claude.submit("SCENARIO:first");
      await stage.waitForWake("response_complete", "One.");
      await gateway.kill("SIGKILL");
      try {
        await claude.waitUntilIdle();
        await claude.submit("SCENARIO:second");
        await until(
          "the wake to wait for the gateway",
          () => stage.journal().some((record) => record.kind === "failed"),
        );
      } finally {
        await gateway.start();
      }
      // Right away, while the gateway is still busy with the turn that was cut off.
      const delivered = await stage.ours("commands/deliver.ts", "--once");
      thinking.resolve();
      assertEquals(delivered.code, 0, delivered.stderr);
      const told = () =>
        agentModel.requests.some((request) => request.message.includes("\nTwo.\n"));
      await until("the agent to be told of the second turn", told, {
        timeoutMs: 120_000,
        present: () => stage.journal(),
      });
    },
  },
  {
    name: "the session ends, and the agent is told how to have it back",
    short: "session end is told",
    scenarios: { first: { say: "Good bye." } },
    async play(stage) {
      const claude = await stage.startClaude();
      await claude.submit("SCENARIO:first");
      await stage.waitForWake("response_complete");
      await claude.waitUntilIdle();
      await claude.submit("/exit");
      const wake = await stage.waitForWake("session_end");
      assertEquals(sectionOf(wake, "STATE HINT"), "state: terminated");
      assertStringIncludes(sectionOf(wake, "AVAILABLE ACTIONS"), "recover");
    },
  },
  {
    name: "the session is killed and recovered with its conversation, and the agent is told",
    short: "killed and recovered",
    scenarios: { first: { say: "I keep the number 4711." }, second: { say: "It was 4711." } },
    async play(stage) {
      const claude = await stage.spawn("warden", "Keep the number 4711 SCENARIO:first");
      await stage.waitForWake("response_complete", "I keep the number 4711.");
      claude.kill("SIGKILL");
      await until("the session to be gone", () => claude.hasEnded());
      const recovered = await stage.ours("commands/recover.ts", "--skip-sync");
      assertEquals(recovered.code, 0, recovered.stderr);
      const wake = await stage.waitForWake("session_recovered");
      await stage.act(wake, "type", "Which number? SCENARIO:second");
      const asked = await stage.waitForPrompt("Which number?");
      assertStringIncludes(asked.texts.join("\n"), "Keep the number 4711");
      await stage.waitForWake("response_complete", "It was 4711.");
      const again = await stage.ours("commands/recover.ts", "--skip-sync");
      assertEquals(again.code, 0, again.stderr);
      assertEquals(stage.wakes().filter((w) => w.trigger === "session_recovered").length, 1);
    },
  },
];

export function sectionOf(wake: Wake, name: string): string {
  const parts = wake.message.split(/^\[([A-Z ]+)\]\n/m);
  const at = parts.indexOf(name);
  if (at === -1) throw new Error(`The wake has no [${name}]:\n${wake.message}`);
  return parts[at + 1]!.trimEnd();
}

function assertSections(wake: Wake, names: string[]): void {
  const headers = Array.from(wake.message.matchAll(/^\[([A-Z ]+)\]$/gm), (match) => match[1]);
  assertEquals(headers, names);
}
