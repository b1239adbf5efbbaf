/** What records have said that the words of later ones need. */

import { textOf } from "../events.ts";
import { requestWords } from "./asked_words.ts";
import { type StoryLine, timeOf } from "./story_line.ts";
import { noteStart, type TurnStarts } from "./turns.ts";

/** The end of a hold and its wakes are recorded in one go; on a busy machine that takes a while. */
const ONE_END_MS = 60_000;

export class Known {
  readonly starts: TurnStarts = new Map();
  /** What a request asks, by its id. */
  readonly requests = new Map<string, string>();
  /** The sessions and agents that are taken, paused or quiet, and who has ended that. */
  readonly holds = new Map<string, string>();

  /** Wakes of which a record says the same. */
  readonly #repeated = new WeakSet<StoryLine>();

  /** To be called with records before the first of them is noted. */
  foresee(lines: StoryLine[]): void {
    const ends = Map.groupBy(lines.filter(isEndOfHold), (line) => textOf(line, "session"));
    for (const line of lines) {
      if (line.trigger !== "resumed") continue;
      const isSaid = [textOf(line, "session"), textOf(line, "agent_id")].some((name) =>
        ends.get(name)?.some((end) => Math.abs(timeOf(end) - timeOf(line)) < ONE_END_MS)
      );
      if (isSaid) this.#repeated.add(line);
    }
  }

  isRepeated(line: StoryLine): boolean {
    if (this.#repeated.has(line)) return true;
    // Its record may not be written yet.
    const isHeld = this.holds.has(textOf(line, "session")) ||
      this.holds.has(textOf(line, "agent_id"));
    return line.trigger === "resumed" && isHeld;
  }

  /** To be called in order of time. */
  note(line: StoryLine): void {
    noteStart(this.starts, line);
    const id = textOf(line, "question_id");
    if (line.trigger === "permission_prompt" && line.kind === "queued" && id !== "") {
      const words = requestWords(textOf(line, "text"));
      if (words.isNamed) this.requests.set(id, words.text);
    }
    if (line.kind !== "session") return;
    const [session, reason] = [textOf(line, "session"), textOf(line, "reason")];
    if (/^(taken|paused|quiet hours: .*)$/.test(reason)) this.holds.set(session, "");
    if (reason.startsWith("to be ")) this.holds.set(session, textOf(line, "by"));
  }
}

/** The deliverer writes it after the wakes that say what happened meanwhile. */
function isEndOfHold(line: StoryLine): boolean {
  return line.kind === "session" &&
    /^(resumed|quiet hours have ended)$/.test(textOf(line, "reason"));
}
