import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readScreen } from "../../lib/pane.ts";
import { inScene } from "../support/artefacts.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";

const LINE = "line with \"quotes\" and 'single' and $VAR `tick` žluť 🐎 end";
const TEXTS: Record<string, string> = {
  "a leading dash": "-rf is not an option",
  "two leading dashes": "--help me",
  "a path at the start": "/tmp/some/path is where it lies",
  "an exclamation mark at the start": "!important: do not run this",
  "an exclamation mark before two lines": "!first\nsecond",
  "a semicolon at the end": "echo one; echo two;",
  "a backslash at the end": "continue here \\",
  "a name at the end": "ask @",
  "quotes and unicode": LINE,
  "several lines": "first\n\n  indented\n- list; item\\\nlast",
  "5 KB": Array.from({ length: 80 }, (_, index) => `${index}. ${LINE}`).join("\n"),
  "60 KB": Array.from({ length: 900 }, (_, index) => `${index}. ${LINE}`).join("\n"),
  "one long line": "word ".repeat(150) + "end",
};

for (const version of VERSIONS.claude) {
  Deno.test(`${version}: what is typed arrives as it is`, (t) =>
    inScene(`typing ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      await stage.start();
      for (const [name, text] of Object.entries(TEXTS)) {
        await must(t, name, async () => {
          const before = stage.payloads("UserPromptSubmit").length;
          await stage.must("--wait", "30", stage.session, "type", text);
          const payload = await stage.next("UserPromptSubmit", before);
          assertEquals(payload.prompt, text);
        });
      }
      await must(t, "clear_then", async () => {
        const before = stage.payloads("UserPromptSubmit").length;
        const text = "and now THIS SCENARIO:slow";
        const said = await stage.must("--wait", "30", stage.session, "clear_then", text);
        assertEquals(said, `Cleared the conversation, then typed "${text}" (with keys)\n`);
        const payload = await stage.next("UserPromptSubmit", before);
        assertEquals(payload.prompt, text);
      });
      await must(t, "words that are queued", async () => {
        const said = await stage.must("--queue", stage.session, "type", "Then the Docs");
        assertEquals(said, 'Queued: "Then the Docs" (with keys)\n');
      });
      assertEquals(await stage.server.tmux("list-buffers"), "");
    }));

  for (const word of ["/exit", "/quit", ":q"]) {
    Deno.test(`${version}: ${word} is typed, and Claude Code has ended`, () =>
      inScene(`exit ${version}`, async (scene) => {
        const stage = new AnswersStage(scene, { version, hookRoad: true });
        // Without its session tmux would end, too.
        await stage.server.tmux("new-session", "-d", "-s", "other", "sleep 1000");
        await stage.start();
        const said = await stage.must(stage.session, "type", word);
        assertEquals(said, `Typed "${word}": Claude Code has ended\n`);
      }));
  }

  Deno.test(`${version}: what must not be typed is refused`, (t) =>
    inScene(`refusals ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, {
        version,
        hookRoad: true,
        hookSettings: { answer_permissions: false },
      });
      const claude = await stage.start();
      const prompts = () => stage.payloads("UserPromptSubmit").length;
      const refuses = async (args: string[], reason: string) => {
        const before = await claude.capture();
        const done = await stage.drive("--wait", "1", ...args);
        assertEquals([done.code, done.stdout], [1, ""], `${args.join(" ")}: ${done.stderr}`);
        assertStringIncludes(done.stderr, reason);
        assertEquals(done.stderr.trimEnd().split("\n").length, 1);
        assertEquals(drawn(await claude.capture()), drawn(before));
      };
      const { session } = stage;

      await t.step(
        "a session that only begins with the name",
        () => refuses(["warden", "type", "hello"], 'there is "warden-main"'),
      );
      await t.step(
        "a session that does not exist",
        () => refuses(["nobody", "type", "hello"], "there is no tmux session of that name"),
      );
      await t.step(
        "a choice where nothing is asked",
        () => refuses([session, "choose", "1"], "no question is open; the present state is idle"),
      );
      await must(t, "a draft in the box", async () => {
        await claude.keys("half", "Space", "a", "Space", "thought");
        await claude.waitForScreen("the draft", (s) => readScreen(s).draft === "half a thought");
        await refuses(["--road", "keys", session, "type", "hello"], 'the draft "half a thought"');
        await refuses([session, "clear_then", "hello"], "a person is typing there");
        await claude.keys("C-u");
        await claude.waitForScreen("an empty box", (s) => readScreen(s).draft === "");
      });
      await must(t, "a command that Claude Code does not have", async () => {
        const before = prompts();
        const done = await stage.drive(session, "type", "/tm");
        assertEquals(done.code, 1);
        assertStringIncludes(done.stderr, 'Claude Code has no command "/tm"');
        assertEquals(readScreen(await claude.capture()).draft, "");
        assertEquals(prompts(), before);
      });
      await must(t, "an option that is not there, and too few answers", async () => {
        await stage.ask(claude, "three");
        await refuses(
          [session, "answer", "9", "1", "1"],
          "has no option 9; its options are: 1. Type",
        );
        await refuses([session, "answer", "1"], "3 questions are open and 1 answer given");
        await refuses([session, "answer", "1,2", "1", "1"], "takes one answer");
        await refuses([session, "clear_then", "hello"], "a dialog is open");
        await refuses(["--question", "q-gone", session, "choose", "1"], "no longer open");
        await stage.must(session, "answer", "1", "1", "1");
        await claude.waitUntilIdle();
      });
      await must(t, "a permission that the agent may not give", async () => {
        await claude.submit("SCENARIO:bash");
        await claude.waitForScreen("a dialog", (s) => readScreen(s).dialog !== undefined);
        await refuses([session, "allow"], "answer_permissions is not true");
        await refuses([session, "choose", "1"], "answer_permissions is not true");
        await refuses([session, "enter"], "answer_permissions is not true");
        await refuses([session, "type", "hello"], "the present state is permission_prompt");
        await stage.must(session, "esc");
        await claude.waitForScreen("the prompt", (s) => readScreen(s).dialog === undefined);
      });
      await must(t, "a shell", async () => {
        await stage.server.tmux("new-session", "-d", "-s", "plain", "-x", "100", "-y", "30", "sh");
        await until("a shell's prompt", async () => (await stage.server.capture("plain")).trim());
        await refuses(["plain", "type", "hello"], "no pane of it shows Claude Code");
        assert(!(await stage.server.capture("plain")).includes("hello"));
      });
      await must(t, "text that would press keys", async () => {
        const done = await stage.drive("--road", "keys", session, "type", "a\u001b[201~\rb");
        assertEquals(done.code, 2);
        assertStringIncludes(done.stderr, "U+001B");
      });
    }));
}

async function must(t: Deno.TestContext, name: string, step: () => Promise<void>) {
  if (!await t.step(name, step)) throw new Error(`"${name}" failed`);
}

/** Without hints that come and go by themselves. */
function drawn(capture: string) {
  const { state, draft, dialog } = readScreen(capture);
  return { state, draft, dialog };
}
