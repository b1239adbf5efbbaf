/** A night of faults on the real programs: nothing waits in silence, nothing is told twice. */

import { assertEquals } from "@std/assert";
import { inScene } from "../support/artefacts.ts";
import { AGENTS, Night } from "./night/stage.ts";
import { playNight, progress } from "./night/play.ts";
import { compare, faultsIn, rowsOf, tableOf } from "../support/night_truth.ts";
import { openSharedGateway } from "./shared_gateway.ts";

const isLong = Deno.env.get("GSD_NIGHT") === "long";
const seed = Number(Deno.env.get("GSD_NIGHT_SEED") ?? 1);

Deno.test("a night of faults: an agent knows within a minute, once, and the sessions go on", async () => {
  const shared = await openSharedGateway(["main", ...AGENTS]);
  try {
    await inScene("night", async (scene) => {
      const night = new Night(scene, shared);
      await night.begin();
      const { goneOn, stuck } = await playNight(night, { seed, isLong });
      const compared = compare(night.facts, night.heard, night.outages);
      const table = tableOf(rowsOf(compared, goneOn));
      progress(`seed ${seed}, ${isLong ? "long" : "short"}\n\n${table}\n`);
      scene.keep("table.md", () => table);
      const wrong = [...stuck, ...faultsIn(compared), ...night.doubled()];
      assertEquals(wrong.length, 0, `${table}\n\n${wrong.join("\n")}\n`);
    });
  } finally {
    await shared.close();
  }
});
