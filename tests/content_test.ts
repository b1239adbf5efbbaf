import { assertEquals } from "@std/assert";
import { finalText, tokensSoFar, turnText } from "../lib/content.ts";
import { paneText } from "../lib/pane_memory.ts";
import { type HookEvent, readEvent } from "../lib/events.ts";
import { TestHome } from "./support/home.ts";
import { fixtureEvent, fixturePane, fixtureTranscript } from "./support/fixtures.ts";

const prompt = (id: string, content: unknown = "do it", more = {}) =>
  JSON.stringify({ type: "user", promptId: id, message: { role: "user", content }, ...more });
const claude = (id: string, text: string, tokens: number, stop = "end_turn") =>
  JSON.stringify({
    type: "assistant",
    message: {
      id,
      model: "m",
      content: [{ type: "text", text }],
      stop_reason: stop,
      usage: { input_tokens: tokens - 50, output_tokens: 50 },
    },
  });
const RESULT = prompt("p", [{ type: "tool_result" }]);
const LONG_RESULT = prompt("p", [{ type: "tool_result", content: "x".repeat(9_000) }]);
const MUCH = Array(120).fill([claude("2", "", 8_050, "tool_use"), LONG_RESULT]).flat();
const FEEDBACK = prompt("p", "Stop hook feedback:\ngo on", { isMeta: true });
const OLDER = [prompt("o"), claude("0", "An older answer.", 158_050)];

interface Case {
  /** What the transcript holds when the hook starts, and what comes while it waits. */
  there: string[];
  late?: string[];
  words?: string;
  continued?: boolean;
  text: string;
  tokens?: number;
}

// deno-fmt-ignore
const CASES: Record<string, Case> = {
  "a turn of text alone, whose line is late":
    { there: [prompt("p")], late: [claude("1", "B", 101_050)], text: "B", tokens: 101_050 },
  "a turn of which nothing is written yet, after an older one":
    { there: OLDER, late: [prompt("p"), claude("1", "B", 940_050)], text: "B", tokens: 940_050 },
  "a turn with tools, whose last line is late":
    { there: [prompt("p"), claude("1", "A", 200_050, "tool_use"), RESULT], late: [claude("2", "B", 210_000)], text: "B", tokens: 210_000 },
  "a line that comes in two pieces":
    { there: [prompt("p")], late: [claude("1", "A", 7_050), claude("1", "B", 7_050)], text: "A\n\nB", tokens: 7_050 },
  "a turn after a block, whose last lines are late":
    { there: [prompt("p"), claude("1", "A", 7_050)], late: [FEEDBACK, claude("2", "B", 8_050)], continued: true, text: "B", tokens: 8_050 },
  "a turn after a block that says the same again":
    { there: [prompt("p"), claude("1", "B", 7_050)], late: [FEEDBACK, claude("2", "B", 8_050)], continued: true, text: "B", tokens: 8_050 },
  "a turn after a block, with tools in between":
    { there: [prompt("p"), claude("1", "A", 7_050), FEEDBACK, claude("2", "A", 8_050, "tool_use"), RESULT], late: [claude("3", "B", 9_050)], continued: true, text: "B", tokens: 9_050 },
  "a turn after a block without a word of its own in the event":
    { there: [prompt("p"), claude("1", "A", 7_050)], late: [FEEDBACK, claude("2", "B", 8_050)], continued: true, words: "", text: "B", tokens: 8_050 },
  "a turn that a hook in the background began again":
    { there: [prompt("p", "<task-notification>Stop hook blocking error")], late: [claude("1", "B", 8_050)], continued: true, text: "B", tokens: 8_050 },
  "a turn of many tools after a block, more than is searched":
    { there: [prompt("p"), claude("1", "A", 7_050), FEEDBACK, ...MUCH, claude("3", "B", 9_050)], continued: true, text: "B", tokens: 9_050 },
  "a turn that another hook has blocked already":
    { there: [prompt("p"), claude("1", "B", 7_050), FEEDBACK], text: "B", tokens: 7_050 },

  "nothing where the line never comes": { there: [...OLDER, prompt("p")], text: "B" },
  "nothing where only the call before the last is written":
    { there: [prompt("p"), claude("1", "A", 200_050, "tool_use"), RESULT], text: "B" },
  "nothing where only an older turn is written": { there: OLDER, text: "B" },
  "nothing where only what was sent before a block is written":
    { there: [prompt("p"), claude("1", "A", 7_050)], continued: true, text: "B" },
  "nothing where only what was sent after many tools is written":
    { there: [prompt("p"), ...MUCH, claude("1", "A", 7_050)], continued: true, text: "B" },
  "nothing where only the same words before a block are written":
    { there: [prompt("p"), claude("1", "B", 7_050)], continued: true, text: "B" },
};

