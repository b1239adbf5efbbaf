/** How steps reach the real Claude Code where the road inside is closed. */

import { assertEquals, assertMatch } from "@std/assert";
import { inScene } from "../support/artefacts.ts";
import { draftIn } from "../support/real_claude.ts";
import { VERSIONS } from "../support/real_programs.ts";
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
