/** Several things open at once, and people at the same keyboard: nothing is decided that was not meant. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { listPending } from "../../lib/answers.ts";
import { readScreen } from "../../lib/pane.ts";
import { inScene } from "../support/artefacts.ts";
import { press, write } from "../support/claude_keys.ts";
import type { RealClaude } from "../support/real_claude.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { DATABASE } from "./answers_scenarios.ts";
import { AnswersStage } from "./answers_stage.ts";

/** Two files outside of the project, read in one message: two permissions, one dialog. */
function twoReads(stage: AnswersStage): void {
  const files = ["first", "second"].map((name) => {
    const dir = `${stage.scene.dir}/outside-${name}`;
    Deno.mkdirSync(dir);
    Deno.writeTextFileSync(`${dir}/${name}.txt`, `WORDS-OF-${name.toUpperCase()}`);
    return `${dir}/${name}.txt`;
  });
  stage.model.scenarios.reads = [
    { say: files.map((file_path) => ({ tool: "Read", input: { file_path } })) },
    { say: "Read. READS-END" },
  ];
}

const shownFile = async (stage: AnswersStage) =>
  /(first|second)\.txt/.exec(
    readScreen(await stage.server.capture(stage.session)).dialog!.text,
  )![1]!;

/** Everything that Claude's model has received so far from tools and people. */
async function toldToModel(stage: AnswersStage, claude: RealClaude): Promise<string> {
  await claude.waitUntilIdle();
  await claude.submit("SCENARIO:hello");
  await until("the next turn", () => stage.model.asked().at(-1)?.prompt.includes("hello"));
  return JSON.stringify(stage.model.asked().at(-1)!.body);
}

