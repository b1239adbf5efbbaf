/** What turns have cost since midnight, as far as the journal knows it. */

import { textOf } from "../events.ts";
import { journalFile, journalSessions, readStory } from "../journal.ts";
import type { Paths } from "../paths.ts";
import { presentTotals, withCosts } from "./costs.ts";
import { dayOf } from "./since.ts";

/** A journal may be long, so it is not read at every look, and only when it has grown. */
const EVERY_MS = 15_000;

export class SpentToday {
  #at = -Infinity;
  #usd: number | undefined;
  readonly #known = new Map<string, { stamp: string; usd: number | undefined }>();

  constructor(private readonly paths: Paths) {}

  /** undefined where nothing tells it. */
  usd(now: Date): number | undefined {
    if (now.getTime() - this.#at < EVERY_MS) return this.#usd;
    this.#at = now.getTime();
    try {
      const costs = journalSessions(this.paths).flatMap((session) => this.#of(session, now) ?? []);
      this.#usd = costs.length === 0 ? undefined : costs.reduce((all, usd) => all + usd, 0);
    } catch {
      // The journals cannot be read now: what was known before stays.
    }
    return this.#usd;
  }

  #of(session: string, now: Date): number | undefined {
    const stamp = `${dayOf(now)} ${stampOf(journalFile(this.paths, session))}`;
    const known = this.#known.get(session);
    if (known?.stamp === stamp) return known.usd;
    const usd = sumOf(this.paths, session, now);
    this.#known.set(session, { stamp, usd });
    return usd;
  }
}

function stampOf(path: string): string {
  try {
    const { ino, size } = Deno.statSync(path);
    return `${ino} ${size}`;
  } catch {
    return ""; // it becomes an older one just now
  }
}

function sumOf(paths: Paths, session: string, now: Date): number | undefined {
  const since = new Date(now).setHours(0, 0, 0, 0);
  const lines = [...readStory(paths, session, since)]
    .filter((line) => Date.parse(textOf(line, "at")) >= since);
  const costs = withCosts(lines, presentTotals(paths, [session]))
    .flatMap(({ cost_usd }) => typeof cost_usd === "number" ? [cost_usd] : []);
  return costs.length === 0 ? undefined : costs.reduce((all, usd) => all + usd, 0);
}
