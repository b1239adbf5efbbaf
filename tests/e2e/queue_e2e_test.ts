/** A queue on the real Claude Code: every step once and in order, whatever is killed. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { inScene } from "../support/artefacts.ts";
import { draftIn } from "../support/real_claude.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { type AgentName, AGENTS, QueueStage } from "./queue_stage.ts";

for (const version of VERSIONS.claude) {
  Deno.test(`queue on Claude Code ${version}: steps, /clear and conditions, one wake at the end`, () =>
    inScene(`queue ${version}`, async (scene) => {
      const stage = new QueueStage(scene, version);
      const commands = `${scene.dir}/warden/.claude/commands`;
      Deno.mkdirSync(commands, { recursive: true });
      Deno.writeTextFileSync(`${commands}/release.md`, "step w-4 of the command");
      await stage.start("warden");
      await stage.must("queue", "warden-main", "add", "step w-1", "step w-2", "/clear", "step w-3");
      // By the launcher, whose permissions are its own.
      const after = ["--after-turn", "warden-main", "type", "/release"];
      assertMatch(await stage.launched("menu-driver", ...after), /^Added step 5: /);
      const done = await stage.wake("warden", "queue_done");
      const carriedOut = stage.carriedOut("warden");
      assertEquals(carriedOut.filter((one) => one !== "/clear"), [
        ...["step w-1", "step w-2", "step w-3", "/release"],
      ]);
      assertEquals(stage.triggers("warden"), ["queue_done"]);
      assertMatch(done, /^steps: 5 done$/m);
      assertStringIncludes(done, "Done: step w-3");
      assertStringIncludes(done, "Done: step w-4");
      await until("the queue to be gone", () => stage.queue("warden") === undefined);
    }));

  Deno.test(`queue on Claude Code ${version}: a person, a condition, and Claude itself`, () =>
    inScene(`queue and people ${version}`, async (scene) => {
      const stage = new QueueStage(scene, version);
      stage.heldFrom = 7;
      const claude = await stage.start("warden");
      const inside = await stage.calledInside(claude, "queue", "warden-main", "add", "step w-1");
      assertEquals(inside.code, 1);
      assertMatch(inside.stderr, /this command runs inside the session/);
      assertEquals(stage.queue("warden"), undefined);

      const words = ["--stop-on", "DONE: step w-1", "warden-main", "add"];
      await stage.must("queue", ...words, "step w-1", "step w-7", "step w-8");
      const met = await stage.wake("warden", "queue_paused", "--stop-on");
      assertStringIncludes(met, "Done: step w-1");
      await stage.act(met, / warden-main resume$/);

      // It is typed while step 2 runs, and read in its turn or after it.
      await stage.begun("warden", 2);
      await claude.keys("-l", "by hand");
      await claude.waitForScreen("the draft", (screen) => draftIn(screen) === "by hand");
      await claude.keys("Enter");
      await claude.waitForScreen("an empty box", (screen) => draftIn(screen) !== "by hand");
      stage.permit("warden", 7);
      const paused = await stage.wake("warden", "queue_paused", "a person has typed");
      assertStringIncludes(paused, "step w-8");
      await claude.waitUntilIdle();
      assertEquals(stage.queue("warden")?.steps.map(({ state }) => state), [
        ...["done", "done", "waiting"],
      ]);
      await stage.act(paused, / warden-main clear$/);
      assertEquals(stage.queue("warden"), undefined);
      assertEquals(stage.carriedOut("warden"), ["step w-1", "step w-7"]);
    }));
}

/** How many steps both sessions have together; 50 of them take some minutes. */
const STEPS = Number(Deno.env.get("GSD_QUEUE_STEPS") ?? 12);
const HALF = Math.floor(STEPS / 2);
/** The question and the limit are before it; from here on each step waits for what is killed. */
const FIRST = 4;

type Fault = (stage: QueueStage, agent: AgentName, n: number) => Promise<unknown>;

/** What is killed while a step runs, or right after it. */
const FAULTS: Record<AgentName, Fault[]> = {
  warden: [
    (stage, agent, n) => killed(stage, agent, n, stage.killNext("hooks/stop.ts", 20)),
    (stage, agent, n) => killed(stage, agent, n, stage.killRunner(agent, 10)),
    async (stage, agent, n) => {
      if (stage.companion(agent) !== undefined) await stage.killCompanion(agent);
      stage.permit(agent, n);
    },
  ],
  scout: [
    (stage, agent, n) => killed(stage, agent, n, stage.killNext("hooks/user_prompt_submit.ts")),
    (stage, agent, n) => killed(stage, agent, n, stage.killRunner(agent, 150)),
    async (stage, agent, n) => {
      await stage.killWatch();
      stage.permit(agent, n);
      stage.startWatch();
    },
  ],
};

async function killed(stage: QueueStage, agent: AgentName, n: number, killing: Promise<unknown>) {
  stage.permit(agent, n);
  await killing;
}

for (const version of VERSIONS.claude) {
  Deno.test(`queue on Claude Code ${version}: once and in order, with kill -9 of each part, a limit, a question, a reboot`, () =>
    inScene(`queue of ${STEPS} ${version}`, async (scene) => {
      const stage = new QueueStage(scene, version);
      stage.heldFrom = FIRST;
      await Promise.all(AGENTS.map((agent) => stage.start(agent)));
      stage.startWatch();
      const texts = (letter: string, special: Record<number, string>) =>
        Array.from({ length: HALF }, (_, i) => `step ${letter}-${i + 1}${special[i + 1] ?? ""}`);
      const warden = texts("w", { 3: " ASK" });
      const scout = texts("s", { 2: " LIMIT" });
      await stage.must("queue", "warden-main", "add", ...warden);
      await stage.killRunner("warden");
      await stage.must("queue", "scout-main", "add", "--after", "reset", ...scout);
      await stage.killRunner("scout", 40);

      const asked = await stage.wake("warden", "ask_user_question");
      assertMatch(
        asked,
        new RegExp(`^queue: step 3 runs, ${HALF - 3} steps? waits?, 2 done$`, "m"),
      );
      await stage.act(asked, / choose /, "2");
      const limit = await stage.wake("scout", "response_failed", "rate limit");
      assertMatch(limit, /^queue: paused, \d+ steps? waits?: step 2 met a limit: it goes on by/m);

      const reboots = HALF - 1;
      for (let n = FIRST; n <= HALF; n++) {
        for (const agent of AGENTS) await stage.begun(agent, n);
        if (n === reboots) {
          await stage.killServer();
          await stage.must("recover", "--skip-sync", "--timeout", "300");
          // A prompt that was not written down yet is given again, any other one is continued.
          for (const agent of AGENTS) stage.permit(agent, n);
          continue;
        }
        for (const agent of AGENTS) {
          const faults = FAULTS[agent];
          // After the last step comes no prompt and no step that could be killed.
          const which = n === HALF ? faults.length - 1 : (n - FIRST) % faults.length;
          await faults[which]!(stage, agent, n);
        }
      }
      for (const agent of AGENTS) await stage.wake(agent, "queue_done");

      assertEquals(stage.carriedOut("warden"), warden);
      assertEquals(stage.carriedOut("scout"), scout);
      for (const agent of AGENTS) {
        const told = stage.triggers(agent);
        assertEquals(told.filter((one) => /^queue_/.test(one)), ["queue_done"], told.join(" "));
        const done = await stage.wake(agent, "queue_done");
        assertMatch(done, new RegExp(`^steps: ${HALF} done$`, "m"));
        await until("the queue to be gone", () => stage.queue(agent) === undefined);
      }
    }));
}
