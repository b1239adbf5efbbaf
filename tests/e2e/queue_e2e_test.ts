/** A queue on the real Claude Code: every step once and in order, whatever is killed. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { inScene } from "../support/artefacts.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { AGENTS, QueueStage } from "./queue_stage.ts";

for (const version of VERSIONS.claude) {
  Deno.test(`queue on Claude Code ${version}: steps, /clear and conditions, one wake at the end`, () =>
    inScene(`queue ${version}`, async (scene) => {
      const stage = new QueueStage(scene, version);
      await stage.start("warden");
      await stage.must("queue", "warden-main", "add", "step w-1", "step w-2", "/clear", "step w-3");
      const done = await stage.wake("warden", "queue_done");
      assertEquals(stage.carriedOut("warden").filter((one) => one.startsWith("step")), [
        "step w-1",
        "step w-2",
        "step w-3",
      ]);
      assertEquals(stage.triggers("warden"), ["queue_done"]);
      assertMatch(done, /^steps: 4 done$/m);
      assertStringIncludes(done, "Done: step w-3");
      await until("the queue to be gone", () => stage.queue("warden") === undefined);
    }));
}

/** How many steps both sessions have together. */
const STEPS = Number(Deno.env.get("GSD_QUEUE_STEPS") ?? 12);
const ROUNDS = STEPS < 50 ? 1 : 2;

for (const version of VERSIONS.claude) {
  Deno.test(`queue on Claude Code ${version}: once and in order, with kill -9 of each part, a limit, a question, a reboot`, () =>
    inScene(`queue of ${STEPS} ${version}`, async (scene) => {
      const stage = new QueueStage(scene, version);
      const hasMod = version === VERSIONS.claude[0];
      await Promise.all(AGENTS.map((agent) => stage.start(agent)));
      stage.startWatch();
      stage.delayMs = 300;
      const half = Math.floor(STEPS / 2);
      const texts = (letter: string, special: Record<number, string>) =>
        Array.from({ length: half }, (_, i) => `step ${letter}-${i + 1}${special[i + 1] ?? ""}`);
      const warden = texts("w", { 3: " ASK" });
      const scout = texts("s", { 2: " LIMIT" });
      // Both wait until all is ready to be killed.
      await stage.must("queue", "warden-main", "add", ...warden);
      await stage.must("queue", "scout-main", "add", "--after", "reset", ...scout);

      await stage.killRunner("warden");
      await stage.killRunner("scout", 40);
      await stage.killNext("hooks/user_prompt_submit.ts");
      const asked = await stage.wake("warden", "ask_user_question");
      assertMatch(
        asked,
        new RegExp(`^queue: step 3 runs, ${half - 3} steps? waits?, 2 done$`, "m"),
      );
      await stage.act(asked, / choose /, "2");
      const limit = await stage.wake("scout", "response_failed", "rate limit");
      assertMatch(limit, /^queue: paused, \d+ steps? waits?: step 2 met a limit: it goes on by/m);

      for (let round = 0; round < ROUNDS; round++) {
        await stage.killNext("hooks/stop.ts", 20 * round);
        await stage.killWatch();
        stage.startWatch();
        if (hasMod) await stage.killCompanion(AGENTS[round % 2]!);
        await stage.killRunner(AGENTS[(round + 1) % 2]!, 15 * round);
        await stage.killNext("hooks/stop.ts", 60);
      }
      if (stage.queue("warden") !== undefined || stage.queue("scout") !== undefined) {
        await stage.killServer();
        await stage.must("recover", "--skip-sync", "--timeout", "300");
      }
      for (const agent of AGENTS) await stage.wake(agent, "queue_done", "", 600_000);

      assertEquals(stage.carriedOut("warden"), warden);
      assertEquals(stage.carriedOut("scout"), scout);
      for (const agent of AGENTS) {
        const told = stage.triggers(agent);
        assertEquals(told.filter((one) => /^queue_/.test(one)), ["queue_done"], told.join(" "));
        assertEquals(told.includes("response_complete"), false, told.join(" "));
        const done = await stage.wake(agent, "queue_done");
        assertMatch(done, new RegExp(`^steps: ${half} done$`, "m"));
      }
    }));
}
