/** What records have said that the words of later ones need. */

import { textOf } from "../events.ts";
import { requestWords } from "./asked_words.ts";
import type { StoryLine } from "./story_line.ts";
import { noteStart, type TurnStarts } from "./turns.ts";

export class Known {
  readonly starts: TurnStarts = new Map();
  /** What a request asks, by its id. */
  readonly requests = new Map<string, string>();
  /** The sessions and agents that are taken or paused, and who has ended that. */
  readonly holds = new Map<string, string>();

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
    if (reason === "taken" || reason === "paused") this.holds.set(session, "");
    if (reason.startsWith("to be ")) this.holds.set(session, textOf(line, "by"));
  }
}
