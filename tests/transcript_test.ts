import { assertEquals } from "@std/assert";
import { joinBlocks, type Line } from "../lib/transcript.ts";
import {
  followsStop,
  readLastTurn,
  sinceLastStop,
  withBegun,
  withEarlierBlocks,
} from "../lib/last_turn.ts";
import { fixtureEvent, fixtureTranscript } from "./support/fixtures.ts";

function backwards(lines: string[]): Line[] {
  return lines.map((text) => ({ text, partial: false })).reverse();
}

interface Recorded {
  event: string;
  transcript: string;
  /** The number of lines that were written. */
  written: number;
  text: string;
}

const A = "Final text part A. MIXED-3A", B = "Final text part B. MIXED-3B";
const THANKS = "Thanks, going with that. ASK-END";

// deno-fmt-ignore
const RECORDED: Record<string, Recorded> = {
  "the whole turn is written":
    { event: "stop-after-thinking", transcript: "mixed-blocks-and-errors", written: 97, text: "Answer after thinking. THINKING-END" },
  "only the thinking is written":
    { event: "stop-after-thinking", transcript: "mixed-blocks-and-errors", written: 94, text: "" },
  "nothing of the turn is written but its prompt":
    { event: "stop-after-thinking", transcript: "mixed-blocks-and-errors", written: 93, text: "" },
  "not even the prompt is written":
    { event: "stop-after-thinking", transcript: "mixed-blocks-and-errors", written: 92, text: "" },
  "the last message has two text blocks":
    { event: "stop-two-text-blocks", transcript: "mixed-blocks-and-errors", written: 122, text: `${A}\n\n${B}` },
  "only the first of two text blocks is written":
    { event: "stop-two-text-blocks", transcript: "mixed-blocks-and-errors", written: 119, text: A },
  "the last message is not written, one before its tools is":
    { event: "stop-two-text-blocks", transcript: "mixed-blocks-and-errors", written: 112, text: "Text between the tools. MIXED-2" },
  "a turn without a word does not take the words of the turn before":
    { event: "stop-no-text", transcript: "mixed-blocks-and-errors", written: 135, text: "" },
  "later turns are in the file already":
    { event: "stop-after-ask", transcript: "plain-and-questions", written: 60, text: THANKS },
  "the answer after a question":
    { event: "stop-after-ask", transcript: "plain-and-questions", written: 37, text: THANKS },
  "the last line is late":
    { event: "stop-last-line-missing", transcript: "at-stop-last-line-missing", written: 200, text: "I need one decision." },
  "an API error is not what Claude said":
    { event: "stop_failure-rate_limit", transcript: "after-compact", written: 39, text: "" },
  "a turn that a background task began":
    { event: "stop-woken-by-background", transcript: "background-tasks", written: 320, text: "Background task reported. BGBASH-WOKEN" },
};

for (const [title, { event, transcript, written, text }] of Object.entries(RECORDED)) {
  Deno.test(`readLastTurn() finds the turn's last text when ${title}`, () => {
    const lines = fixtureTranscript(transcript).slice(0, written);
    const turn = readLastTurn(backwards(lines), fixtureEvent(event).prompt_id as string);
    assertEquals(joinBlocks(turn.blocks), text);
  });
}

Deno.test("readLastTurn() takes the last turn when the event names no prompt", () => {
  const lines = fixtureTranscript("plain-and-questions").slice(0, 27);
  const text = joinBlocks(readLastTurn(backwards(lines), "").blocks);
  assertEquals(text, fixtureEvent("stop-plain").last_assistant_message);
});

Deno.test("readLastTurn() has the tokens of this turn, and none of another", () => {
  const lines = fixtureTranscript("after-compact");
  const promptId = JSON.parse(lines[162]!).promptId;
  const tokens = (written: number, prompt: string) =>
    readLastTurn(backwards(lines.slice(0, written)), prompt).tokens;
  assertEquals(tokens(164, promptId), 850_050);
  assertEquals(tokens(171, promptId), 850_050); // the next turn is there already
  assertEquals(tokens(163, promptId), undefined);
  assertEquals(tokens(164, "no such prompt"), undefined);
});

const user = (promptId: string, content: unknown = "do it", more = {}) =>
  JSON.stringify({ type: "user", promptId, message: { role: "user", content }, ...more });
