/** The form of an MCP server on the real Claude Code: filled in, declined, left, stopped. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { listPending } from "../../lib/answers.ts";
import { inScene } from "../support/artefacts.ts";
import { section } from "../support/hook_world.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";

const SERVER = new URL("../support/forms_server.ts", import.meta.url).pathname;
const TOOL = "mcp__forms__ask";

for (const version of VERSIONS.claude) {
  Deno.test(`${version}: the agent fills in the form of an MCP server, or leaves it`, () =>
    inScene(`forms ${version}`, async (scene) => {
      const config = `${scene.dir}/mcp.json`;
      const server = { command: Deno.execPath(), args: ["run", "--no-config", SERVER] };
      Deno.writeTextFileSync(config, JSON.stringify({ mcpServers: { forms: server } }));
      const args = ["--mcp-config", config, "--allowedTools", TOOL];
      const stage = new AnswersStage(scene, { version, hookRoad: true, args });
      const claude = await stage.start();

      /** Has Claude call the tool, and returns what its wake has behind --question. */
      const asked = async (): Promise<{ wake: string; name: string }> => {
        await claude.waitUntilIdle();
        const before = stage.wakes().length;
        stage.model.queue.push({ say: [{ text: "I ask." }, { tool: TOOL, input: {} }] });
        await claude.submit("Deploy it");
        const wake = await until(
          "the wake of the form",
          () => stage.wakes().slice(before).find((one) => one.includes("type: elicitation_dialog")),
          { present: () => stage.journal() },
        );
        return { wake, name: /--question (f-\S+)/.exec(wake)![1]! };
      };
      const result = (count: number) =>
        until(
          "what the tool returned",
          () =>
            stage.model.asked().flatMap(({ toolResults }) => toolResults)
              .filter((text) => text.startsWith("The form:"))[count - 1],
        );
      const act = (name: string, ...words: string[]) =>
        stage.drive("--question", name, stage.session, ...words);

      const first = await asked();
      const content = section(first.wake, "CONTENT");
      assertStringIncludes(content, "The MCP server forms asks:\nWhere shall it be deployed?");
      assertStringIncludes(content, "- host (string): Host: Name of the host\n- port (integer, at");
      assertStringIncludes(content, '- level (string, optional): one of "low", "high"');
      const wrong = await act(first.name, "fill", "host=alpha", "port=70000");
      assertStringIncludes(wrong.stderr, "port is out of range: at least 1, at most 65535");
      const forged = await act(`${first.name.split(".")[0]}.WRONG`, "fill", "host=alpha");
      assertStringIncludes(forged.stderr, "is not its secret");
      const filled = await act(first.name, "fill", "host=alpha", "port=81", "dry=true");
      assertEquals([filled.stdout, filled.stderr], [
        "Filled in the form of forms (through the waiting hook)\n",
        "",
      ]);
      const values = { action: "accept", content: { host: "alpha", port: 81, dry: true } };
      assertEquals(await result(1), `The form: ${JSON.stringify(values)}`);

      const second = await asked();
      await stage.must("--question", second.name, stage.session, "decline");
      assertEquals(await result(2), 'The form: {"action":"decline"}');

      // A person sees it once it is left.
      const third = await asked();
      await stage.must("--question", third.name, stage.session, "leave");
      const isShown = (screen: string) => screen.includes("Name of the host");
      await claude.waitForScreen("the form", isShown);
      // 2.1.325 drops keys in the first moment of a dialog. A second one too many would stop the turn.
      const isClosed = async () =>
        stage.wakes().some((wake) => wake.includes("type: elicitation_response")) ||
        !isShown(await claude.capture());
      await until("the form to close", async () => {
        if (await isClosed()) return true;
        await claude.keys("Escape");
        return false;
      }, { everyMs: 8000, present: claude.capture });
      assertEquals(await result(3), 'The form: {"action":"cancel"}');

      // A person stops the turn: nothing is filled in behind that person's back.
      const fourth = await asked();
      await claude.keys("Escape");
      await claude.waitUntilIdle();
      const late = await act(fourth.name, "fill", "host=alpha");
      assertEquals(late.code, 1, late.stdout);
      await until("nothing to be open", () => listPending(stage.paths, stage.session).length === 0);
      const records = stage.journal().filter(({ kind }) => kind === "answered");
      assertEquals(
        records.map(({ outcome, by, via }) => [outcome, by, via]),
        [
          ["given", "warden", "hook"],
          ["given", "warden", "hook"],
          ["left", "warden", "hook"],
          ["left", "keyboard", "keyboard"],
        ],
      );
    }));
}