for (const [title, test] of Object.entries(CASES)) {
  Deno.test(`finalText() has the tokens of ${title}`, () => {
    const file = new Transcript(test.there);
    try {
      const { words = "B", continued = false } = test;
      const said = finalText(file.stop(words, continued), file.clock(test.late));
      assertEquals([said.text, said.tokens], [test.text, test.tokens]);
    } finally {
      file.remove();
    }
  });
}

Deno.test("finalText() does not wait for a line that is there, nor without a transcript", () => {
  const file = new Transcript([prompt("p"), claude("1", "B", 7_050)]);
  const clock = file.clock();
  assertEquals(finalText(file.stop("B"), clock).tokens, 7_050);
  file.remove();
  assertEquals(finalText(file.stop("B"), clock).tokens, undefined);
  assertEquals(finalText({ ...file.stop("B"), transcriptPath: "" }, clock).text, "B");
  assertEquals(clock.now(), 0);
});

for (const continued of [false, true]) {
  const title = continued ? "a turn that was sent on" : "a turn whose last line is late";
  Deno.test(`finalText() reads only the end of a transcript, of ${title}`, () => {
    const file = new Transcript([prompt("p"), ...Array(8).fill(MUCH).flat()]);
    const { readSync } = Deno.FsFile.prototype;
    let bytes = 0;
    Deno.FsFile.prototype.readSync = function (buffer) {
      bytes += buffer.length;
      return readSync.call(this, buffer);
    };
    try {
      assertEquals(finalText(file.stop("B", continued), file.clock()).text, "B");
    } finally {
      Deno.FsFile.prototype.readSync = readSync;
      file.remove();
    }
    assertEquals(bytes > 0 && bytes < 2_300_000, true, `${bytes} bytes`);
  });
}

Deno.test("finalText() gives up on a line after half a second", () => {
  const file = new Transcript([prompt("p")]);
  const clock = file.clock();
  finalText(file.stop("B"), clock);
  file.remove();
  assertEquals(clock.now(), 500);
});

Deno.test("finalText() does not repeat what was sent before Claude went on, as recorded", () => {
  const lines = fixtureTranscript("sent-on-and-answered-at-once");
  const reading = readEvent(JSON.stringify(fixtureEvent("stop-sent-on-and-answered-at-once")));
  if (reading.kind !== "event") throw new Error("The event cannot be read");
  for (const [late, tokens] of [[[], undefined], [lines.slice(28, 32), 106_050]] as const) {
    const file = new Transcript(lines.slice(0, 28));
    const event = { ...reading.event, transcriptPath: file.path };
    const said = finalText(event, file.clock([...late]));
    file.remove();
    assertEquals([said.text, said.tokens], ["Answer number 6.", tokens]);
  }
});

const AFTER_COMPACT = fixtureTranscript("after-compact");
const ASKED = [prompt("p"), claude("1", "A", 7_050, "tool_use")];

