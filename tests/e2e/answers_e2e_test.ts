import { isThere } from "../../lib/files.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { listPending } from "../../lib/answers.ts";
import { readScreen } from "../../lib/pane.ts";
import { isObject } from "../../lib/json.ts";
import { inScene } from "../support/artefacts.ts";
import { moveTo, press, write } from "../support/claude_keys.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";

interface Case {
  name: string;
  scenario: string;
  args: string[];
  answers: Record<string, string>;
  unquoted?: Record<string, string>;
  /** Only the hook can give such an answer. */
  hookOnly?: boolean;
}

const DB = "Which database should we use?";
const FEATURES = "Which features do you want to enable?";
const CASES: Case[] = [
  {
    name: "one of several",
    scenario: "single",
    args: ["choose", "2"],
    answers: { [DB]: "SQLite" },
  },
  {
    name: "several, in their order",
    scenario: "multi",
    args: ["answer", "3,2"],
    answers: { [FEATURES]: 'Search, "Billing, invoices"' },
    unquoted: { [FEATURES]: "Search, Billing, invoices" },
  },
  {
    name: "several and own words",
    scenario: "multi",
    args: ["answer", "1,text:and logging"],
    answers: { [FEATURES]: "Auth, and logging" },
  },
  {
    name: "three questions",
    scenario: "three",
    args: ["answer", "rust", "1,3", 'neither; "own" words žluť 🐎'],
    answers: {
      "Which language?": "Rust",
      [FEATURES]: "Auth, Search",
      'Which license, "quoted"?': 'neither; "own" words žluť 🐎',
    },
  },
  {
    name: "own words",
    scenario: "single",
    args: ["type", 'Use "DuckDB"; 1 and 2 are $wrong \\'],
    answers: { [DB]: 'Use "DuckDB"; 1 and 2 are $wrong \\' },
  },
  {
    name: "own words in two lines",
    scenario: "single",
    args: ["type", "first line\nsecond line"],
    answers: { [DB]: "first line\nsecond line" },
    hookOnly: true,
  },
  {
    name: "beside a preview",
    scenario: "preview",
    args: ["choose", "2"],
    answers: { "Which layout?": "Cols" },
  },
];

