/** How steps reach the real Claude Code where the road inside is closed. */

import { assertEquals, assertMatch } from "@std/assert";
import { inScene } from "../support/artefacts.ts";
import { draftIn } from "../support/real_claude.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { wasNoted } from "../../lib/typed.ts";
import { QueueStage } from "./queue_stage.ts";

for (const version of VERSIONS.claude) {
  Deno.test(`queue on Claude Code ${version} without the mod: a draft stays, and Stop gives the steps`, () =>
    inScene(`queue by stop ${version}`, async (scene) => {
      const stage = new QueueStage(scene, version);
      stage.withoutMod();
      stage.heldFrom = 1;
      const claude = await stage.start("warden");
      assertEquals(stage.companion("warden"), undefined);
      await stage.must("queue", "warden-main", "add", "step w-1", "step w-2", "step w-3");
      await stage.begun("warden", 1);
      await stage.draft(claude, "half a thought");
      stage.permit("warden", 1);
      await stage.begun("warden", 2);
      assertEquals(draftIn(await claude.capture()), "half a thought");
      stage.permit("warden", 2);
      await stage.begun("warden", 3);
      stage.permit("warden", 3);
      const done = await stage.wake("warden", "queue_done");
      assertMatch(done, /^steps: 3 done$/m);
      assertMatch(done, /^2\. step w-2 \(done in \d+ s\)\n {3}Done: step w-2$/m);
      assertEquals(draftIn(await claude.capture()), "half a thought");
      assertEquals(stage.triggers("warden"), ["queue_done"]);
      const asked = stage.model.asked().map(({ prompt }) => prompt);
      assertEquals(asked, [
        "step w-1",
        "Stop hook feedback:\nstep w-2",
        "Stop hook feedback:\nstep w-3",
      ]);
    }));
}

for (const version of VERSIONS.claude) {
  Deno.test(`queue on Claude Code ${version}: a command whose runner is killed is not run twice`, () =>
    inScene(`queue unsure ${version}`, async (scene) => {
      const stage = new QueueStage(scene, version);
      const claude = await stage.start("warden");
      const killed = async (command: string) => {
        const n = stage.queue("warden")?.next ?? 1;
        await stage.must("queue", "warden-main", "add", command);
        // The driver has noted it, and is about to give it, or has just done so.
        await until(`the note of ${command}`, () => {
          const giving = stage.queue("warden")?.steps.find((step) => step.n === n)?.giving;
          const id = giving?.instruction_id;
          return id !== undefined && wasNoted(stage.paths, "warden-main", id);
        }, { everyMs: 4, present: () => stage.present("warden") });
        await stage.killRunner("warden", 20);
      };
      // It leaves a line: it is found to be run, or given again.
      await killed("/context");
      await stage.must("queue", "warden-main", "add", "step w-1");
      await stage.begun("warden", 2);
      const runs = stage.carriedOut("warden", { isWithLocal: true });
      assertEquals(runs.filter((one) => one === "/context"), ["/context"]);
      await stage.wake("warden", "queue_done");
      await claude.waitUntilIdle();
      await until("the queue to be gone", () => stage.queue("warden") === undefined);

      // It opens a dialog and leaves none. Where it was still in the box, it is given again.
      await killed("/help");
      await stage.must("queue", "warden-main", "add", "step w-2");
      const paused = await stage.wake("warden", "queue_paused");
      const isUnsure = paused.includes("\npaused_by: unsure\n");
      const reason = isUnsure
        ? /^reason: step 1: whether \/help was run is not known$/m
        : /^paused_by: road\nreason: \/help has opened a dialog$/m;
      assertMatch(paused, reason);
      const first = isUnsure ? "unsure" : "done";
      assertEquals(stage.queue("warden")?.steps.map(({ state }) => state), [first, "waiting"]);
      await claude.keys("Escape");
      await claude.waitForScreen("no dialog", (screen) => !/Esc to cancel/.test(screen));
      await stage.act(paused, / warden-main resume$/);
      const done = await stage.wake("warden", "queue_done", "step w-2");
      assertMatch(done, isUnsure ? /^steps: 1 done, 1 unsure$/m : /^steps: 2 done$/m);
    }));
}
