import { assertEquals, assertStringIncludes } from "@std/assert";
import { isThere } from "../../lib/files.ts";
import { isObject } from "../../lib/json.ts";
import { inScene } from "../support/artefacts.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";

const HOSTILE = [
  "cat > notes.txt <<'END'",
  ...Array<string>(60).fill("Rewind"),
  "END",
  "touch made-by-claude",
].join("\n");

for (const version of VERSIONS.claude) {
  Deno.test(`${version}: no key accepts a permission for an agent that may not decide`, () =>
    inScene(`low ${version}`, async (scene) => {
      const hookSettings = { answer_permissions: false };
      const stage = new AnswersStage(scene, { version, hookRoad: false, hookSettings });
      const input = { command: HOSTILE, description: "Rewind" };
      stage.model.scenarios.hostile = [{ say: [{ tool: "Bash", input }] }, { say: "Done." }];
      const claude = await stage.start();
      await stage.ask(claude, "hostile");
      for (const size of ["80x24", "80x11", "80x10", "60x12", "40x16", "80x7"]) {
        const [x = "", y = ""] = size.split("x");
        await stage.server.tmux("resize-window", "-t", `=${stage.session}:`, "-x", x, "-y", y);
        for (const words of [["choose", "1"], ["enter"], ["submit"], ["type", "1"], ["allow"]]) {
          const { code } = await stage.drive("--wait", "1", stage.session, ...words);
          assertEquals(code, 1, `${size}: ${words.join(" ")}`);
        }
      }
      await stage.server.tmux("resize-window", "-t", `=${stage.session}:`, "-x", "80", "-y", "24");
      await claude.waitForScreen("the request", (screen) => screen.includes("1. Yes"));
      await stage.must(stage.session, "esc");
      await claude.waitUntilIdle();
      assertEquals(isThere(`${claude.project}/made-by-claude`), false);
    }));

  for (const hookRoad of [true, false]) {
    const road = hookRoad ? "through the hook" : "with keys";
    Deno.test(`${version}: a question with secrets is kept masked and answered ${road}`, () =>
      inScene(`masked ${version} ${road}`, async (scene) => {
        const stage = new AnswersStage(scene, { version, hookRoad });
        const key = ["ghp", "aB3dE5gH7jK9mN1pQrStUvWxYz0123456789"].join("_");
        const asked = {
          question: `Which key? TOKEN=${key} is old`,
          header: "Key",
          multiSelect: false,
          options: [
            { label: `Use ${key}`, description: "The old one" },
            { label: "A new one", description: "Draw it" },
          ],
        };
        const say = [{ tool: "AskUserQuestion", input: { questions: [asked] } }];
        stage.model.scenarios.secret = [{ say }, { say: "SECRET-END" }];
        const claude = await stage.start();
        const pending = await stage.ask(claude, "secret");
        const kept = await new Deno.Command("grep", {
          args: ["-rlF", key.slice(4), stage.paths.state],
        }).output();
        assertEquals(new TextDecoder().decode(kept.stdout), "");
        const said = await stage.reply(pending, "choose", "1");
        assertEquals(said.includes(key), false, said);
        const { tool_response: response } = await stage.next("PostToolUse", 0);
        assertEquals(isObject(response) && response.answers, { [asked.question]: `Use ${key}` });
        await claude.waitForScreen("the end", (screen) => screen.includes("SECRET-END"));
        const record = await until(
          "the answer in the journal",
          () => stage.journal().find(({ kind, by }) => kind === "answered" && by !== "human"),
          { present: () => JSON.stringify(stage.journal()) },
        );
        assertEquals(JSON.stringify(record).includes(key), false);
      }));
  }

  Deno.test(`${version}: Claude cannot answer itself by the driver`, () =>
    inScene(`itself ${version}`, async (scene) => {
      const args = ["--permission-mode", "bypassPermissions"];
      const stage = new AnswersStage(scene, { version, hookRoad: true, args });
      const driver = `${stage.paths.data}/bin/menu-driver`;
      const command = [
        `${driver} ${stage.session} type "from inside"`,
        `( setsid ${driver} ${stage.session} --queue type "from inside" >out 2>&1; ` +
        "mv out orphan ) & ",
        "wait; cat orphan",
      ].join("\n");
      const input = { command, description: "Answer" };
      stage.model.scenarios.itself = [{ say: [{ tool: "Bash", input }] }, { say: "Done." }];
      const claude = await stage.start();
      await claude.submit("SCENARIO:itself");
      const request = await until(
        "the result of the command",
        () => stage.model.asked().find(({ toolResults }) => toolResults.length > 0),
        { present: claude.capture },
      );
      const [first = "", second = ""] = request.toolResults.join("\n").split("\n")
        .filter((line) => line.startsWith("Cannot"));
      assertStringIncludes(first, "this command runs inside the session that it would answer");
      assertStringIncludes(second, "this command runs inside the session that it would answer");
    }));
}
