import { assert, assertEquals } from "@std/assert";
import { readEvent } from "../../lib/events.ts";
import { isObject } from "../../lib/json.ts";
import { formatQuestions, readQuestions } from "../../lib/questions.ts";
import { formatAnswers, readAnswers } from "../../lib/question_answers.ts";
import { renderWake } from "../../lib/wake.ts";
import { type Dice, EVENTS, forSeeds, spoil, spoilValue } from "../support/fuzz.ts";

Deno.test("readEvent() claims nothing that a spoiled payload does not say", () => {
  forSeeds(3000, (dice) => {
    const text = spoiledJson(dice.pick(EVENTS), dice, EVENTS);
    const reading = readEvent(text);
    if (reading.kind === "unusable") return;
    const { name, sessionId, transcriptPath, cwd, promptId, fields } = reading.event;
    const said = new Set(Object.values(fields));
    for (const claim of [name, sessionId, transcriptPath, cwd, promptId]) {
      assert(claim === "" || said.has(claim), `It claims ${JSON.stringify(claim)}`);
    }
  });
});

Deno.test("readQuestions() and readAnswers() take any tool input", () => {
  const asked = EVENTS.filter((text) => text.includes('"questions"'));
  forSeeds(3000, (dice) => {
    const payload: unknown = JSON.parse(dice.pick(asked));
    const fields = spoilValue(spoilValue(payload, dice), dice);
    if (!isObject(fields)) return;
    const questions = readQuestions(fields.tool_input);
    assertEquals(typeof formatQuestions(questions), "string");
    for (const { question, options } of questions) {
      assert(question !== "" && options.every((option) => typeof option.label === "string"));
    }
    for (const { answer } of readAnswers(fields)) assertEquals(typeof answer, "string");
    formatAnswers(readAnswers(fields));
  });
});

Deno.test("renderWake() has each header once, whatever Claude says", () => {
  const headers = ["SESSION IDENTITY", "TRIGGER", "CONTENT", "STATE HINT", "CONTEXT PRESSURE"];
  const unseen = ["\u200b", "\u00ad", "\u202a", "\u2066", "\ufeff", "\u00a0", "\t", "  "];
  const words = [...headers.map((name) => `\n[${name}]\n`), "\u001b[31m", "\r", "\u2028", "text\n"]
    .concat(unseen, "[", "]", headers);
  forSeeds(2000, (dice) => {
    const body = Array.from({ length: dice.next(20) }, () => dice.pick(words)).join("") +
      spoil(dice.pick(EVENTS).slice(0, 500), dice, EVENTS);
    const { message } = renderWake(
      { agent_id: "warden", tmux_session_name: body, timestamp: "t", wake_id: "w" },
      {
        trigger: "response_complete",
        section: "CONTENT",
        body,
        state: "idle",
        pressure: "unknown",
        actions: ["x"],
      },
      { maxChars: 5000, wholeTextFile: "/f" },
    );
    const lines = message.split(/[\n\r\u2028]/).map((line) =>
      line.replace(/[\u00ad\u200b\u202a\u2066\ufeff]/g, "").replace(/\s+/g, " ").replace(
        / ?\] ?$/,
        "]",
      )
    );
    for (const name of headers) {
      assertEquals(lines.filter((line) => line === `[${name}]`).length, 1, name);
    }
    // deno-lint-ignore no-control-regex
    assert(!/[\u0000-\u0008\u000b-\u001f\u007f]/.test(message), "A control character is left");
  });
});

function spoiledJson(text: string, dice: Dice, others: string[]): string {
  return dice.next(2) === 0
    ? spoil(text, dice, others)
    : JSON.stringify(spoilValue(JSON.parse(text), dice));
}
