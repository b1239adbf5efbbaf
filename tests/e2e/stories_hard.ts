/** Stories of hard days: company, a gateway that dies, a session that ends or is killed. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { until } from "../support/until.ts";
import { sectionOf, type Story } from "./story.ts";

export const HARD_DAYS: Story[] = [
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
    name: "the gateway dies and comes back, and nothing is lost or sent twice",
    short: "gateway restarted in the middle",
    slow: true,
    killsGateway: true,
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
    killsGateway: true,
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
      // Right away, while the gateway is still busy with the turn that was cut off: it may let the
      // wake go again. Then the deliverer that has handed over goes on.
      await stage.ours("commands/deliver.ts", "--once");
      thinking.resolve();
      const told = () =>
        agentModel.requests.some((request) => request.message.includes("\nTwo.\n"));
      await until("the wake of the second turn", told, {
        timeoutMs: 120_000,
        present: () => stage.journal(),
      });
    },
  },
  {
    name: "the session ends, and the agent learns how to bring it back",
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
    name: "the session is killed and recovered with its conversation, and the agent is woken",
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
