/** Claude Code that does not look at its keyboard for a while: no key is lost, none counts twice. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { isObject } from "../../lib/json.ts";
import { readScreen } from "../../lib/pane.ts";
import { allProcesses } from "../../lib/doors/process_tree.ts";
import { inScene, type Scene } from "../support/artefacts.ts";
import { press } from "../support/claude_keys.ts";
import type { RealClaude } from "../support/real_claude.ts";
import { claudeProgram, type ClaudeVersion, VERSIONS } from "../support/real_programs.ts";
import { pause, until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";
import { writeExecutable } from "../support/executable.ts";

/** tmux wakes its own child when that is stopped: Claude Code has to be the child of another. */
async function wrapped(scene: Scene, version: ClaudeVersion): Promise<string> {
  const path = `${scene.dir}/wrapper`;
  const text = `#!/bin/sh\n${await claudeProgram(version)} "$@"\nexit\n`;
  writeExecutable(path, text);
  return path;
}

/** Longer than a key is waited for, shorter than our patience. */
const STALL_MS = 4000;

/** Begins the work while Claude Code is stopped, and continues it before the work is done. */
async function stalled<T>(claude: RealClaude, work: () => Promise<T>): Promise<T> {
  const program = (await allProcesses()).find(({ parent }) => parent === claude.pid)!;
  Deno.kill(program.pid, "SIGSTOP");
  try {
    const working = work();
    await Promise.race([pause(STALL_MS), working]);
    Deno.kill(program.pid, "SIGCONT");
    return await working;
  } finally {
    Deno.kill(program.pid, "SIGCONT");
  }
}

const CASES: [name: string, scenario: string, args: string[], answer: string][] = [
  ["a choice", "single", ["choose", "2"], "SQLite"],
  ["own words", "single", ["type", "Use DuckDB"], "Use DuckDB"],
  ["several", "multi", ["answer", "1,3"], "Auth, Search"],
  ["several and own words", "multi", ["answer", "1,text:and logging"], "Auth, and logging"],
  ["beside a preview", "preview", ["choose", "2"], "Cols"],
];

for (const version of VERSIONS.claude) {
  Deno.test(`${version}: keys that Claude Code takes late count once`, async (t) =>
    await inScene(`stalls ${version}`, async (scene) => {
      const program = await wrapped(scene, version);
      const stage = new AnswersStage(scene, { version, hookRoad: false, program });
      const claude = await stage.start();
      for (const [name, scenario, args, answer] of CASES) {
        assert(
          await t.step(name, async () => {
            const before = stage.payloads("PostToolUse").length;
            await stage.ask(claude, scenario);
            await stalled(claude, () => stage.must(stage.session, ...args));
            const { tool_response: response } = await stage.next("PostToolUse", before);
            assert(isObject(response) && isObject(response.answers));
            assertEquals(Object.values(response.answers), [answer]);
            await claude.waitUntilIdle();
          }),
          `"${name}" failed`,
        );
      }
      assert(
        await t.step("a permission", async () => {
          await stage.ask(claude, "bash");
          await stalled(claude, () => stage.must(stage.session, "deny"));
          await claude.waitForScreen("no dialog", (screen) => !screen.includes("Do you want to"));
          const decided = stage.journal().filter((entry) => entry.kind === "decided");
          assertEquals(decided.length, 1);
          await claude.waitUntilIdle();
        }),
        "the permission failed",
      );
      assert(
        await t.step("esc", async () => {
          await stage.ask(claude, "single");
          await stalled(claude, () => stage.must(stage.session, "esc"));
          const screen = await claude.waitUntilIdle();
          assertEquals(readScreen(screen).dialog, undefined, "a second Esc would offer to rewind");
        }),
        "esc failed",
      );
      assert(
        await t.step("a prompt", async () => {
          const asked = () => stage.model.asked().filter(({ prompt }) => /Late/.test(prompt));
          await stalled(claude, () => stage.must(stage.session, "type", "Late SCENARIO:hello"));
          await until("the prompt at the model", () => asked().length > 0);
          assertMatch(await claude.waitUntilIdle(), /Good day/);
          assertEquals(asked().length, 1);
        }),
        "the prompt failed",
      );
    }));

  Deno.test(`${version}: an option is chosen from wherever the cursor was left`, async () =>
    await inScene(`cursor ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: false });
      const claude = await stage.start();
      for (
        const [scenario, downs, args, answer] of [
          ["single", 4, ["choose", "2"], "SQLite"],
          ["single", 4, ["type", "Use DuckDB"], "Use DuckDB"],
          ["multi", 4, ["choose", "3"], "Search"],
          ["multi", 5, ["answer", "1,text:and logging"], "Auth, and logging"],
          ["preview", 2, ["choose", "1"], "Rows"],
        ] as const
      ) {
        const before = stage.payloads("PostToolUse").length;
        await stage.ask(claude, scenario);
        await press(claude, "Down", { times: downs });
        await stage.must(stage.session, ...args);
        const { tool_response: response } = await stage.next("PostToolUse", before);
        assert(isObject(response) && isObject(response.answers));
        assertEquals(Object.values(response.answers), [answer]);
        await claude.waitUntilIdle();
      }
    }));

  Deno.test(`${version}: of several questions only what is on the screen is answered`, async () =>
    await inScene(`tabs ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: false });
      const claude = await stage.start();
      const shown = async () => readScreen(await claude.capture()).dialog;
      await stage.ask(claude, "three");
      // Somebody leaves the first one out.
      const isSecond = (screen: string) => /features/.test(readScreen(screen).dialog?.title ?? "");
      await press(claude, "Right", { hasWorked: isSecond });
      const all = await stage.drive(stage.session, "answer", "1", "1", "1");
      assertEquals(all.code, 1);
      assertMatch(all.stderr, /some questions are answered already/);
      assertMatch((await shown())!.title, /features/);

      assertMatch(await stage.must(stage.session, "choose", "3"), /Search/);
      await until("the third", async () => (await shown())?.title.includes("license"));
      await stage.must(stage.session, "choose", "2");
      const review = await until("the review", async () => {
        const dialog = await shown();
        return dialog?.kind === "review" ? dialog : undefined;
      });
      assertMatch(review.text, /GPL/);
      assertEquals(stage.payloads("PostToolUse"), [], "nothing was handed in");
      await stage.must(stage.session, "esc");
    }));
}
