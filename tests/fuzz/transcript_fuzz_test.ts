import { assert } from "@std/assert";
import { isObject } from "../../lib/json.ts";
import { type Line } from "../../lib/transcript.ts";
import { readLastTurn, withEarlierBlocks } from "../../lib/last_turn.ts";
import { forSeeds, parsedOrUndefined, recordings, spoil } from "../support/fuzz.ts";

const TRANSCRIPTS = recordings("transcripts").map((text) =>
  text.split("\n").filter((line) => line !== "" && line.length < 8_000)
);

Deno.test("readLastTurn() says only what Claude said in this turn", () => {
  forSeeds(2500, (dice) => {
    const whole = dice.pick(TRANSCRIPTS);
    const start = dice.next(whole.length);
    const lines = whole.slice(start, start + 1 + dice.next(40));
    const spoiled = spoil(lines.join("\n"), dice, lines).split("\n");
    const entries = spoiled.map(parsedOrUndefined).filter(isObject);
    const prompts = entries.map((entry) => entry.promptId).filter((id) => typeof id === "string");
    const promptId = prompts.length > 0 && dice.next(3) > 0 ? dice.pick(prompts) : "";
    const backwards: Line[] = spoiled.toReversed().map((text) => ({ text, partial: false }));
    const turn = readLastTurn(backwards, promptId);
    const spoken = new Set(ofTurn(entries, promptId).flatMap(textsOf));
    for (const block of turn.blocks) {
      const known = spoken.has(block) ||
        block.split("\n\n").every((part) => [...spoken].some((text) => text.includes(part)));
      assert(known, `It says ${JSON.stringify(block.slice(0, 80))}`);
    }
    assert(turn.tokens === undefined || typeof turn.tokens === "number");
    assert(withEarlierBlocks("The last words.", turn).endsWith("The last words."));
  });
});

/** Claude's lines after a user line of that prompt, or of none that is named. */
function ofTurn(entries: Record<string, unknown>[], promptId: string): Record<string, unknown>[] {
  let prompt = "";
  return entries.filter((entry) => {
    if (entry.type === "user" && isObject(entry.message) && entry.isSidechain !== true) {
      prompt = typeof entry.promptId === "string" ? entry.promptId : "";
    }
    return isClaude(entry) && (promptId === "" || prompt === "" || prompt === promptId);
  });
}

function isClaude(entry: Record<string, unknown>): boolean {
  return entry.type === "assistant" && entry.isSidechain !== true &&
    entry.isApiErrorMessage !== true;
}

function textsOf(entry: Record<string, unknown>): string[] {
  const content = isObject(entry.message) ? entry.message.content : undefined;
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.filter(isObject).map((block) => block.text)
    .filter((text): text is string => typeof text === "string");
}
