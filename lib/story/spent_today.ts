/** What turns have cost since midnight, as far as the journal knows it. */

import { journalFile, journalSessions } from "../journal.ts";
import type { Paths } from "../paths.ts";
import { dayOf } from "./since.ts";
import { storyOf } from "./read_story.ts";

/** All journals of a day are read for it, so not at every look. */
const EVERY_MS = 15_000;

export class SpentToday {
  #at = -Infinity;
  #stamp = "";
  #usd: number | undefined;

  constructor(private readonly paths: Paths) {}

  /** undefined where nothing tells it. */
  usd(now: Date): number | undefined {
    if (now.getTime() - this.#at < EVERY_MS) return this.#usd;
    this.#at = now.getTime();
    try {
      const stamp = this.#stampOf(now);
      if (stamp !== this.#stamp) this.#usd = sumOf(this.paths, now);
      this.#stamp = stamp;
    } catch {
      // The journals cannot be read now: what was known before stays.
    }
    return this.#usd;
  }

  #stampOf(now: Date): string {
    const sizes = journalSessions(this.paths).map((session) => {
      const stat = statOf(journalFile(this.paths, session));
      return `${stat?.ino}:${stat?.size}`;
    });
    return [dayOf(now), ...sizes].join(" ");
  }
}

function statOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined; // it becomes an older one just now
  }
}

function sumOf(paths: Paths, now: Date): number | undefined {
  const since = new Date(now);
  since.setHours(0, 0, 0, 0);
  const costs = storyOf(paths, { since: since.getTime() })
    .flatMap(({ cost_usd }) => typeof cost_usd === "number" ? [cost_usd] : []);
  return costs.length === 0 ? undefined : costs.reduce((all, usd) => all + usd, 0);
}
