/** The turns of a story: when each began, and which record ends one. */

import { textOf } from "../events.ts";
import { type StoryLine, timeOf } from "./story_line.ts";

/** A reminder repeats the end of a turn. The turn of a step has no wake of its own. */
export function isEndOfTurn(line: StoryLine): boolean {
  const isStep = line.kind === "suppressed" && line.status === "step";
  return (line.kind === "queued" || isStep) &&
    /^response_(complete|failed)$/.test(textOf(line, "trigger")) &&
    !textOf(line, "text").startsWith("Nothing new since wake ");
}

/** Turns by their prompt: when each began. */
export type TurnStarts = Map<string, number>;

export function noteStart(starts: TurnStarts, line: StoryLine): void {
  const prompt = textOf(line, "prompt_id");
  if (line.kind !== "prompt" || prompt === "" || starts.has(prompt)) return;
  starts.set(prompt, timeOf(line));
}

/** How long the turn took that a wake ends. */
export function turnMs(line: StoryLine, starts: TurnStarts): number | undefined {
  if (!/^response_/.test(textOf(line, "trigger"))) return undefined;
  if (typeof line.turn_ms === "number") return line.turn_ms;
  const began = starts.get(textOf(line, "prompt_id"));
  return began === undefined ? undefined : Math.max(0, timeOf(line) - began);
}