// deno-fmt-ignore
const SO_FAR: Record<string, { lines: string[]; tokens: number | undefined }> = {
  "the last usage, of any turn": { lines: AFTER_COMPACT.slice(0, 181), tokens: 985_050 },
  "none where a prompt has come since": { lines: AFTER_COMPACT.slice(0, 182), tokens: undefined },
  "none from before a compaction": { lines: AFTER_COMPACT.slice(0, 195), tokens: undefined },
  "none where a tool has answered since": { lines: [...ASKED, RESULT], tokens: undefined },
  "none where a command has given Claude more": { lines: AFTER_COMPACT.slice(0, 213), tokens: undefined },
  "the usage after a subagent's lines":
    { lines: [...ASKED, prompt("p", "find it", { isSidechain: true })], tokens: 7_050 },
};
for (const [title, { lines, tokens }] of Object.entries(SO_FAR)) {
  Deno.test(`tokensSoFar() has ${title}`, () => {
    const file = new Transcript(lines);
    assertEquals(tokensSoFar(file.stop("")), tokens);
    file.remove();
  });
}

class Transcript {
  readonly path = Deno.makeTempFileSync({ suffix: ".jsonl" });

  constructor(lines: string[]) {
    Deno.writeTextFileSync(this.path, lines.map((line) => `${line}\n`).join(""));
  }

  stop(words: string, continued = false): HookEvent {
    const fields = { last_assistant_message: words, stop_hook_active: continued };
    return {
      name: "Stop",
      sessionId: "s",
      transcriptPath: this.path,
      cwd: "/",
      promptId: "p",
      fields,
    };
  }

  /** Time passes only during a sleep; the late lines come in two pieces meanwhile. */
  clock(late: string[] = []) {
    const text = late.map((line) => `${line}\n`).join("");
    const pieces = [text.slice(0, text.length / 2), text.slice(text.length / 2)].filter(Boolean);
    let now = 0;
    return {
      now: () => now,
      sleep: (ms: number) => {
        now += ms;
        const piece = now >= 30 ? pieces.shift() : undefined;
        if (piece !== undefined) Deno.writeTextFileSync(this.path, piece, { append: true });
      },
    };
  }

  remove(): void {
    Deno.removeSync(this.path);
  }
}

const SCREEN = fixturePane("73-silent-turn-stop-hook");
const OF_THE_SCREEN = "  Thinking for 1s…\n  ⎿  Nothing to say here.";

// deno-fmt-ignore
const SCREENS: Record<string, { capture: string; text: string }> = {
  "the last turn, without its spinner, tip and hints": { capture: SCREEN, text: OF_THE_SCREEN },
  "the last turn, also where Claude Code began it": {
    capture: fixturePane("72-bg-woken"),
    text: '● Background command "Background sleep" completed (exit code 0)\n\n● Background task reported. BGBASH-WOKEN',
  },
  "all of a screen without a prompt": { capture: "one\n\ntwo\n", text: "one\n\ntwo" },
  "nothing where the last prompt has no answer yet": { capture: "● old words\n\n❯ do it\n", text: "" },
};
for (const [title, { capture, text }] of Object.entries(SCREENS)) {
  Deno.test(`paneText() has ${title}`, async () => {
    await using home = new TestHome();
    assertEquals(await paneText(home.paths, "warden-main", capture, 30).text(), text);
  });
}

Deno.test("turnText() is silent where the words are those of the turn before", async () => {
  const lines = [prompt("o"), claude("0", "Shall I deploy?", 7_050), prompt("p")];
  const silence = { text: "", source: "none", silent: "turn" } as const;
  const asked = async (late: string[], written = lines) => {
    const file = new Transcript(written);
    const { text, source, silent } = await turnText(file.stop("Shall I deploy?"), file.clock(late));
    file.remove();
    return { text, source, silent };
  };
  assertEquals(await asked([]), silence);
  const again = { text: "Shall I deploy?", source: "event", silent: undefined } as const;
  assertEquals(await asked([claude("1", "Shall I deploy?", 8_050)]), again);
  // Its own prompt is not written: nothing shows where the words belong.
  assertEquals(await asked([], lines.slice(0, 2)), again);
});
