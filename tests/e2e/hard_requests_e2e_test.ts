/** Requests whose dialog comes late, looks odd, or never comes. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { listPending, type Pending, wasShown } from "../../lib/answers.ts";
import { isThere } from "../../lib/files.ts";
import { readScreen } from "../../lib/pane.ts";
import { inScene } from "../support/artefacts.ts";
import type { RealClaude } from "../support/real_claude.ts";
import { pause, until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";

/** Claude starts a subagent, which asks for a command. */
function subagentThat(stage: AnswersStage, name: string, command: string): void {
  const input = {
    description: name,
    prompt: `SCENARIO:${name}sub`,
    subagent_type: "general-purpose",
  };
  stage.model.scenarios[name] = [{ say: [{ tool: "Agent", input }] }, { say: "It runs." }];
  const asks = { tool: "Bash", input: { command, description: "Make a file" } };
  stage.model.scenarios[`${name}sub`] = [{ say: [asks] }, { say: "SUB-END" }];
}

function opened(stage: AnswersStage, claude: RealClaude): Promise<Pending> {
  return until("a request", () => listPending(stage.paths, stage.session)[0], {
    present: claude.capture,
  });
}

/** Settings beside our own, as a repository has them. */
function projectSettings(stage: AnswersStage, settings: unknown): void {
  const dir = `${stage.scene.dir}/project/.claude`;
  Deno.mkdirSync(dir, { recursive: true });
  Deno.writeTextFileSync(`${dir}/settings.json`, JSON.stringify(settings));
}

function hasDialog(screen: string): boolean {
  return readScreen(screen).dialog !== undefined;
}

Deno.test("2.1.325: a subagent's request is answered before and after its dialog is shown", () =>
  inScene("subagent", async (scene) => {
    const hookSettings = { answer_timeout_s: 10 };
    const stage = new AnswersStage(scene, { version: "2.1.325", hookRoad: true, hookSettings });
    subagentThat(stage, "first", "touch made-first");
    subagentThat(stage, "second", "touch made-second");
    const claude = await stage.start();

    await claude.submit("SCENARIO:first");
    const first = await opened(stage, claude);
    // Longer than a dialog that has closed is looked for.
    await until("the turn's end", () => stage.journal().some((one) => one.event === "Stop"));
    await pause(5000);
    const said = await stage.reply(first, "allow");
    assertStringIncludes(said, "(through the waiting hook; its dialog was not seen");
    await until("the file", () => isThere(`${claude.project}/made-first`));
    await claude.waitUntilIdle();

    await claude.submit("SCENARIO:second");
    const second = await opened(stage, claude);
    await claude.waitForScreen("the dialog, once the hook has left", hasDialog);
    assertStringIncludes(await stage.reply(second, "allow"), "(with keys)");
    await until("the file", () => isThere(`${claude.project}/made-second`));
    await claude.waitUntilIdle();
  }));

for (const version of ["2.1.325", "2.1.197"] as const) {
  Deno.test(`${version}: a request that is held back while a person types is not lost`, () =>
    inScene(`typing ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      const input = { command: "touch made-late", description: "Make a file" };
      stage.model.scenarios.late = [{ say: [{ tool: "Bash", input }], delayMs: 3000 }, {
        say: "-END",
      }];
      const claude = await stage.start();
      await claude.submit("SCENARIO:late");
      const opening = opened(stage, claude);
      let pending: Pending | undefined;
      opening.then((one) => pending = one);
      const began = performance.now();
      // A person writes on for longer than a closed dialog is looked for.
      for (let since = began; performance.now() < since + 7000;) {
        if (pending === undefined) since = performance.now();
        await claude.keys("x");
        await pause(150);
      }
      assertEquals(wasShown(stage.paths, pending!), false);
      await claude.waitForScreen("the dialog", hasDialog);
      assertStringIncludes(await stage.reply(pending, "allow"), "(through the waiting hook");
      await until("the file", () => isThere(`${claude.project}/made-late`));
    }));

  Deno.test(`${version}: an answer reaches a question that another hook holds up`, () =>
    inScene(`held ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      const slow = { matcher: "AskUserQuestion", hooks: [{ type: "command", command: "sleep 8" }] };
      projectSettings(stage, { hooks: { PreToolUse: [slow] } });
      const claude = await stage.start();
      await claude.submit("SCENARIO:single");
      const [wake] = await until("the wake", () => stage.wakes().length > 0 && stage.wakes());
      const name = /--question (\S+)/.exec(wake!)![1]!;
      assertEquals(hasDialog(await claude.capture()), false);
      const said = await stage.must("--question", name, stage.session, "choose", "2");
      assertStringIncludes(said, "SQLite (through the waiting hook");
      await claude.waitForScreen("the end", (screen) => screen.includes("SINGLE-END"));
    }));
}