const claude = (id: string, block: Record<string, unknown>, more = {}, stop = "end_turn") =>
  JSON.stringify({
    type: "assistant",
    message: { id, model: "m", content: [block], stop_reason: stop },
    ...more,
  });
const text = (words: string) => ({ type: "text", text: words });
const THOUGHT = { type: "thinking", thinking: "hm" };
const SUMMARY = JSON.stringify({ type: "system", subtype: "stop_hook_summary" });
const feedback = (promptId: string) =>
  user(promptId, "Stop hook feedback:\ngo on", { isMeta: true });

// deno-fmt-ignore
const MADE: Record<string, { lines: string[]; text: string }> = {
  "a subagent's lines stand in between":
    { lines: [user("p"), claude("1", text("mine")), claude("2", text("its"), { isSidechain: true })], text: "mine" },
  "the last line is half written":
    { lines: [user("p"), claude("1", text("whole")), claude("2", text("half")).slice(0, 60)], text: "whole" },
  "a line Claude Code added itself follows":
    { lines: [user("p"), claude("1", text("words")), user("p", "carry on", { isMeta: true })], text: "words" },
  "the content is one string":
    { lines: [user("p"), JSON.stringify({ type: "assistant", message: { id: "1", content: "plain" } })], text: "plain" },
  "lines are not objects":
    { lines: [user("p"), claude("1", text("words")), "null", "[]", '"type":"user"', '{"type":"user","message":7}'], text: "words" },
  "the text only speaks of being a user":
    { lines: [user("p"), claude("1", text('{"type":"user","promptId":"q"}'))], text: '{"type":"user","promptId":"q"}' },
  "another prompt's answer comes last":
    { lines: [user("p"), claude("1", text("ours")), user("q"), claude("2", text("newer"))], text: "ours" },
  "a tool's result of another turn names no prompt":
    { lines: [user("p"), claude("1", text("ours")), user("q"), claude("2", {type: "tool_use"}, {}, "tool_use"), JSON.stringify({ type: "user", message: { content: [{ type: "tool_result" }] } }), claude("3", text("theirs"))], text: "ours" },
  "only another prompt's answer is there":
    { lines: [user("o"), claude("1", text("old"))], text: "" },
  "a Stop hook has ended the turn":
    { lines: [user("p"), claude("1", text("words")), SUMMARY], text: "words" },
  "Stop hooks have sent Claude on too often":
    { lines: [user("p"), claude("1", text("words")), feedback("p"), SUMMARY], text: "words" },
  "the message after a block has no word":
    { lines: [user("p"), claude("1", text("told")), feedback("p"), claude("2", THOUGHT)], text: "" },
  "the message after a hook's context has no word":
    { lines: [user("p"), claude("1", text("told")), SUMMARY, claude("2", THOUGHT)], text: "" },
  "the message after a block had a word before its tools ran":
    { lines: [user("p"), claude("1", text("told")), SUMMARY, claude("2", text("new"), {}, "tool_use"), user("p", [{ type: "tool_result" }]), claude("3", THOUGHT)], text: "new" },
  "a newer turn was sent on by a Stop hook":
    { lines: [user("p"), claude("1", text("ours")), SUMMARY, user("q"), claude("2", text("newer")), SUMMARY, claude("3", text("newest"))], text: "ours" },
  "a subagent's hooks have ended":
    { lines: [user("p"), claude("1", text("mine")), SUMMARY.replace("{", '{"isSidechain":true,'), claude("2", THOUGHT)], text: "mine" },
};

for (const [title, { lines, text: expected }] of Object.entries(MADE)) {
  Deno.test(`readLastTurn() finds the turn's last text when ${title}`, () => {
    assertEquals(joinBlocks(readLastTurn(backwards(lines), "p").blocks), expected);
  });
}

const HALVES = "The first half of the answer ends in the middle. And here is the second half.";
const THREE = "Part one, part two, part three.";

