/** Keys in hard cases: low windows, drafts, odd letters, other panes, screens that cannot be read. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { asDrawn } from "../../lib/doors/as_drawn.ts";
import { isThere } from "../../lib/files.ts";
import { readScreen } from "../../lib/pane.ts";
import { inScene } from "../support/artefacts.ts";
import { writeExecutable } from "../support/executable.ts";
import { claudeProgram, VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";

/** The last ones leave the screen of 2.1.325 in disorder. */
const TEXTS = ["cafe\u0301", "so\u00adft", "zero\u200bwidth", "नमस्ते", "ok 👍🏽"];
const LONG_ROW = `touch made-in-low-window # ${"a long comment ".repeat(8)}`;

for (const version of VERSIONS.claude) {
  Deno.test(`${version}: keys in the hard cases`, (t) =>
    inScene(`hard keys ${version}`, async (scene) => {
      // A shell is behind Claude Code that does not look like one at its prompt.
      const program = `${scene.dir}/start`;
      const real = await claudeProgram(version);
      writeExecutable(program, `#!/bin/sh\n${real} "$@"\nPS1="shell> " exec sh -o emacs\n`);
      const stage = new AnswersStage(scene, { version, hookRoad: false, program });
      stage.model.scenarios.hang = { say: "Too late.", hold: new Promise(() => {}) };
      const input = { command: LONG_ROW, description: "Make a file" };
      stage.model.scenarios.row = [{ say: [{ tool: "Bash", input }] }, { say: "Ran." }];
      const claude = await stage.start();
      const { session, server } = stage;
      const must = async (name: string, step: () => Promise<void>) => {
        if (!await t.step(name, step)) throw new Error(`"${name}" failed`);
      };
      const refuses = async (args: string[], reason: string) => {
        const done = await stage.drive("--wait", "1", "--road", "keys", session, ...args);
        assertEquals([done.code, done.stdout], [1, ""], args.join(" "));
        assertStringIncludes(done.stderr, reason);
      };
      const draftIs = (draft: string) =>
        claude.waitForScreen(`the draft "${draft}"`, (s) => readScreen(s).draft === draft);
      const window = async () => ({
        size: await server.tmux(
          ...["display-message", "-p", "-t", claude.pane, "#{window_width}x#{window_height}"],
        ),
        options: await server.tmux("show-options", "-w", "-t", claude.pane),
      });

      const mayDecide = (answer_permissions: boolean) => {
        const registry = JSON.parse(Deno.readTextFileSync(stage.paths.registry));
        registry.agents[0].hook_settings = { answer_permissions };
        Deno.writeTextFileSync(stage.paths.registry, JSON.stringify(registry));
      };

      await must("a low window is made higher for the look, and only then", async () => {
        await stage.ask(claude, "row");
        for (const size of ["80x14", "60x12", "40x16", "80x11", "80x8"]) {
          const [x = "", y = ""] = size.split("x");
          await server.tmux("resize-window", "-t", claude.pane, "-x", x, "-y", y);
          await server.tmux("set-option", "-w", "-u", "-t", claude.pane, "window-size");
          await claude.waitForScreen("the dialog", (s) => readScreen(s).dialog !== undefined);
          const seen = JSON.parse(await stage.must("--json", session, "snapshot"));
          assertEquals([seen.dialog.kind, seen.dialog.whole], ["permission", true], size);
          mayDecide(false);
          for (const words of [["choose", "1"], ["enter"], ["allow"]]) {
            await refuses(words, "answer_permissions is not true");
          }
          mayDecide(true);
          assertEquals(await window(), { size, options: "" });
        }
        await stage.must(session, "choose", "1");
        await until("the file", () => isThere(`${claude.project}/made-in-low-window`));
        assertEquals(await window(), { size: "80x8", options: "" });
        await server.tmux("resize-window", "-t", claude.pane, "-x", "140", "-y", "50");
        await claude.waitUntilIdle();
      });

      await must("a prompt that comes back is cleared, a person's draft is not", async () => {
        const lines = Array.from({ length: 60 }, (_, at) => `line ${at} of a longer text`);
        for (const text of ["SCENARIO:hang", `SCENARIO:hang\n${lines.join("\n")}`]) {
          await stage.must("--wait", "30", session, "type", text);
          await claude.waitForScreen("a turn", (s) => readScreen(s).state === "working");
          await stage.must(session, "esc");
          const look = async () => (await stage.drive("--json", session, "snapshot")).stdout;
          await until("the prompt in the box", async () => JSON.parse(await look()).draft !== "");
          await refuses(["type", "hello"], "your own text is in the box (clear empties it");
          assertStringIncludes(await stage.must(session, "clear"), "Cleared the input box");
          await draftIs("");
        }
        for (const draft of ["half a thought", "!touch made-by-enter"]) {
          const shown = draft.replace("!", "");
          await claude.keys("-l", draft);
          await draftIs(shown);
          for (const words of [["type", "hello"], ["clear"], ["enter"], ["submit"]]) {
            await refuses(words, "a person is typing there: wait, or tell your human");
          }
          await draftIs(shown);
          await stage.must("--anyway", session, "clear");
          await claude.waitForScreen("an empty prompt", (s) => readScreen(s).ready);
          await draftIs("");
        }
      });

      await must("a screen that cannot be read is shown and left", async () => {
        await stage.must("--wait", "30", session, "type", "/stats");
        const seen = await until("the statistics", async () => {
          const { code, stdout } = await stage.drive(session, "snapshot");
          return code === 0 && stdout.includes("Stats") && stdout;
        });
        assert(/\[state: (unknown|menu)/.test(seen), seen);
        await refuses(["type", "hello"], "");
        // A page that has just opened drops keys.
        await until("the prompt", async () => {
          if (readScreen(await claude.capture()).ready) return true;
          await stage.drive(session, "esc");
          return false;
        });
        await claude.waitUntilIdle();
      });

      await must("keys reach one pane where synchronize-panes is on", async () => {
        const split = ["split-window", "-d", "-h", "-P", "-F", "#{pane_id}", "-t", claude.pane];
        const other = await server.tmux(...split, "cat");
        await server.tmux("set-option", "-w", "-t", claude.pane, "synchronize-panes", "on");
        const before = stage.payloads("UserPromptSubmit").length;
        await stage.must("--wait", "30", session, "type", "to one pane");
        await stage.next("UserPromptSubmit", before);
        assertEquals((await server.tmux("capture-pane", "-p", "-t", other)).trim(), "");
        await server.tmux("kill-pane", "-t", other);
      });

      await must("letters that a terminal draws otherwise arrive", async () => {
        for (const text of TEXTS) {
          const before = stage.payloads("UserPromptSubmit").length;
          await stage.must("--wait", "30", session, "type", text);
          const { prompt } = await stage.next("UserPromptSubmit", before);
          // Claude Code joins accents; 2.1.325 removes what has no width.
          assertEquals(asDrawn(String(prompt)), asDrawn(text));
        }
      });

      await must("exit is reported as the end, and its shell gets no key", async () => {
        const said = await stage.must("--wait", "30", session, "type", "exit");
        assertEquals(said, 'Typed "exit": Claude Code has ended\n');
        const shown = await until("the shell", async () => {
          const screen = await claude.capture();
          return screen.includes("shell>") && screen;
        });
        assertEquals(shown.split("shell>").length, 2, shown);
      });
    }));
}
