import { assertEquals } from "@std/assert";
import { readSilentTurn, silentTurn, turnThatWaits } from "../lib/silent_turn.ts";
import { type HookEvent, readEvent } from "../lib/events.ts";
import { fixtureEvent, fixtureTranscript } from "./support/fixtures.ts";

const DEPLOY = "The build is green. Shall I deploy now?";

/** The event with the first lines of a recorded transcript. */
function recorded(event: string, transcript: string, written: number): HookEvent {
  const path = Deno.makeTempFileSync({ suffix: ".jsonl" });
  const lines = fixtureTranscript(transcript).slice(0, written);
  Deno.writeTextFileSync(path, lines.map((line) => `${line}\n`).join(""));
  const reading = readEvent(JSON.stringify({ ...fixtureEvent(event), transcript_path: path }));
  if (reading.kind !== "event") throw new Error("The event cannot be read");
  return reading.event;
}

const A_WORD = "turns-without-a-word", V197 = `v197-${A_WORD}`;
type Kind = "turn" | "shell line" | "not silent";

// deno-fmt-ignore
const CASES: Record<string, [event: string, transcript: string, written: number, kind: Kind]> = {
  "an empty answer": ["stop-empty-turn", A_WORD, 9, "turn"],
  "an empty answer, of which only the prompt is written": ["stop-empty-turn", A_WORD, 8, "turn"],
  "an empty answer in 2.1.197": ["v197-stop-empty-turn", V197, 6, "turn"],
  "a turn of thinking": ["stop-thinking-only", A_WORD, 33, "turn"],
  "a shell line": ["stop-after-shell-line", A_WORD, 18, "shell line"],
  "a second shell line": ["stop-after-second-shell-line", A_WORD, 23, "shell line"],
  "a shell line in 2.1.197": ["v197-stop-after-shell-line", V197, 15, "shell line"],
  "a turn with the words of an earlier one": ["stop-same-words-again", A_WORD, 27, "not silent"],
  "a turn that is not written yet": ["stop-empty-turn", A_WORD, 7, "not silent"],
};
for (const [title, [name, transcript, written, kind]] of Object.entries(CASES)) {
  Deno.test(`silentTurn() takes ${title} for ${kind === "not silent" ? kind : `a ${kind}`}`, () => {
    const event = recorded(name, transcript, written);
    const words = String(event.fields.last_assistant_message ?? "");
    const turn = silentTurn(event, words);
    Deno.removeSync(event.transcriptPath);
    const seen = turn === undefined ? "not silent" : turn.isShellLine ? "shell line" : "turn";
    assertEquals(seen, kind);
    if (turn !== undefined) assertEquals(turn.wordsBefore, DEPLOY);
  });
}

Deno.test("silentTurn() is sure only of words that the turn before has", () => {
  const event = recorded("stop-empty-turn", A_WORD, 9);
  assertEquals(silentTurn(event, "Something new."), undefined);
  assertEquals(silentTurn({ ...event, transcriptPath: "/nowhere" }, DEPLOY), undefined);
  Deno.removeSync(event.transcriptPath);
});

Deno.test("silentTurn() knows what a Stop hook has sent on by its instruction", () => {
  const lines = fixtureTranscript("sent-on-and-answered-at-once");
  const isFeedback = (line: string) => line.includes('"content":"Stop hook feedback');
  const written = lines.slice(0, lines.findIndex(isFeedback) + 1);
  const { promptId } = JSON.parse(written.at(-1)!);
  const backwards = (some: string[]) => some.map((text) => ({ text, partial: false })).reverse();
  assertEquals(readSilentTurn(backwards(written), promptId)?.wordsBefore, "Answer number 1.");
  assertEquals(readSilentTurn(backwards(written.slice(0, -1)), promptId), undefined);
});

for (
  const name of ["notification-idle-after-shell-line", "notification-idle-after-second-shell-line"]
) {
  Deno.test(`turnThatWaits() is the turn before the shell lines, of ${name}`, () => {
    const event = recorded(name, "shell-lines-left-alone", name.includes("second") ? 13 : 10);
    const { prompt_id } = fixtureEvent("stop-before-shell-lines");
    assertEquals(turnThatWaits(event).promptId, prompt_id);
    Deno.removeSync(event.transcriptPath);
  });
}

Deno.test("turnThatWaits() is the event's own turn where that is no shell line", () => {
  for (const [name, written] of [["stop-empty-turn", 9], ["stop-same-words-again", 27]] as const) {
    const event = recorded(name, A_WORD, written);
    assertEquals(turnThatWaits(event), event);
    Deno.removeSync(event.transcriptPath);
  }
});

Deno.test("turnThatWaits() is a shell line's own turn where Claude has answered it", () => {
  const event = recorded("stop-after-second-shell-line", A_WORD, 23);
  const answer = { id: "m", model: "m", content: [{ type: "text", text: "I see." }] };
  const line = JSON.stringify({ type: "assistant", message: answer });
  Deno.writeTextFileSync(event.transcriptPath, `${line}\n`, { append: true });
  assertEquals(turnThatWaits(event), event);
  Deno.removeSync(event.transcriptPath);
});

Deno.test("readSilentTurn() knows an answer that stands before its prompt in a new file", () => {
  const line = (fields: Record<string, unknown>) => ({
    text: JSON.stringify(fields),
    partial: false,
  });
  const answer = { role: "assistant", content: [{ type: "text", text: "Good day." }] };
  const lines = (answered: string) => [
    line({
      type: "user",
      promptId: "p",
      timestamp: "2026-11-17T18:32:40Z",
      message: { role: "user", content: "Hi" },
    }),
    line({ type: "assistant", timestamp: answered, message: answer }),
  ];
  assertEquals(readSilentTurn(lines("2026-11-17T18:32:41Z"), "p"), undefined);
  assertEquals(readSilentTurn(lines("2026-11-17T18:32:39Z"), "p")?.wordsBefore, "Good day.");
});