// deno-fmt-ignore
const CUT: Record<string, { event: string; transcript: string; text: string }> = {
  "once": { event: "stop-cut-once", transcript: "cut-by-the-token-limit", text: HALVES },
  "twice": { event: "stop-cut-twice", transcript: "cut-by-the-token-limit", text: THREE },
  "once, in 2.1.197": { event: "v197-stop-cut-once", transcript: "v197-cut-by-the-token-limit", text: HALVES },
  "twice, in 2.1.197": { event: "v197-stop-cut-twice", transcript: "v197-cut-by-the-token-limit", text: THREE },
};
for (const [title, { event, transcript, text: whole }] of Object.entries(CUT)) {
  Deno.test(`withEarlierBlocks() has all of an answer that the token limit cut ${title}`, () => {
    const { prompt_id, last_assistant_message } = fixtureEvent(event);
    const turn = readLastTurn(backwards(fixtureTranscript(transcript)), prompt_id as string);
    assertEquals(withEarlierBlocks(last_assistant_message as string, turn), whole);
    assertEquals(withBegun(joinBlocks(turn.blocks), turn), whole);
  });
}

Deno.test("withBegun() joins the pieces of one answer, and nothing from before a tool", () => {
  const limit = user("p", "Output token limit hit. Resume directly", { isMeta: true });
  const cut = (id: string, words: string) => claude(id, text(words), {}, "max_tokens");
  const whole = (...lines: string[]) => {
    const turn = readLastTurn(backwards([user("p"), ...lines]), "p");
    return withBegun(joinBlocks(turn.blocks), turn);
  };
  const last = claude("9", text("And B."));
  assertEquals(whole(cut("1", "A."), limit, last), "A.\n\nAnd B.");
  assertEquals(whole(cut("1", "A"), cut("1", "a"), cut("2", "b"), limit, last), "A\n\nabAnd B.");
  const result = user("p", [{ type: "tool_result" }]);
  const tool = claude("2", { type: "tool_use" }, {}, "tool_use");
  assertEquals(whole(cut("1", "A."), limit, tool, result, last), "And B.");
  assertEquals(whole(cut("1", "A."), limit), "A.");
});

// deno-fmt-ignore
const WITH_EVENT: Record<string, { lines: string[]; event: string; text: string }> = {
  "puts the blocks before it, where all are written":
    { lines: [user("p"), claude("1", text("A")), claude("1", text("B"))], event: "B", text: "A\n\nB" },
  "puts the blocks before it, where its own is late":
    { lines: [user("p"), claude("1", text("A"))], event: "B", text: "A\n\nB" },
  "does not repeat a single block":
    { lines: [user("p"), claude("1", text("B"))], event: "B", text: "B" },
  "keeps two blocks that say the same":
    { lines: [user("p"), claude("1", text("B")), claude("1", text("B"))], event: "B", text: "B\n\nB" },
  "leaves out what was said before a tool ran":
    { lines: [user("p"), claude("1", text("A"), {}, "tool_use"), claude("1", { type: "tool_use" }, {}, "tool_use")], event: "B", text: "B" },
  "leaves out what was said before Claude was sent on":
    { lines: [user("p"), claude("1", text("A")), user("p", "go on", { isMeta: true })], event: "B", text: "B" },
  "does not repeat a block that shares its line with another":
    { lines: [user("p"), JSON.stringify({ type: "assistant", message: { id: "1", stop_reason: "end_turn", content: [text("A"), text("B")] } })], event: "B", text: "A\n\nB" },
  "leaves out another turn":
    { lines: [user("o"), claude("1", text("A"))], event: "B", text: "B" },
  "leaves out what was sent before a hook's context sent Claude on":
    { lines: [user("p"), claude("1", text("A")), SUMMARY], event: "B", text: "B" },
  "puts the blocks before it, where it is not the first message of its turn":
    { lines: [user("p"), claude("1", text("A")), SUMMARY, claude("2", text("B"))], event: "C", text: "B\n\nC" },
  "puts the blocks before it, where its own Stop is written already":
    { lines: [user("p"), claude("1", text("A")), claude("1", text("B")), SUMMARY], event: "B", text: "A\n\nB" },
};

for (const [title, { lines, event, text: expected }] of Object.entries(WITH_EVENT)) {
  Deno.test(`withEarlierBlocks() ${title}`, () => {
    assertEquals(withEarlierBlocks(event, readLastTurn(backwards(lines), "p")), expected);
  });
}

