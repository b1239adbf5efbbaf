/** What turns have cost since midnight, as far as the journal knows it. */

import { journalFile } from "../journal.ts";
import { journalSessions, readStory } from "../journal_read.ts";
import type { Paths } from "../paths.ts";
import { reportedTotals, type Total, totalOf, withCosts } from "./costs.ts";
import { type StoryLine, timeOf } from "./story_line.ts";
import { isEndOfTurn } from "./turns.ts";
import { dayOf } from "./since.ts";

/** A journal may be long, so it is not read at every look, and only when it has grown. */
const EVERY_MS = 15_000;
/** A turn that ends today may have begun yesterday, and so may its costs. */
const BEFORE_MS = 86_400_000;

interface Known {
  stamp: string;
  usd: number | undefined;
  /** The cost of the last turn depends on what a status line reports. */
  isOpen: boolean;
}

export class SpentToday {
  #at = -Infinity;
  #usd: number | undefined;
  readonly #known = new Map<string, Known>();

  constructor(private readonly paths: Paths) {}

  /** undefined where nothing reports it. */
  usd(now: Date): number | undefined {
    if (now.getTime() - this.#at < EVERY_MS) return this.#usd;
    this.#at = now.getTime();
    try {
      let reported: Map<string, Total> | undefined;
      // Once for all sessions, and only if one needs it.
      const total = (session: string) =>
        totalOf(this.paths, session, reported ??= reportedTotals(this.paths));
      const costs = journalSessions(this.paths)
        .flatMap((session) => this.#of(session, now, total) ?? []);
      this.#usd = costs.length === 0 ? undefined : costs.reduce((all, usd) => all + usd, 0);
    } catch {
      // The journals cannot be read now: what was known before stays.
    }
    return this.#usd;
  }

  #of(
    session: string,
    now: Date,
    total: (session: string) => Total | undefined,
  ): number | undefined {
    const stamp = `${dayOf(now)} ${stampOf(journalFile(this.paths, session))}`;
    const known = this.#known.get(session);
    if (known?.stamp === stamp && !known.isOpen) return known.usd;
    const sum = sumOf(this.paths, session, now, total);
    this.#known.set(session, { stamp, ...sum });
    return sum.usd;
  }
}

function stampOf(path: string): string {
  try {
    const { ino, size } = Deno.statSync(path);
    return `${ino} ${size}`;
  } catch {
    return ""; // it is being rotated now
  }
}

function sumOf(
  paths: Paths,
  session: string,
  now: Date,
  total: (session: string) => Total | undefined,
): Omit<Known, "stamp"> {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const isAfter = (line: StoryLine, then: number) => timeOf(line) >= then;
  const isToday = (line: StoryLine) => isAfter(line, midnight);
  if (!readStory(paths, session, midnight).some(isToday)) return { usd: undefined, isOpen: false };
  const since = midnight - BEFORE_MS;
  const lines = [...readStory(paths, session, since).filter((line) => isAfter(line, since))];
  const recorded = withCosts(lines, new Map());
  const last = recorded.findLast(isEndOfTurn);
  const isOpen = last !== undefined && last.cost_usd === undefined;
  const present = isOpen ? total(session) : undefined;
  const known = present === undefined ? recorded : withCosts(lines, new Map([[session, present]]));
  const costs = known.filter(isToday)
    .flatMap(({ cost_usd }) => typeof cost_usd === "number" ? [cost_usd] : []);
  const usd = costs.length === 0 ? undefined : costs.reduce((all, usd) => all + usd, 0);
  return { usd, isOpen };
}
