/** Requests whose dialog comes late, looks odd, or never comes. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { listPending, type Pending } from "../../lib/answers.ts";
import { isThere } from "../../lib/files.ts";
import { readScreen } from "../../lib/pane.ts";
import { inScene } from "../support/artefacts.ts";
import { press } from "../support/claude_keys.ts";
import type { RealClaude } from "../support/real_claude.ts";
import { pause, until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";

const numbered = {
  question: "⚠️ What first?\n  1. Build it\n  2. Test it",
  header: "Next",
  multiSelect: false,
  options: [{ label: "Build 👍🏽", description: "" }, { label: "Test", description: "" }],
};
const tall = [...Array.from({ length: 40 }, (_, at) => `: ${at}`), "touch 'made-⚠️'"].join("\n");

/** What Claude Code does not draw as it was asked, or not in whole. */
const ODD: Record<string, { tool: string; input: Record<string, unknown>; words: string[] }> = {
  tall: { tool: "Bash", input: { command: tall }, words: ["allow"] },
  numbered: { tool: "AskUserQuestion", input: { questions: [numbered] }, words: ["choose", "1"] },
};

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
    const stage = new AnswersStage(scene, { version: "2.1.325", hookRoad: true });
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

    const registry = Deno.readTextFileSync(stage.paths.registry);
    const short = `"hook_settings":{"answer_timeout_s":5,`;
    Deno.writeTextFileSync(stage.paths.registry, registry.replace('"hook_settings":{', short));
    await claude.submit("SCENARIO:second");
    const second = await opened(stage, claude);
    await claude.waitForScreen("the dialog, once the hook has left", hasDialog);
    assertStringIncludes(await stage.reply(second, "allow"), "(with keys)");
    await until("the file", () => isThere(`${claude.project}/made-second`));
  }));

for (const version of ["2.1.325", "2.1.197"] as const) {
  Deno.test(`${version}: a request that is held back while a person types is not lost`, () =>
    inScene(`typing ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      const input = { command: "touch made-late", description: "Make a file" };
      const call = { say: [{ tool: "Bash", input }], delayMs: 3000 };
      stage.model.scenarios.late = [call, { say: "-END" }];
      const claude = await stage.start();
      await claude.submit("SCENARIO:late");
      const opening = opened(stage, claude);
      let pending: Pending | undefined;
      opening.then((one) => pending = one);
      // A person writes on for longer than a closed dialog is looked for.
      for (let since = performance.now(); performance.now() < since + 5500;) {
        if (pending === undefined) since = performance.now();
        await claude.keys("x");
        await pause(150);
      }
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

  Deno.test(`${version}: a dialog whose screen has other words is answered by its id, with keys`, () =>
    inScene(`odd ${version}`, async (scene) => {
      const hookSettings = { answer_timeout_s: 5 };
      const stage = new AnswersStage(scene, { version, hookRoad: true, hookSettings });
      const claude = await stage.start();
      const size = ["-x", "80", "-y", "24"];
      await stage.server.tmux("resize-window", "-t", `=${stage.session}:`, ...size);
      for (const [name, { tool, input, words }] of Object.entries(ODD)) {
        stage.model.scenarios[name] = [{ say: [{ tool, input }] }, { say: `${name}-END` }];
        const pending = await stage.ask(claude, name);
        await until(
          "the hook to leave",
          () =>
            stage.journal().some(({ question_id, outcome }) =>
              question_id === pending!.id && outcome === "timeout"
            ),
        );
        assertStringIncludes(await stage.reply(pending, ...words), "(with keys)");
        await claude.waitForScreen("the end", (screen) => screen.includes(`${name}-END`));
        await claude.waitUntilIdle();
      }
      assertEquals(isThere(`${claude.project}/made-⚠️`), true);
    }));
}

for (const version of ["2.1.325", "2.1.197"] as const) {
  Deno.test(`${version}: a permission that a person decides is recorded with the decision`, () =>
    inScene(`keyboard ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      const claude = await stage.start();
      const decided = () => stage.journal().filter(({ kind }) => kind === "decided");
      for (const [count, row] of [/^Yes$/, /^No\b/].entries()) {
        await claude.waitUntilIdle();
        await stage.ask(claude, "bash");
        const { dialog } = readScreen(await claude.capture());
        const number = dialog?.options.find(({ label }) => row.test(label))?.number;
        const hasWorked = (screen: string) => readScreen(screen).dialog === undefined;
        await press(claude, String(number), { hasWorked });
        await until("the record", () => decided().length === count + 1, {
          present: () => stage.journal(),
        });
      }
      const [yes, no] = decided();
      assertEquals([yes?.by, yes?.via, yes?.decision], ["keyboard", "keyboard", { kind: "allow" }]);
      assertEquals([no?.by, no?.via], ["keyboard", "keyboard"]);
      // The hook is ended with the dialog: a machine that writes the refusal too late has none.
      if (no?.outcome !== "unknown") assertEquals(no?.decision, { kind: "deny" });
    }));
}
