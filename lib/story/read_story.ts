/** The records of all sessions, or of some, in order of time. */

import { textOf } from "../events.ts";
import { journalSessions, readStory, whyUnreadable } from "../journal_read.ts";
import type { Paths } from "../paths.ts";
import { presentTotals, withCosts } from "./costs.ts";
import { happeningOf } from "./happenings.ts";
import { type Happening, type StoryLine, timeOf } from "./story_line.ts";
import { turnStarts } from "./turns.ts";

export interface StoryWish {
  /** A session, or an agent. */
  name?: string;
  /** A session: no other journal is read. */
  session?: string;
  since: number;
}

export function storyOf(
  paths: Paths,
  { name, session: only, since }: StoryWish,
  warn: (why: string) => void = () => {},
): StoryLine[] {
  const lines: StoryLine[] = [];
  for (const session of only === undefined ? journalSessions(paths) : [only]) {
    const why = whyUnreadable(paths, session);
    if (why !== undefined) warn(why);
    for (const line of readStory(paths, session, since)) {
      if (isWanted(line, name) && timeOf(line) >= since) lines.push(line);
    }
  }
  lines.sort((a, b) => textOf(a, "at") < textOf(b, "at") ? -1 : 1);
  const sessions = new Set(lines.map((line) => textOf(line, "session")));
  return withCosts(lines, presentTotals(paths, sessions));
}

/** The same in plain words, without records that repeat another one. */
export function happeningsOf(paths: Paths, wish: StoryWish): Happening[] {
  const lines = storyOf(paths, wish);
  const starts = turnStarts(lines);
  return lines.flatMap((line) => happeningOf(line, starts) ?? []);
}

export function isWanted(line: StoryLine, name: string | undefined): boolean {
  return name === undefined || line.session === name || line.agent_id === name;
}

/** The names of sessions and agents that the journal has. */
export function namesInStory(paths: Paths): Set<string> {
  const names = new Set(journalSessions(paths));
  for (const session of journalSessions(paths)) {
    for (const { agent_id } of readStory(paths, session)) {
      if (typeof agent_id === "string" && agent_id !== "") names.add(agent_id);
    }
  }
  return names;
}