Deno.test("withEarlierBlocks() joins nothing to a message that came after another Stop", () => {
  const lines = fixtureTranscript("plain-and-questions");
  const promptId = /"(554d58e2-[^"]*)"/.exec(lines.join("\n"))![1]!;
  for (let number = 155; number <= 162; number++) {
    const words = `Unique reply ${number} UNIQ-END`;
    const at = lines.findIndex((line) => line.includes(words));
    for (const written of [at - 1, at, at + 1]) {
      const turn = readLastTurn(backwards(lines.slice(0, written)), promptId);
      assertEquals(withEarlierBlocks(words, turn), words);
      const since = sinceLastStop(turn, true);
      assertEquals(joinBlocks(since.blocks), written > at ? words : "");
      assertEquals([since.finished, since.tokens], [written > at, 1050]);
    }
  }
});

// deno-fmt-ignore
const SINCE_STOP: Record<string, { ends: string[]; continued: boolean; blocks: string[] }> = {
  "has no words from before a block": { ends: [feedback("p"), SUMMARY], continued: true, blocks: [] },
  "has no words from before a block whose event does not say so": { ends: [feedback("p")], continued: false, blocks: [] },
  "has no words from before a hook's context": { ends: [SUMMARY], continued: true, blocks: [] },
  "keeps the words of a Stop that is looked at again": { ends: [SUMMARY], continued: false, blocks: ["words"] },
  "keeps words that no Stop has followed": { ends: [], continued: true, blocks: ["words"] },
};

for (const [title, { ends, continued, blocks }] of Object.entries(SINCE_STOP)) {
  Deno.test(`sinceLastStop() ${title}`, () => {
    for (const promptId of ["p", ""]) {
      const lines = backwards([user("p"), claude("1", text("words")), ...ends]);
      const turn = sinceLastStop(readLastTurn(lines, promptId), continued);
      assertEquals([turn.blocks, turn.finished], [blocks, blocks.length > 0]);
    }
  });
}

const RESULT = user("p", [{ type: "tool_result", content: "x".repeat(200) }]);
const CALL = claude("2", { type: "tool_use" }, {}, "tool_use");

// deno-fmt-ignore
const FOLLOWS: Record<string, { lines: string[]; follows: boolean }> = {
  "a message behind a block, with tools in between":
    { lines: [user("p"), claude("1", text("told")), feedback("p"), CALL, RESULT, claude("3", text("new"))], follows: true },
  "a message behind a hook's context":
    { lines: [user("p"), claude("1", text("told")), SUMMARY, claude("2", text("new"))], follows: true },
  "a message behind a hook that ran on in the background":
    { lines: [user("p", "<task-notification>go on"), CALL, RESULT, claude("3", text("new"))], follows: true },
  "no message, where the block came last":
    { lines: [user("p"), claude("1", text("told")), feedback("p")], follows: false },
  "no message behind a prompt alone, though it speaks of results":
    { lines: [feedback("o"), user("p", '{"type":"tool_result"}'), CALL, RESULT, claude("1", text("told"))], follows: false },
  "no message where no Stop is written": { lines: [CALL, RESULT, claude("1", text("told"))], follows: false },
};
for (const [title, { lines, follows }] of Object.entries(FOLLOWS)) {
  Deno.test(`followsStop() finds ${title}`, () => {
    assertEquals(followsStop(backwards(lines)), follows);
  });
}

Deno.test("followsStop() looks at the end of a transcript alone, however long it is", () => {
  let read = 0;
  function* endless(): Generator<Line> {
    for (let at = 0; at < 200_000; at++) {
      const text = at % 2 === 0 ? CALL : RESULT;
      read += text.length;
      yield { text, partial: false };
    }
  }
  assertEquals(followsStop(endless()), undefined);
  assertEquals(read < 1_010_000, true, `${read} characters`);
});

Deno.test("followsStop() parses no line that is neither a Stop's nor a prompt", () => {
  const lines = backwards([feedback("p"), ...Array(500).fill([CALL, RESULT]).flat()]);
  const { parse } = JSON;
  let parsed = 0;
  JSON.parse = (...args) => (parsed++, parse(...args));
  try {
    assertEquals(followsStop(lines), true);
  } finally {
    JSON.parse = parse;
  }
  assertEquals(parsed, 3); // a result, the first call that is met, the feedback
});