for (const version of VERSIONS.claude) {
  for (const hookRoad of [true, false]) {
    const road = hookRoad ? "beside waiting hooks" : "without hooks";
    Deno.test(`${version}: of two permissions the one on the screen is decided ${road}`, () =>
      inScene(`two permissions ${version} ${road}`, async (scene) => {
        const stage = new AnswersStage(scene, { version, hookRoad });
        const claude = await stage.start();
        twoReads(stage);
        await stage.ask(claude, "reads");
        if (hookRoad) {
          await until("both hooks", () => listPending(stage.paths, stage.session).length === 2);
        }
        const first = await shownFile(stage);
        await stage.must(stage.session, "allow");
        await until("the other dialog", async () => await shownFile(stage) !== first);
        await stage.must(stage.session, "deny");
        await claude.waitForScreen("the end", (screen) => !readScreen(screen).dialog);
        const told = await toldToModel(stage, claude);
        const other = first === "first" ? "SECOND" : "FIRST";
        assertStringIncludes(told, `WORDS-OF-${first.toUpperCase()}`);
        assertEquals(told.includes(`WORDS-OF-${other}`), false, "what was denied");
        const decided = stage.journal().filter((entry) => entry.kind === "decided");
        assertEquals(decided.length, 2);
        assertMatch(JSON.stringify(decided), /first\.txt|"tool":"Read"/);
      }));
  }

  Deno.test(`${version}: with its id a request is decided that waits after another`, () =>
    inScene(`by id ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      const claude = await stage.start();
      twoReads(stage);
      await stage.ask(claude, "reads");
      const pendings = () => listPending(stage.paths, stage.session);
      await until("both hooks", () => pendings().length === 2);
      const shown = await shownFile(stage);
      const behind = pendings().find((one) => !String(one.tool_input.file_path).includes(shown))!;
      await stage.reply(behind, "allow");
      await until("it is settled", () => !pendings().some((one) => one.id === behind.id));
      assertEquals(await shownFile(stage), shown, "the one on the screen is still undecided");
      await stage.must(stage.session, "deny");
      const told = await toldToModel(stage, claude);
      assertEquals(told.includes(`WORDS-OF-${shown.toUpperCase()}`), false);
      const gone = await stage.drive(stage.session, "allow", "--question", behind.id);
      assertEquals(gone.code, 1);
      assertStringIncludes(gone.stderr, "is no longer open");
    }));

  Deno.test(`${version}: the wake's own line answers its question, or nothing`, () =>
    inScene(`bound ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      const claude = await stage.start();
      await stage.ask(claude, "twice");
      const wake = await until(
        "the wake",
        () => stage.wakes().find((w) => w.includes("choose <n>")),
      );
      const line = wake.split("\n").find((one) => one.includes(" choose <n>"))!;
      const wordsOf = (action: string) =>
        action.slice(action.indexOf(` ${stage.session} `) + 1).split(" ");
      const words = wordsOf(line.replace("<n>", "2"));
      await press(claude, "3", { hasWorked: (screen) => screen.includes("Which language?") });
      const late = await stage.drive(...words);
      assertEquals([late.code, late.stdout], [1, ""]);
      assertStringIncludes(late.stderr, "is no longer open");
      const typed = wake.split("\n").find((one) => one.includes(" type <text>"))!;
      const text = wordsOf(typed.replace("<text>", "Use DuckDB"));
      assertEquals((await stage.drive(...text)).code, 1);
      assertEquals(stage.payloads("PostToolUse").length, 1, "only what the human chose");
    }));

  Deno.test(`${version}: a number leaves the row in which a person has begun to write`, () =>
    inScene(`own row ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: false });
      const claude = await stage.start();
      await stage.ask(claude, "single");
      await press(claude, "Down", { times: DATABASE.options.length });
      await write(claude, "human words");
      await stage.must(stage.session, "choose", "2");
      const { tool_response: response } = await stage.next("PostToolUse", 0);
      assertStringIncludes(JSON.stringify(response), "SQLite");
      assertEquals(JSON.stringify(response).includes("words2"), false);
    }));

  Deno.test(`${version}: a draft that looks like a hint is a draft, shell mode is left by esc`, () =>
    inScene(`drafts ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: false });
      const claude = await stage.start();
      const draft = 'Try "npm ci" instead of';
      await write(claude, draft);
      const refused = await stage.drive("--road", "keys", stage.session, "type", "run the tests");
      assertEquals(refused.code, 1);
      assertStringIncludes(refused.stderr, "a person is typing there");
      await claude.keys("C-u");
      await claude.waitForScreen("an empty box", (screen) => !screen.includes(draft));
      await claude.keys("-l", "!");
      await claude.waitForScreen("shell mode", (screen) => !readScreen(screen).ready);
      const inShell = await stage.drive(stage.session, "type", "run the tests");
      assertStringIncludes(inShell.stderr, "shell mode (esc leaves it)");
      await stage.must(stage.session, "esc");
      await claude.waitForScreen("a prompt", (screen) => readScreen(screen).ready);
      const nobody = await stage.drive("", "type", "to nobody");
      assertEquals(nobody.code, 2);
      assert(stage.payloads("UserPromptSubmit").length === 0, "nothing was typed");
    }));

  Deno.test(`${version}: what is queued during a turn is read after it, and submit sends it`, () =>
    inScene(`queue ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: false });
      const claude = await stage.start();
      const { promise: hold, resolve: goOn } = Promise.withResolvers<void>();
      stage.model.scenarios.slow = { say: "Done slowly.", hold };
      await claude.submit("SCENARIO:slow");
      await claude.waitForScreen("work", (screen) => readScreen(screen).state === "working");
      assertEquals((await stage.drive("--wait", "0", stage.session, "type", "too soon")).code, 1);
      await stage.must("--queue", stage.session, "type", "and then; this \\");
      goOn();
      await until("the queued prompt", () => stage.payloads("UserPromptSubmit").length === 2);
      assertEquals(stage.payloads("UserPromptSubmit")[1]!.prompt, "and then; this \\");
      await claude.waitUntilIdle();
      await stage.ask(claude, "multi");
      await press(claude, "1");
      await stage.must(stage.session, "submit");
      const { tool_response: response } = await stage.next("PostToolUse", 0);
      assertStringIncludes(JSON.stringify(response), "Auth");
    }));
}
