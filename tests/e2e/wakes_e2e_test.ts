/** What wakes say is true of their turn: on the real Claude Code, with wakes in files. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readScreen } from "../../lib/pane.ts";
import { inScene } from "../support/artefacts.ts";
import { press } from "../support/claude_keys.ts";
import type { ModelRequest, Step } from "../support/claude_model.ts";
import { section } from "../support/hook_world.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";
import { DATABASE } from "./answers_scenarios.ts";

const LOOK = { tool: "Bash", input: { command: "echo looked", description: "Look" } };
const ASK = { tool: "AskUserQuestion", input: { questions: [DATABASE] } };
const REASONS = "SQLite is simpler.\n\nPostgreSQL is faster with many writers.";

/** Each call of the model has filled the context a little more. */
class Model {
  calls = 0;

  get tokens(): string {
    return `${100_000 + this.calls * 1000} tokens in context`;
  }

  readonly answer = (request: ModelRequest): Step | undefined => {
    if (request.kind !== "main") return undefined;
    const usage = { input_tokens: 99_950 + ++this.calls * 1000, output_tokens: 50 };
    const { prompt, toolResults } = request;
    const hasLooked = toolResults.some((result) => result.trim() === "looked");
    if (prompt.includes("LOOK") && toolResults.length === 0) {
      return { say: [{ text: "I look." }, LOOK], usage };
    }
    if (prompt.includes("ASK") || (hasLooked && request.texts.join("").includes("THEN-ASK"))) {
      return { say: [{ thinking: "Hm." }, { text: REASONS }, ASK], usage };
    }
    return { say: `Answer ${this.calls}.`, usage };
  };
}

function told(stage: AnswersStage, trigger: string): string[] {
  return stage.wakes().filter((message) =>
    message.includes(`[TRIGGER]\ntype: ${trigger}\n`) && message.includes("[AVAILABLE ACTIONS]")
  );
}

for (const version of VERSIONS.claude) {
  Deno.test(`${version}: a turn's end says how full the context is after its last call`, () =>
    inScene(`pressure ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      const model = new Model();
      stage.model.answer = model.answer;
      const claude = await stage.start();
      const seen: string[] = [];
      for (let turn = 0; turn < 12; turn++) {
        await claude.submit(turn % 3 === 1 ? `LOOK ${turn}` : `Say ${turn}`);
        const wake = await until(
          `the end of turn ${turn}`,
          () => told(stage, "response_complete")[turn],
        );
        assertEquals(section(wake, "CONTENT"), `Answer ${model.calls}.`);
        const pressure = section(wake, "CONTEXT PRESSURE");
        // A machine that cannot write a line in half a second gets no figure.
        assert(pressure === model.tokens || pressure === "unknown", `${turn}: ${pressure}`);
        seen.push(pressure);
        // Some turns follow each other as fast as they can.
        if (turn % 3 !== 2) await claude.waitUntilIdle();
      }
      const known = seen.filter((pressure) => pressure !== "unknown").length;
      assert(known >= 6, `Known of ${known} of ${seen.length} turns`);
    }));

  Deno.test(`${version}: a question's wake has what Claude said before it`, () =>
    inScene(`reasons ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      stage.model.answer = new Model().answer;
      const claude = await stage.start();
      for (const [index, prompt] of ["ASK", "LOOK THEN-ASK"].entries()) {
        await claude.submit(prompt);
        const wake = await until("the question", () => told(stage, "ask_user_question")[index]);
        assertStringIncludes(
          section(wake, "ASK USER QUESTION"),
          `Claude said before the question:\n${REASONS}\n\nQuestion [Database]: `,
        );
        const name = /--question (\S+)/.exec(wake)![1]!;
        await claude.waitForScreen(
          "the dialog",
          (screen) => readScreen(screen).dialog !== undefined,
        );
        await stage.must(stage.session, "choose", "2", "--question", name);
        await until("the end", () => told(stage, "response_complete")[index]);
        await claude.waitUntilIdle();
      }
    }));

  for (const hookRoad of [true, false]) {
    const road = hookRoad ? "through the hook" : "with keys";
    Deno.test(`${version}: its own answer ${road} does not wake an agent that wants others'`, () =>
      inScene(`answered ${version} ${road}`, async (scene) => {
        const hookSettings = { answered_wakes: "others" };
        const stage = new AnswersStage(scene, { version, hookRoad, hookSettings });
        const claude = await stage.start();
        await stage.reply(await stage.ask(claude, "single"), "choose", "2");
        const quiet = await until(
          "the answer to be judged",
          () => stage.journal().find((entry) => entry.trigger === "ask_user_question_answered"),
        );
        assertEquals(quiet.kind, "suppressed");
        await until("the end", () => told(stage, "response_complete")[0]);
        await claude.waitUntilIdle();
        await stage.ask(claude, "single");
        const hasWorked = (screen: string) => readScreen(screen).dialog === undefined;
        await press(claude, "3", { hasWorked });
        const wake = await until(
          "the human's answer",
          () => told(stage, "ask_user_question_answered")[0],
        );
        assertStringIncludes(section(wake, "TRIGGER"), "answered_by: human");
        assertEquals(told(stage, "ask_user_question_answered").length, 1);
      }));
  }
}
