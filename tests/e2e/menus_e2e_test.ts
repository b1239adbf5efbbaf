import { isThere } from "../../lib/files.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { isObject } from "../../lib/json.ts";
import { readScreen } from "../../lib/pane.ts";
import { inScene } from "../support/artefacts.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";

for (const version of VERSIONS.claude) {
  Deno.test(`${version}: keys answer a question whose hook no longer waits, in a small window`, () =>
    inScene(`late ${version}`, async (scene) => {
      const hookSettings = { answer_timeout_s: 5 };
      const stage = new AnswersStage(scene, { version, hookRoad: true, hookSettings });
      const claude = await stage.start();
      await stage.server.tmux("resize-window", "-t", `=${stage.session}:`, "-x", "60", "-y", "15");
      const { pid } = (await stage.ask(claude, "three"))!;
      await until("the hook to leave", () => !isThere(`/proc/${pid}`));
      const said = await stage.must(stage.session, "answer", "2", "2,text:logs", "1");
      assertStringIncludes(said, "with keys");
      const { tool_response: response } = await stage.next("PostToolUse", 0);
      assert(isObject(response) && isObject(response.answers));
      assertEquals(response.answers["Which language?"], "Rust");
      assertEquals(response.answers['Which license, "quoted"?'], "MIT");
      assertStringIncludes(String(Object.values(response.answers)[1]), "logs");
      const wake = await until(
        "the wake of the answer",
        () => stage.wakes().find((message) => message.includes("type: ask_user_question_answered")),
      );
      assertStringIncludes(wake, "answered_by: keys warden");
    }));

  Deno.test(`${version}: two drivers take turns, and a second pane does no harm`, () =>
    inScene(`turns ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      const claude = await stage.start();
      await stage.server.tmux("new-window", "-t", `=${stage.session}:`, "sh");
      const texts = ["one", "two", "three"].map((word) => `${word} `.repeat(20).trim());
      await Promise.all(
        texts.map((text) => stage.must("--wait", "60", stage.session, "type", text)),
      );
      await until("three prompts", () => stage.payloads("UserPromptSubmit").length === 3);
      const prompts = stage.payloads("UserPromptSubmit").map((payload) => payload.prompt);
      assertEquals(prompts.sort(), texts.toSorted());
      const { pane } = JSON.parse(await stage.must("--json", stage.session, "snapshot"));
      assertEquals(pane, claude.pane);
    }));

  Deno.test(`${version}: a session is chosen in the resume picker`, () =>
    inScene(`picker ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      await stage.start();
      for (const [index, name] of ["first", "second"].entries()) {
        await stage.must("--wait", "30", stage.session, "type", `the ${name} conversation`);
        await stage.next("UserPromptSubmit", index);
        await stage.must("--wait", "30", stage.session, "type", "/clear");
      }
      await stage.must("--wait", "30", stage.session, "type", "/resume");
      const dialog = await until("the picker", async () => {
        const { dialog } = readScreen(await stage.server.capture(stage.session));
        return dialog?.kind === "resume_picker" && dialog.options.length > 1 && dialog;
      }, { present: () => stage.server.capture(stage.session) });
      // 2.1.197 shows titles that the model made; the older conversation comes last.
      const wanted = dialog.options.find((option) => option.label.includes("first")) ??
        dialog.options.at(-1)!;
      await stage.must(stage.session, "choose", String(wanted.number));
      await until("the first conversation", async () => {
        const screen = await stage.server.capture(stage.session);
        return readScreen(screen).state === "idle" && screen.includes("the first conversation");
      }, { present: () => stage.server.capture(stage.session) });
    }));
}
