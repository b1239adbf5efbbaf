/** A record of the journal as the log and the report read it, and what they say of it. */

import { textOf } from "../events.ts";

export type StoryLine = Record<string, unknown>;

/** How it is coloured; the words say the same. */
export type Tone = "asks" | "good" | "bad" | "plain" | "quiet";

export interface Happening {
  at: Date;
  session: string;
  who: string;
  what: string;
  text: string;
  /** Shown in brackets: how long it took, what it cost. */
  note: string;
  tone: Tone;
  record: StoryLine;
}

/** What is said of a record; the rest of its happening is the same for all. */
export type Saying = Pick<Happening, "who" | "what"> & Partial<Happening>;

export function timeOf(line: StoryLine): number {
  return Date.parse(textOf(line, "at"));
}

/** The parts that are not empty. */
export function joined(parts: string[], by = ", "): string {
  return parts.filter((part) => part !== "").join(by);
}
