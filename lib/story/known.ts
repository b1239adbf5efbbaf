/** What records have said that the words of later ones need. */

import { textOf } from "../events.ts";
import type { StoryLine } from "./story_line.ts";
import { noteStart, type TurnStarts } from "./turns.ts";

export class Known {
  readonly starts: TurnStarts = new Map();
  /** The sessions and agents that are taken or paused, and who has ended that. */
  readonly holds = new Map<string, string>();

  /** To be called in order of time. */
  note(line: StoryLine): void {
    noteStart(this.starts, line);
    if (line.kind !== "session") return;
    const [session, reason] = [textOf(line, "session"), textOf(line, "reason")];
    if (reason === "taken" || reason === "paused") this.holds.set(session, "");
    if (reason.startsWith("to be ")) this.holds.set(session, textOf(line, "by"));
  }
}
