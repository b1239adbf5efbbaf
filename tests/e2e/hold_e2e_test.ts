/** What an agent is told after a pause, and when its session is given back, on the real Claude Code. */

import { assertEquals } from "@std/assert";
import { namesIn } from "../../lib/files.ts";
import { inScene } from "../support/artefacts.ts";
import { assertGolden } from "../support/golden.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { QueueStage } from "./queue_stage.ts";

for (const version of VERSIONS.claude) {
  Deno.test(`holds on Claude Code ${version}: paused, taken, prompted by hand, given back: byte for byte`, () =>
    inScene(`holds ${version}`, async (scene) => {
      const stage = new QueueStage(scene, version);
      const claude = await stage.start("warden");
      const outbox = `${stage.paths.state}/outbox/warden`;
      const held = (count: number) =>
        until(`${count} wakes to be held`, () => namesIn(outbox).length === count, {
          present: () => stage.present("warden"),
        });
      const told = async (trigger: string, name: string) => {
        const wake = await stage.wake("warden", trigger);
        assertEquals(stage.wakes("warden").length, 1, "nothing else is told");
        const file = new URL(`../golden/${name}.txt`, import.meta.url);
        assertGolden(file, normal(wake, scene.dir));
        for (const one of namesIn(`${stage.paths.state}/inbox/warden`)) {
          Deno.removeSync(`${stage.paths.state}/inbox/warden/${one}`);
        }
      };

      await stage.must("pause", "warden");
      await claude.submit("step w-1");
      await held(1);
      await claude.waitUntilIdle();
      await claude.submit("step w-2 LIMIT");
      await held(2);
      await claude.waitUntilIdle();
      await claude.submit("step w-3 ASK");
      await held(3);
      await stage.must("resume", "warden");
      await told("resumed", "real-paused-for-a-turn-a-failure-and-a-question");

      await stage.must("take", "warden-main");
      await stage.must("menu-driver", "--anyway", "warden-main", "choose", "2");
      // That it was answered, and the end of its turn.
      await held(2);
      await claude.waitUntilIdle();
      await claude.submit("step w-4 by hand");
      await held(3);
      await stage.must("give", "warden-main", "I chose a database.\nGo on with the tests.");
      await told("given_back", "real-taken-prompted-by-hand-and-given");
    }));
}

/** Without what differs from run to run. */
function normal(message: string, dir: string): string {
  return message
    .replaceAll(/^wake_id: .*$/gm, "wake_id: WAKE")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/^(\w+_for): .*$/gm, "$1: SPAN")
    .replaceAll(/^\d+% \[OK\].*$/gm, "PRESSURE")
    .replaceAll(/(?<=\b[qp]-)[0-9A-Z]{16}\b/g, "ID")
    .replaceAll(/(?<=--question [qp]-ID\.)[0-9A-Z]{20}\b/g, "SECRET")
    .replaceAll(/(_UNTRUSTED_CONTENT id=")[0-9a-f]{16}(">>>)$/gm, "$1FENCE$2")
    .replaceAll(/ --socket \S+/g, "")
    .replaceAll(dir, "");
}
