/** The road inside: the mod in the real Claude Code, its companion, and the menu driver's launcher. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readScreen } from "../../lib/pane.ts";
import { inScene } from "../support/artefacts.ts";
import { HOLDS, InsideStage, textOf } from "./inside_stage.ts";

/** By hand: GSD_INSIDE_INSTRUCTIONS=1000 GSD_INSIDE_KILLS=50. */
const INSTRUCTIONS = Number(Deno.env.get("GSD_INSIDE_INSTRUCTIONS") ?? 60);

const DRAFT = "half a thought";

Deno.test("instructions go inside in every state, once, in order and byte for byte", (t) =>
  inScene("inside", async (scene) => {
    const inside = await InsideStage.start(scene);
    const { claude } = inside;
    const block = Math.ceil(INSTRUCTIONS / 6);
    let given = 0;
    /** So many, and each must have arrived. */
    const give = async (many: number, ...options: string[]) => {
      const before = inside.prompts().length;
      const texts = Array.from({ length: many }, () => textOf(given++));
      for (const text of texts) {
        const said = await inside.type(text, ...options);
        assertMatch(said, options.includes("--queue") ? /^Queued: / : /^Typed /);
        assertStringIncludes(said, "(through the mod)");
      }
      return { texts, before };
    };
    const check = async ({ texts, before }: { texts: string[]; before: number }) => {
      const prompts = await inside.arrived(before + texts.length);
      assertEquals(prompts.slice(before), texts);
      await claude.waitUntilIdle();
    };
    const isDraftThere = async () => readScreen(await claude.capture()).draft === DRAFT;

    await must(t, "one by one, while Claude is idle", async () => {
      await check(await give(block, "--wait", "60"));
    });
    await must(t, "in a burst, while Claude works", async () => {
      await inside.hold();
      const burst = await give(block, "--queue");
      assertEquals(inside.prompts().at(-1), HOLDS);
      inside.release();
      await check(burst);
    });
    await must(t, "before a dialog", async () => {
      await inside.type("/clear");
      await inside.dialog();
      const burst = await give(block, "--queue");
      await inside.stage.must(inside.stage.session, "choose", "1");
      await check(burst);
    });
    await must(t, "beside a draft, while Claude is idle", async () => {
      await inside.type("/clear");
      await inside.draft(DRAFT);
      for (let count = 0; count < block; count++) {
        const one = await give(1, "--wait", "60");
        assertEquals((await inside.arrived(one.before + 1)).slice(one.before), one.texts);
        assert(await isDraftThere());
      }
    });
    await must(t, "beside a draft, while Claude works", async () => {
      await inside.hold();
      const burst = await give(block, "--queue");
      assert(await isDraftThere());
      inside.release();
      const prompts = await inside.arrived(burst.before + burst.texts.length);
      assertEquals(prompts.slice(burst.before), burst.texts);
      assert(await isDraftThere());
      await claude.keys("C-u");
    });
    await must(t, "a command", async () => {
      const said = await inside.type("/compact", "--wait", "60");
      assertEquals(said, 'Typed "/compact" (through the mod)\n');
    });
  }));

async function must(t: Deno.TestContext, name: string, step: () => Promise<void>) {
  if (!await t.step(name, step)) throw new Error(`"${name}" failed`);
}
