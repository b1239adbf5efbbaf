/** How long an instruction takes to Claude Code's UserPromptSubmit, by each road, in one run. */

import { inScene } from "../tests/support/artefacts.ts";
import { InsideStage } from "../tests/e2e/inside_stage.ts";
import type { AnswerFigure } from "./answers.ts";
import { median } from "./figures.ts";

const ROADS = ["mod", "keys", "socket"] as const;

export function measureTyping(
  rounds: number,
  progress: (done: number) => void = () => {},
): Promise<AnswerFigure[]> {
  return inScene("bench typing", async (scene) => {
    const inside = await InsideStage.start(scene);
    const times = { mod: [] as number[], keys: [] as number[], socket: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      for (const road of ROADS) {
        await inside.claude.waitUntilIdle();
        const before = inside.prompts().length;
        const began = Date.now();
        await inside.type(`Instruction ${round} by ${road}`, "--road", road);
        await inside.arrived(before + 1);
        times[road].push(inside.arrivals()[before]!.at - began);
      }
      progress((round + 1) / rounds);
    }
    return ROADS.map((road) => ({
      name: `type by ${road}, until UserPromptSubmit`,
      medianMs: median(times[road]),
      worstMs: Math.max(...times[road]),
    }));
  });
}

/** `deno task bench-typing [<rounds>]`: this part alone. */
if (import.meta.main) {
  for (const { name, medianMs, worstMs } of await measureTyping(Number(Deno.args[0] ?? 20))) {
    console.log(`${name}: median ${medianMs} ms, worst ${worstMs} ms`);
  }
  Deno.exit(0);
}
