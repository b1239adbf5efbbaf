/** How long an answer takes on the real Claude Code: through the waiting hook, and with keys. */

import { inScene } from "../tests/support/artefacts.ts";
import { VERSIONS } from "../tests/support/real_programs.ts";
import { pause } from "../tests/support/until.ts";
import { AnswersStage } from "../tests/e2e/answers_stage.ts";

export interface AnswerFigure {
  name: string;
  medianMs: number;
  worstMs: number;
}

export async function measureAnswers(
  rounds: number,
  progress: (done: number) => void = () => {},
): Promise<AnswerFigure[]> {
  const [hook, keys] = [
    await measureRoad(true, rounds, (done) => progress(done / 2)),
    await measureRoad(false, rounds, (done) => progress(0.5 + done / 2)),
  ];
  return [
    figure("choose, until the waiting hook replies", hook.map((one) => one.reply)),
    figure("choose through the hook, until PostToolUse", hook.map((one) => one.arrived)),
    figure("choose with keys, until PostToolUse", keys.map((one) => one.arrived)),
  ];
}

interface Times {
  reply: number;
  arrived: number;
}

function measureRoad(
  hookRoad: boolean,
  rounds: number,
  progress: (done: number) => void,
): Promise<Times[]> {
  return inScene(`bench answers ${hookRoad ? "hook" : "keys"}`, async (scene) => {
    const stage = new AnswersStage(scene, { version: VERSIONS.claude[0], hookRoad });
    const claude = await stage.start();
    const times: Times[] = [];
    for (let round = 0; round < rounds; round++) {
      const pending = await stage.ask(claude, "single");
      await pause(1000); // in its first instants a dialog does not take every key
      const began = Date.now();
      await stage.reply(pending, "choose", "2");
      await stage.next("PostToolUse", round);
      const entry = stage.journal().findLast((one) => one.kind === "answered");
      times.push({
        reply: Date.parse(String(entry?.at)) - began,
        arrived: stage.arrivals("PostToolUse")[round]! - began,
      });
      await claude.waitUntilIdle();
      progress((round + 1) / rounds);
    }
    return times;
  });
}

function figure(name: string, times: number[]): AnswerFigure {
  const sorted = times.toSorted((a, b) => a - b);
  return { name, medianMs: sorted[Math.floor(sorted.length / 2)]!, worstMs: sorted.at(-1)! };
}
