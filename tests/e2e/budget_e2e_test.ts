/** Limits of spending on the real Claude Code: told, stopped, raised. And hooks that are gone. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readScreen } from "../../lib/pane.ts";
import { inScene } from "../support/artefacts.ts";
import { attach } from "../support/real_claude.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { INBOX, ofType, startWatch, told, withoutGateway } from "./inbox_stage.ts";
import { Stage } from "./stage.ts";

/** What a million tokens cost in the versions that are played. */
const limitOf = (version: string) => version === "2.1.197" ? 1.25 : 1;

for (const version of VERSIONS.claude) {
  Deno.test(`${version}: a budget is reported at 80 %, stops the turn at 100 %, and can be raised`, () =>
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

  Deno.test(`${version}: the agent learns once that a session's hooks are removed`, () =>
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

const VERSION = VERSIONS.claude[0];

/** A model that spends what a prompt says, such as `spend 210000`; "work on" then runs a tool and hangs. */
function spender(stage: Stage): void {
  const held = Promise.withResolvers<void>();
  stage.scene.atEnd(() => held.resolve());
  stage.claudeModel.answer = ({ prompt, toolResults }) => {
    const input_tokens = Number(/spend (\d+)/.exec(prompt)?.[1] ?? 1000);
    const isAfterTool = toolResults.length > 0 && !prompt.includes("go on");
    if (isAfterTool) return { hold: held.promise, say: "Too late." };
    if (!prompt.includes("work on")) return { say: "Spent.", usage: { input_tokens } };
    return { say: [{ tool: "Glob", input: { pattern: "*.md" } }], usage: { input_tokens } };
  };
}

Deno.test(`${VERSION}: the limit of a day is that of all sessions of an agent`, () =>
  inScene("budget of a day", async (scene) => {
    const shared = withoutGateway(scene);
    const stage = new Stage(scene, { shared, version: VERSION, agents: ["anvil"] });
    stage.writeRegistry({ anvil: { ...INBOX, hook_settings: { max_usd_per_day: 1 } } });
    spender(stage);
    const first = await stage.spawn("anvil", "the first words");
    const [one, two] = [stage.session("anvil"), `${stage.session("anvil")}-two`];
    const words = ["anvil", `${scene.dir}/anvil`, "the second words", "--name", two];
    const spawned = await stage.ours("commands/spawn.ts", ...words);
    assertEquals(spawned.code, 0, spawned.stderr);
    const second = await attach({ server: stage.server, session: two }, "");
    await until("both turns", () => ofType(stage, "response_complete").length === 2);
    await startWatch(stage);

    await first.submit("spend 210000");
    const near = await told(stage, "budget");
    assertMatch(near, /^level: 8\d %\nlimit: max_usd_per_day \$1\.00$/m);
    await second.submit("work on, spend 60000");
    const reached = await told(stage, "budget", "level: reached");
    assertStringIncludes(reached, `The turn that ran in ${two} was stopped.`);
    await second.waitForScreen("idle", (screen) => readScreen(screen).state === "idle");
    for (const session of [one, two]) {
      const refused = await stage.ours("commands/menu_driver.ts", session, "type", "go on");
      assertEquals(refused.code, 1);
      assertMatch(refused.stderr, /all sessions of the agent have cost \$1\.\d\d of \$1\.00 today/);
    }
    const raised = await stage.ours("commands/budget.ts", one, "--more", "5");
    assertEquals(raised.code, 0, raised.stderr);
    // The other session learns it from the watch.
    await until("the other session to be free", async () => {
      const done = await stage.ours("commands/menu_driver.ts", two, "type", "go on");
      return done.code === 0;
    });
    await until("its answer", () => ofType(stage, "response_complete").length === 4);
    assertEquals(ofType(stage, "budget").length, 2);
  }));

Deno.test(`${VERSION}: a context that is too full stops the turn, until it is cleared`, () =>
  inScene("budget of the context", async (scene) => {
    const shared = withoutGateway(scene);
    const stage = new Stage(scene, { shared, version: VERSION, agents: ["anvil"] });
    stage.writeRegistry({ anvil: { ...INBOX, hook_settings: { max_context_pct: 20 } } });
    spender(stage);
    const claude = await stage.spawn("anvil", "the first words");
    await told(stage, "response_complete");
    await startWatch(stage);
    const session = stage.session("anvil");

    await claude.submit("spend 170000");
    assertMatch(
      await told(stage, "budget"),
      /^level: 8\d %\nlimit: max_context_pct 20 %\nspent: 17 %$/m,
    );
    await claude.submit("work on, spend 230000");
    const reached = await told(stage, "budget", "level: reached");
    assertStringIncludes(reached, `The turn that ran in ${session} was stopped.`);
    await claude.waitForScreen("idle", (screen) => readScreen(screen).state === "idle");
    const drive = (...words: string[]) => stage.ours("commands/menu_driver.ts", session, ...words);
    const refused = await drive("type", "go on");
    assertEquals(refused.code, 1);
    assertMatch(refused.stderr, /the context is 23 % full, of 20 % that are allowed/);
    const cleared = await drive("type", "/clear");
    assertEquals(cleared.code, 0, cleared.stderr);
    await until(
      "an instruction to be taken",
      async () => (await drive("type", "go on")).code === 0,
    );
    await until("its answer", () => ofType(stage, "response_complete").length === 3);
    assertEquals(ofType(stage, "budget").length, 2);
  }));
