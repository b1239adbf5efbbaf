/** The road inside: the mod in the real Claude Code, its companion, and the menu driver's launcher. */

import { assertEquals, assertMatch } from "@std/assert";
import { listRoads } from "../../lib/companion/road_file.ts";
import { modFolder } from "../../lib/install/mod_copy.ts";
import { inScene, type Scene } from "../support/artefacts.ts";
import type { RealClaude } from "../support/real_claude.ts";
import { until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";

async function withMod(scene: Scene): Promise<{ stage: AnswersStage; claude: RealClaude }> {
  const stage = new AnswersStage(scene, {
    version: "2.1.325",
    hookRoad: true,
    args: ["--plugin-dir", `${scene.dir}/mod`],
  });
  // The folder's place is known only after the registration.
  Deno.symlinkSync(modFolder(stage.paths), `${scene.dir}/mod`);
  const claude = await stage.start();
  await until("the companion's road", () => listRoads(stage.paths)[0]);
  return { stage, claude };
}

Deno.test("the mod types, and says when the turn has begun", () =>
  inScene("inside", async (scene) => {
    const { stage } = await withMod(scene);
    const said = await stage.must(stage.session, "type", "Hello from inside");
    assertMatch(said, /^Typed "Hello from inside" \(through the mod\)\n$/);
    const payload = await stage.next("UserPromptSubmit", 0);
    assertEquals(payload.prompt, "Hello from inside");
    const [road] = listRoads(stage.paths);
    const status = Deno.readTextFileSync(`/proc/${road!.pid}/status`);
    console.log(/VmRSS.*/.exec(status)?.[0]);
  }));
