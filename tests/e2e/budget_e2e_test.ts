/** Limits of spending on the real Claude Code: told, stopped, raised. And hooks that are gone. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readScreen } from "../../lib/pane.ts";
import { inScene } from "../support/artefacts.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { INBOX, ofType, startWatch, told, withoutGateway } from "./inbox_stage.ts";
import { Stage } from "./stage.ts";

/** What a million tokens cost in the versions that are played. */
const limitOf = (version: string) => version === "2.1.197" ? 1.25 : 1;

for (const version of VERSIONS.claude) {
  Deno.test(`${version}: a budget is told at 80 %, stops the turn at 100 %, and can be raised`, () =>
    inScene(`budget ${version}`, async (scene) => {
      const shared = withoutGateway(scene);
      const stage = new Stage(scene, { shared, version, agents: ["anvil"] });
      const hook_settings = { max_usd_per_session: limitOf(version) };
      stage.writeRegistry({ anvil: { ...INBOX, hook_settings } });
      const held = Promise.withResolvers<void>();
      scene.atEnd(() => held.resolve());
      stage.claudeModel.answer = ({ prompt, toolResults }) => {
        const isLater = /by hand|go on/.test(prompt); // it comes with the result of the tool
        if (toolResults.length > 0 && !isLater) return { hold: held.promise, say: "Too late." };
        if (prompt.includes("work on")) {
          const say = [{ tool: "Glob", input: { pattern: "*.md" } }];
          return { say, usage: { input_tokens: 60_000 } };
        }
        const usage = { input_tokens: prompt.includes("a little") ? 210_000 : 1000 };
        return { say: `You said: ${prompt.slice(0, 60)}`, usage };
      };
      const claude = await stage.spawn("anvil", "the first words");
      await told(stage, "response_complete", "the first words");
      await startWatch(stage);
      const session = stage.session("anvil");

      await claude.submit("spend a little");
      const near = await told(stage, "budget");
      assertMatch(
        near,
        /^level: 8\d %\nlimit: max_usd_per_session \$1\.\d\d\nspent: \$\d\.\d\d, /m,
      );

      // A tool runs, then the model takes its time: what the turn costs is known while it runs.
      await claude.submit("work on");
      const reached = await told(stage, "budget", "level: reached");
      assertStringIncludes(reached, `The turn that ran in ${session} was stopped.`);
      assertMatch(reached, new RegExp(`budget ${session} --more <usd>$`, "m"));
      await claude.waitForScreen("idle", (screen) => readScreen(screen).state === "idle");

      const drive = (...words: string[]) =>
        stage.ours("commands/menu_driver.ts", session, ...words);
      const refused = await drive("type", "go on");
      assertEquals(refused.code, 1);
      assertMatch(
        refused.stderr,
        /a limit is reached: this conversation has cost \$1\.\d\d of \$1\.\d\d/,
      );
      // A person at the keyboard goes on.
      await claude.submit("by hand");
      await told(stage, "response_complete", "by hand");

      const raised = await stage.ours("commands/budget.ts", session, "--more", "5");
      assertEquals(raised.code, 0, raised.stderr);
      assertMatch(
        raised.stdout,
        /this conversation: \$1\.\d\d, of \$6\.\d\d \(max_usd_per_session\)\n/,
      );
      const typed = await drive("type", "go on");
      assertEquals(typed.code, 0, typed.stderr);
      await told(stage, "response_complete", "go on");
      const counts = ["budget", "interrupted"].map((type) => ofType(stage, type, "anvil").length);
      assertEquals(counts, [2, 0]);
      const stops = stage.journal("anvil").map(({ reason }) => String(reason))
        .filter((reason) => reason.startsWith("stopped by a limit: "));
      assertEquals(stops.length, 1);
    }));

  Deno.test(`${version}: a session whose hooks are removed is told to its agent, once`, () =>
    inScene(`hooks removed ${version}`, async (scene) => {
      const shared = withoutGateway(scene);
      const stage = new Stage(scene, { shared, version, agents: ["anvil", "bolt"] });
      stage.writeRegistry({ anvil: INBOX, bolt: INBOX });
      const claude = await stage.spawn("anvil", "the first words");
      await told(stage, "response_complete", "");
      await startWatch(stage);
      const file = `${stage.paths.data}/launches/${stage.session("anvil")}.settings.json`;
      Deno.writeTextFileSync(file, "{}");
      const changed = await told(stage, "session_changed", "change: hooks");
      assertStringIncludes(changed, "evidence: none of its settings files has our hooks");
      // By a hook, where Claude Code keeps what it was started with, else late by the watch.
      await claude.submit("after that");
      await until("the next turn", () => ofType(stage, "response_complete", "anvil").length === 2);

      await stage.startClaude("bolt", { args: ["--bare"] });
      const bare = await told(stage, "session_changed", "--bare", "bolt");
      assertStringIncludes(bare, "evidence: its Claude Code was started with --bare");
      assertEquals(
        ["anvil", "bolt"].map((agent) => ofType(stage, "session_changed", agent).length),
        [
          1,
          1,
        ],
      );
    }));
}
