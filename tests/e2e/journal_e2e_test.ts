/** A person, an agent and the keyboard take turns with one Claude Code; the journal distinguishes them. */

import { assertEquals } from "@std/assert";
import { readScreen } from "../../lib/pane.ts";
import { whyNoRecord } from "../../lib/story/journal_schema.ts";
import { inScene } from "../support/artefacts.ts";
import { press } from "../support/claude_keys.ts";
import { VERSIONS } from "../support/real_programs.ts";
import { until } from "../support/until.ts";
import { AnswersStage } from "./answers_stage.ts";

type Line = Record<string, unknown>;

for (const version of VERSIONS.claude) {
  Deno.test(`${version}: the journal says who typed, who answered and who left a question`, () =>
    inScene(`journal ${version}`, async (scene) => {
      const stage = new AnswersStage(scene, { version, hookRoad: true });
      const claude = await stage.start();
      const find = (what: string, fits: (line: Line) => boolean) =>
        until(what, () => stage.journal().find(fits), { present: () => stage.journal() });
      const ends = (count: number) =>
        until(
          `${count} ends of turns`,
          () => {
            const lines = stage.journal().filter((line) =>
              line.kind === "queued" && line.trigger === "response_complete"
            );
            return lines.length >= count ? lines : undefined;
          },
          { present: () => stage.journal() },
        );

      // Somebody at Claude Code's own prompt.
      await claude.submit("SCENARIO:hello by hand");
      const [byHand] = await ends(1);
      const typed = await find("a prompt", (line) => line.kind === "prompt");
      assertEquals([typed.by_kind, typed.text], ["keyboard", "SCENARIO:hello by hand"]);
      assertEquals([byHand?.prompted_by, byHand?.prompt_id], ["human", typed.prompt_id]);
      await claude.waitUntilIdle();

      // The agent, in several lines.
      await stage.must(stage.session, "type", "SCENARIO:hello by the agent\nand a second line");
      const [, byAgent] = await ends(2);
      const order = await find("an instruction", (line) => line.kind === "instruction");
      assertEquals(
        [order.action, order.by, order.by_kind, order.text],
        ["type", "warden", "agent", "SCENARIO:hello by the agent\nand a second line"],
      );
      const caused = await find(
        "its prompt",
        (line) => line.kind === "prompt" && line.instruction_id === order.instruction_id,
      );
      assertEquals([caused.by, byAgent?.prompted_by], ["warden", undefined]);
      await claude.waitUntilIdle();

      // A person in a terminal of their own, by the same command as the agent.
      const launcher = `${stage.paths.data}/bin/menu-driver`;
      const words = `env USER=ana ${launcher} ${stage.session} type SCENARIO:hello by a person`;
      const set = Object.entries(stage.env).map(([name, value]) => `${name}='${value}'`).join(" ");
      await stage.server.session("person", `sh -c "${set} ${words}; sleep 600"`);
      const third = (await ends(3))[2];
      const ordered = await find(
        "a person's instruction",
        (line) => line.kind === "instruction" && line.by === "ana",
      );
      assertEquals(ordered.by_kind, "person");
      assertEquals(third?.prompted_by, "human");
      await claude.waitUntilIdle();

      // A question, three times: the agent answers, the keyboard answers, Esc leaves it.
      const asked = (await stage.ask(claude, "single"))!;
      await stage.reply(asked, "choose", "2");
      const answer = await find(
        "the agent's answer",
        ({ question_id, kind }) => kind === "answered" && question_id === asked.id,
      );
      assertEquals([answer.by_kind, answer.via, answer.outcome], ["agent", "hook", "given"]);
      assertEquals(Number(answer.after_ms) > 0, true);
      await ends(4);
      await claude.waitUntilIdle();

      const again = (await stage.ask(claude, "single"))!;
      await press(claude, "3", { hasWorked: (screen) => !readScreen(screen).dialog });
      const pressed = await find(
        "the keyboard's answer",
        ({ question_id, kind }) => kind === "answered" && question_id === again.id,
      );
      assertEquals([pressed.by_kind, pressed.outcome], ["keyboard", "given"]);
      assertEquals(JSON.stringify(pressed.decision).includes("MongoDB"), true);
      await ends(5);
      await claude.waitUntilIdle();

      const left = (await stage.ask(claude, "single"))!;
      await press(claude, "Escape", { hasWorked: (screen) => !readScreen(screen).dialog });
      const escaped = await find(
        "the trace of Esc",
        ({ question_id, kind }) => kind === "answered" && question_id === left.id,
      );
      assertEquals([escaped.by_kind, escaped.outcome], ["keyboard", "left"]);

      const byDriver = (await stage.ask(claude, "single"))!;
      await stage.must(stage.session, "esc");
      const closed = await find(
        "the agent's Esc",
        ({ question_id, kind }) => kind === "answered" && question_id === byDriver.id,
      );
      assertEquals([closed.by, closed.by_kind, closed.outcome], ["warden", "agent", "left"]);

      assertEquals(stage.journal().filter((line) => whyNoRecord(line) !== undefined), []);
      const answers = stage.journal().filter(({ kind }) => kind === "answered");
      assertEquals(answers.length, 4, "each question has one record of its end");

      // What log and report make of it.
      const said = async (...words: string[]) => {
        const { code, stdout, stderr } = await stage.deno("commands/gsd_code.ts", ...words);
        assertEquals([code, stderr], [0, ""]);
        return stdout;
      };
      const lines = (await said("log", "--kind", "typed,asks,answered,left")).split("\n").slice(1);
      const whoDidWhat = lines.filter((line) => line !== "").map((line) =>
        line.split(/ {2,}/).slice(2, 4).join(" ")
      );
      const byHandAgain = ["keyboard typed", "Claude asks"];
      assertEquals(whoDidWhat, [
        ...["keyboard typed", "warden typed", "ana typed"],
        ...[...byHandAgain, "warden answered", ...byHandAgain, "keyboard answered"],
        ...[...byHandAgain, "keyboard left", ...byHandAgain, "warden left"],
      ]);
      const { sessions, totals } = JSON.parse(await said("report", "--since", "1h", "--json"));
      const [{ turns, human_turns, asked: questions, time_ms, unsent }] = sessions;
      assertEquals([sessions.length, turns, human_turns, unsent], [1, 5, 4, 0]);
      assertEquals(
        questions.map((one: Line) => [one.by, one.outcome, one.answer]),
        [
          ["warden", "given", "SQLite"],
          ["keyboard", "given", "MongoDB"],
          ["keyboard", "left", undefined],
          ["warden", "left", undefined],
        ],
      );
      assertEquals([time_ms.lost, time_ms.api, totals.unanswered], [0, 0, 0]);
      const spent = Number(time_ms.working) + Number(time_ms.agent) + Number(time_ms.human);
      assertEquals(spent > 0, true);
      const whole = await said("log", "--wake", String(byAgent?.wake_id));
      assertEquals(whole.includes("[CONTENT]\n") && whole.includes("Good day."), true, whole);
    }));
}
