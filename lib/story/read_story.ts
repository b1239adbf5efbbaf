/** The records of all sessions, or of some, in order of time. */

import { nearest } from "../cli/nearest.ts";
import { textOf } from "../events.ts";
import { journalSessions, readStory, whyUnreadable } from "../journal_read.ts";
import type { Paths } from "../paths.ts";
import { presentTotals, withCosts } from "./costs.ts";
import { happeningOf } from "./happenings.ts";
import { Known } from "./known.ts";
import { type Happening, type StoryLine, timeOf } from "./story_line.ts";

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
  const known = new Known();
  const lines = storyOf(paths, wish);
  known.foresee(lines);
  return lines.flatMap((line) => happeningOf(line, known) ?? []);
}

export function isWanted(line: StoryLine, name: string | undefined): boolean {
  return name === undefined || line.session === name || line.agent_id === name;
}

/** The sessions and agents that the journal has, and the present names of those that were renamed. */
export function namesInStory(paths: Paths): { names: Set<string>; renamed: Map<string, string> } {
  const names = new Set(journalSessions(paths));
  const renamed = new Map<string, string>();
  for (const session of journalSessions(paths)) {
    for (const line of readStory(paths, session)) {
      const { agent_id } = line;
      if (typeof agent_id === "string" && agent_id !== "") names.add(agent_id);
      const from = nameBefore(line);
      if (from !== undefined) renamed.set(from, session);
    }
  }
  return { names, renamed };
}

/** Of the record of a rename: the name that the session had. */
export function nameBefore(line: StoryLine): string | undefined {
  if (line.kind !== "session") return undefined;
  return /^renamed from (.+)$/.exec(textOf(line, "reason"))?.[1];
}

/** What may be meant by a name that the journal does not have. */
export function meantBy(name: string, { names, renamed }: ReturnType<typeof namesInStory>): string {
  const present = renamed.get(name);
  if (names.has(name)) return "";
  if (present !== undefined) return `; it is ${present} now`;
  const near = nearest(name, names);
  return near === undefined ? "" : `; did you mean ${near}?`;
}