for (const version of VERSIONS.claude) {
  for (const hookRoad of [true, false]) {
    const road = hookRoad ? "through the hook" : "with keys";
    Deno.test(`${version}: questions are answered ${road}`, (t) =>
      inScene(`answers ${version} ${road}`, async (scene) => {
        const stage = new AnswersStage(scene, { version, hookRoad });
        const claude = await stage.start();
        for (const one of CASES.filter((each) => hookRoad || !each.hookOnly)) {
          await must(t, one.name, async () => {
            const before = stage.payloads("PostToolUse").length;
            const pending = await stage.ask(claude, one.scenario);
            const said = await stage.reply(pending, ...one.args);
            const payload = await stage.next("PostToolUse", before);
            assert(isObject(payload.tool_response));
            const unquoted = version === "2.1.197" && !hookRoad; // its dialog joins without quotes
            const expected = unquoted ? one.unquoted ?? one.answers : one.answers;
            assertEquals(payload.tool_response.answers, expected);
            assertStringIncludes(said, hookRoad ? "through the waiting hook" : "with keys");
            await claude.waitForScreen("the end", (screen) => screen.includes("-END"));
            await claude.waitUntilIdle();
          });
        }
      }));
  }

  Deno.test(`${version}: notes, permissions and plans go through the hook`, (t) =>
    inScene(`decisions ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      const claude = await stage.start();
      await must(t, "notes beside a preview", async () => {
        const pending = await stage.ask(claude, "preview");
        const name = await stage.nameOf(pending!.id);
        const notes = ["--notes", 'only "here"', "--question", name];
        await stage.must(...notes, stage.session, "choose", "1");
        const { tool_response: response } = await stage.next("PostToolUse", 0);
        assert(isObject(response) && isObject(response.annotations));
        assertEquals(response.answers, { "Which layout?": "Rows" });
        const note = response.annotations["Which layout?"];
        assert(isObject(note));
        assertEquals(note.notes, 'only "here"');
        await claude.waitUntilIdle();
      });
      await must(t, "deny with a message", async () => {
        const pending = await stage.ask(claude, "bash");
        await stage.reply(pending, "deny", 'Not now; "later"');
        await until(
          "the message at the model",
          () => stage.model.asked().at(-1)?.toolResults.join("").includes('Not now; "later"'),
        );
        await claude.waitUntilIdle();
        assertEquals(isThere(`${claude.project}/made-by-bash`), false);
      });
      await must(t, "allow", async () => {
        const pending = await stage.ask(claude, "bash");
        await stage.reply(pending, "allow");
        await until("the file", () => isThere(`${claude.project}/made-by-bash`));
        await claude.waitUntilIdle();
      });
      await must(t, "the same command twice in one turn", async () => {
        const told = () => permissionWakes(stage).length;
        const before = told();
        for (const round of [1, 2]) {
          if (round === 1) await stage.ask(claude, "bashtwice");
          await until("a wake for it", () => told() === before + round, { present: told });
          const open = () => listPending(stage.paths, stage.session);
          await until("its hook", () => open().length === 1);
          await stage.reply(open()[0], "deny", `round ${round}`);
        }
        await claude.waitForScreen("the end", (screen) => screen.includes("BASHTWICE-END"));
        await claude.waitUntilIdle();
      });
      await must(t, "the agent got what is to be allowed, and the journal has who decided", () => {
        const [wake] = permissionWakes(stage);
        assertStringIncludes(wake ?? "", "touch made-by-bash && echo ran-it");
        assertStringIncludes(wake ?? "", "menu-driver");
        const decided = stage.journal().filter((entry) => entry.kind === "decided");
        assertEquals(decided.map((entry) => [entry.by, entry.tool]), [
          ["warden", "Bash"],
          ["warden", "Bash"],
          ["warden", "Bash"],
          ["warden", "Bash"],
        ]);
      });
      await must(t, "a description of 18 KB does not push the command out", async () => {
        const input = { command: "touch hidden", description: "List the files ".repeat(1200) };
        stage.model.scenarios.pushed = [{ say: [{ tool: "Bash", input }] }, { say: "PUSHED-END" }];
        const pending = await stage.ask(claude, "pushed");
        const said = await stage.reply(pending, "deny");
        assertStringIncludes(said, 'Denied "Bash touch hidden" (through the waiting hook');
        const wake = permissionWakes(stage).find((one) => one.includes(pending!.id))!;
        assertStringIncludes(wake, "to use Bash\n\ncommand: touch hidden\n");
        assertEquals(wake.length < 2000, true, "the description is cut");
      });
    }));

  for (const hookRoad of [true, false]) {
    const road = hookRoad ? "through the hook" : "with keys";
    Deno.test(`${version}: a plan is approved and sent back ${road}`, (t) =>
      inScene(`plan ${version} ${road}`, async (scene) => {
        const args = ["--permission-mode", "plan"];
        const stage = new AnswersStage(scene, { version, hookRoad, args });
        const claude = await stage.start();
        await must(t, "deny", async () => {
          const pending = await stage.ask(claude, "plan");
          const feedback = hookRoad ? ["First do B"] : [];
          assertShown(await stage.reply(pending, "deny", ...feedback), road);
          if (hookRoad) {
            await until(
              "the feedback at the model",
              () => stage.model.asked().at(-1)?.toolResults.join("").includes("First do B"),
            );
          }
          await claude.waitForScreen("plan mode", (screen) => screen.includes("plan mode on"));
          await claude.waitUntilIdle();
        });
        const isBack = (screen: string) =>
          !readScreen(screen).dialog && /plan mode on/.test(screen);
        await must(t, "deny one that is written down", async () => {
          const pending = await stage.ask(claude, "written");
          assertShown(await stage.reply(pending, "deny"), road);
          await claude.waitForScreen("plan mode", isBack);
          await claude.waitUntilIdle();
        });
        await must(t, "allow", async () => {
          const pending = await stage.ask(claude, "plan");
          assertShown(await stage.reply(pending, "allow"), road);
          await claude.waitForScreen("the end", (screen) => screen.includes("PLAN-END"));
          const screen = await claude.waitUntilIdle();
          assertEquals(/plan mode on/.test(screen), false, screen);
        });
      }));
  }

  Deno.test(`${version}: keys decide also where a person has begun to write to Claude`, (t) =>
    inScene(`begun ${version}`, async (scene) => {
      const args = ["--permission-mode", "plan"];
      const stage = new AnswersStage(scene, { version, hookRoad: false, args });
      const claude = await stage.start();
      await must(t, "a plan is allowed", async () => {
        await stage.ask(claude, "written");
        await moveTo(claude, (row) => row.includes("Tell Claude"));
        await write(claude, "only 7");
        await stage.must(stage.session, "allow");
        await claude.waitForScreen("the end", (screen) => screen.includes("WRITTEN-END"));
        assertEquals(/plan mode on/.test(await claude.waitUntilIdle()), false);
      });
      await must(t, "a permission is allowed", async () => {
        await stage.ask(claude, "bash");
        await moveTo(claude, (row) => /^\d\. No$/.test(row));
        await press(claude, "Tab", { hasWorked: (screen) => /No, and tell/.test(screen) });
        await write(claude, "only 7");
        await stage.must(stage.session, "allow");
        await until("the file", () => isThere(`${claude.project}/made-by-bash`));
      });
    }));

  Deno.test(`${version}: a permission is decided with keys where no hook waits`, (t) =>
    inScene(`permission keys ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: false });
      const claude = await stage.start();
      await must(t, "deny with a message", async () => {
        await stage.ask(claude, "bash");
        await stage.must(stage.session, "deny", 'Not now; "later"');
        await until(
          "the message at the model",
          () => stage.model.asked().at(-1)?.toolResults.join("").includes('Not now; "later"'),
        );
        await claude.waitUntilIdle();
      });
      await must(t, "allow", async () => {
        await stage.ask(claude, "bash");
        await stage.must(stage.session, "allow");
        await until("the file", () => isThere(`${claude.project}/made-by-bash`));
      });
    }));

  Deno.test(`${version}: the human may answer first, and questions follow each other`, (t) =>
    inScene(`human ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      const claude = await stage.start();
      await must(t, "the human's key wins and the hook leaves", async () => {
        const { pid, id } = (await stage.ask(claude, "single"))!;
        await press(claude, "3", { hasWorked: (screen) => !readScreen(screen).dialog });
        await until("the hook to leave", () => !isAlive(pid));
        const wake = await until(
          "the wake of the answer",
          () =>
            stage.wakes().find((message) => message.includes("type: ask_user_question_answered")),
        );
        assertStringIncludes(wake, "Answer: MongoDB");
        assertStringIncludes(wake, "answered_by: human");
        const late = await stage.drive("--question", id, stage.session, "choose", "1");
        assertEquals(late.code, 1);
        assertStringIncludes(late.stderr, "no longer open");
        await claude.waitUntilIdle();
      });
      await must(t, "Esc at the dialog ends the wait, too", async () => {
        const { pid, id } = (await stage.ask(claude, "single"))!;
        await stage.must(stage.session, "esc");
        await until("the hook to leave", () => !isAlive(pid));
        const late = await stage.drive("--question", id, stage.session, "choose", "1");
        assertEquals(late.code, 1);
        assertStringIncludes(late.stderr, "open; the present state is idle");
        await claude.waitUntilIdle();
      });
      for (const scenario of ["twice", "again"]) {
        await must(t, `the second question gets its own answer (${scenario})`, async () => {
          const before = stage.payloads("PostToolUse").length;
          const first = (await stage.ask(claude, scenario))!;
          await stage.reply(first, "choose", "1");
          await stage.next("PostToolUse", before);
          const then = await stage.newPending(new Set([first.pid]));
          await stage.reply(then, "choose", "2");
          const second = await stage.next("PostToolUse", before + 1);
          assert(isObject(second.tool_response) && isObject(second.tool_response.answers));
          const expected = scenario === "twice" ? "Rust" : "SQLite";
          assertEquals(Object.values(second.tool_response.answers), [expected]);
          await claude.waitUntilIdle();
        });
      }
      await must(
        t,
        "a person who has no wake answers with keys beside the waiting hook",
        async () => {
          const before = stage.payloads("PostToolUse").length;
          const { pid } = (await stage.ask(claude, "single"))!;
          assertStringIncludes(await stage.must(stage.session, "choose", "2"), "(with keys)");
          const { tool_response: response } = await stage.next("PostToolUse", before);
          assertStringIncludes(JSON.stringify(response), "SQLite");
          await until("the hook to leave", () => !isAlive(pid));
          await claude.waitUntilIdle();
        },
      );
      await must(t, "a killed Claude Code leaves no hook behind", async () => {
        const { pid } = (await stage.ask(claude, "single"))!;
        claude.kill("SIGKILL");
        await until("the hook to leave", () => !isAlive(pid));
      });
    }));
}

/** A step after one that failed would only report that again, more slowly. */
async function must(t: Deno.TestContext, name: string, step: () => void | Promise<void>) {
  if (!await t.step(name, step)) throw new Error(`"${name}" failed`);
}

/** Nothing but the road: no doubt whether the plan was on the screen. */
function assertShown(said: string, road: string): void {
  const expected = road === "with keys" ? "(with keys)\n" : "(through the waiting hook)\n";
  assertEquals(said.slice(-expected.length), expected, said);
}

function permissionWakes(stage: AnswersStage): string[] {
  return stage.wakes().filter((message) => message.includes("type: permission_prompt"));
}

function isAlive(pid: number): boolean {
  return isThere(`/proc/${pid}`);
}
