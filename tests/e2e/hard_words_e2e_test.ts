/** Words that are true: whose they are, what still runs, when a queued text is read, what is masked. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { inScene } from "../support/artefacts.ts";
import type { Scenario } from "../support/claude_model.ts";
import { section } from "../support/hook_world.ts";
import { prepareHome } from "../support/real_claude.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";

/** Made up, and as long as a real one. */
const KEY =
  "sk-ant-api03-mB7xQ2vKpL9wRt4ZcN8yHj3FsG6dTuE1oXqW5iVaYbU0rPkMzJnCfDhSgLeO7tR2yBw9QxKvA4m" +
  "Zp6Nc8HjF3sGdTuE1oXq";
const DEPLOY = "The build is green. Shall I deploy now?";
const HALVES = "The first half of the answer ends in the middle. And here is the second half.";
const bash = (command: string, more = {}) => ({
  tool: "Bash",
  input: { command, description: "Do it", ...more },
});

const SCENARIOS: Record<string, Scenario> = {
  deploy: { say: DEPLOY },
  cut: [{ say: HALVES.slice(0, 44), stopReason: "max_tokens" }, { say: HALVES.slice(44) }],
  server: [
    { say: [bash("sleep 3000", { description: "Dev server", run_in_background: true })] },
    { say: "The dev server runs. What next?" },
  ],
  key: [{ say: [bash(`touch made-with-key && printf %s ${KEY}`)] }, { say: "It is made." }],
};

for (const version of VERSIONS.claude) {
  Deno.test(`${version}: the agent reads what is true, and no key`, (t) =>
    inScene(`words ${version}`, async (scene) => {
      prepareHome(scene, `${scene.dir}/project`, { idleAfterMs: 8000 });
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      Object.assign(stage.model.scenarios, SCENARIOS);
      const claude = await stage.start();
      const { session } = stage;
      const isIdle = (wake: string) => /^type: idle_prompt$/m.test(section(wake, "TRIGGER"));
      const next = (before: number, isWanted = (wake: string) => !isIdle(wake)) =>
        until("a wake", () => stage.wakes().filter(isWanted)[before], {
          present: () => stage.journal(),
        });
      const stops = () =>
        stage.journal().filter(({ event, kind }) =>
          event === "Stop" && (kind === "queued" || kind === "suppressed")
        );
      const must = async (title: string, play: () => Promise<void>) => {
        if (!await t.step(title, play)) throw new Error(`Not so: ${title}`);
      };

      await must("a turn without a word repeats nothing of the turn before", async () => {
        await claude.submit("SCENARIO:deploy");
        assertEquals(section(await next(0), "CONTENT"), DEPLOY);
        await claude.waitUntilIdle();
        stage.model.queue.push({ say: [] }, { say: [] }); // Claude is asked once more
        await claude.submit("And now?");
        const told = section(await next(1), "CONTENT");
        assertEquals(told, "(The turn ended without a word from Claude.)");
        await claude.waitUntilIdle();
      });

      await must("a person's shell line that Claude leaves alone wakes no agent", async () => {
        await claude.submit("SCENARIO:deploy");
        await next(2);
        await claude.waitUntilIdle();
        const before = stops().length;
        stage.model.queue.push({ say: [] }, { say: [] });
        await claude.keys("!");
        await claude.waitForScreen("the shell's box", (screen) => /^!\s*$/m.test(screen));
        await claude.keys("-l", "echo one");
        await claude.waitForScreen("the shell line", (screen) => /^!\s*echo one\s*$/m.test(screen));
        await claude.keys("Enter");
        const stop = await until("its Stop", () => stops()[before], {
          present: () => stage.journal(),
        });
        assertEquals(stop.kind, "suppressed");
        await claude.waitUntilIdle();
      });

      await must("an answer that the token limit has cut is sent whole", async () => {
        await claude.submit("SCENARIO:cut");
        assertEquals(section(await next(3), "CONTENT"), HALVES);
        await claude.waitUntilIdle();
      });

      await must(
        "a queued text is read with the result of a tool call, not after the turn",
        async () => {
          const file_path = `${claude.project}/notes.txt`;
          Deno.writeTextFileSync(file_path, "notes");
          const read = { say: [{ tool: "Read", input: { file_path } }] };
          const typed = Promise.withResolvers<void>();
          stage.model.scenarios.read = [{ ...read, hold: typed.promise }, read, { say: "Read." }];
          const asked = () =>
            stage.model.asked().filter(({ scenario }) => scenario === "read").map(({ body }) =>
              body
            );
          await claude.submit("SCENARIO:read");
          await until("Claude to work", () => asked().length === 1);
          const said = await stage.must("--queue", session, "type", "Mind the docs");
          assertEquals(said, 'Queued: "Mind the docs" (with keys)\n');
          typed.resolve();
          assertEquals(section(await next(4), "CONTENT"), "Read.");
          const [first, second, third] = asked().map((body) => JSON.stringify(body.messages));
          assert(!first!.includes("Mind the docs") && second!.includes("Mind the docs"));
          assertEquals(asked().length, 3, third);
          await claude.waitUntilIdle();
        },
      );

      await must("no part of a key is shown, though the dialog breaks it over lines", async () => {
        const resize = ["resize-window", "-t", claude.pane, "-y", "40", "-x"];
        await stage.server.tmux(...resize, "80");
        const pending = await stage.ask(claude, "key");
        const said = [
          await stage.must(session, "snapshot"),
          await stage.must("--json", session, "snapshot"),
          (await stage.drive("--wait", "0", session, "type", "hello")).stderr,
          await stage.reply(pending, "allow"),
          await next(5),
        ];
        const parts = Array.from(KEY.slice(13), (_, at) => KEY.slice(13 + at, 21 + at)).slice(
          0,
          -8,
        );
        for (const text of said) {
          assertEquals(parts.filter((part) => text.includes(part)), [], text);
        }
        assertMatch(said[3]!, /^Allowed "Bash touch made-with-key && printf %s sk-ant-\*{3}"/);
        assertStringIncludes(await next(6), "It is made.");
        await claude.waitUntilIdle();
      });

      await must("a turn beside an endless task is over, and the reminder comes", async () => {
        await claude.submit("SCENARIO:server");
        const end = await next(7);
        assertStringIncludes(section(end, "CONTENT"), "What next?");
        assertStringIncludes(section(end, "CONTENT"), '- shell "Dev server"');
        assertEquals(section(end, "STATE HINT"), "state: idle");
        const reminder = await next(0, (wake) => isIdle(wake) && wake.includes("[NO CHANGE]"));
        const [id] = /^wake_id: (.+)$/m.exec(end)!.slice(1);
        assertStringIncludes(section(reminder, "NO CHANGE"), `Nothing new since wake ${id}:`);
      });
    }));
}
