/** Since when each screen has shown the same conversation. The watch keeps it on disk. */

import { readJsonIfThere, writeAtomic } from "../files.ts";
import { isObject } from "../json.ts";
import { hash, type Paths } from "../paths.ts";

interface SeenScreen {
  hash: string;
  since: number;
}

export class ScreenTimes {
  readonly #looks: Map<string, SeenScreen>;
  #isChanged = false;

  constructor(private readonly paths: Pick<Paths, "state">) {
    this.#looks = readLooks(fileOf(paths));
  }

  /** Since when the screen is unchanged; undefined for a screen that was not seen before. */
  sameSince(session: string, capture: string): number | undefined {
    const look = this.#looks.get(session);
    return look?.hash === lookOf(capture) ? look.since : undefined;
  }

  /** The same, and remembers a change. */
  note(session: string, capture: string, now: number): number {
    const known = this.sameSince(session, capture);
    if (known !== undefined) return known;
    this.#looks.set(session, { hash: lookOf(capture), since: now });
    this.#isChanged = true;
    return now;
  }

  /** Saves the times of the sessions that still exist. Never throws: they can be counted anew. */
  save(sessions: ReadonlySet<string>): void {
    for (const name of this.#looks.keys()) {
      if (!sessions.has(name)) this.#isChanged = this.#looks.delete(name);
    }
    if (!this.#isChanged) return;
    try {
      writeAtomic(fileOf(this.paths), JSON.stringify(Object.fromEntries(this.#looks)));
      this.#isChanged = false;
    } catch {
      // Without it a restarted watch counts from its start.
    }
  }
}

function fileOf({ state }: Pick<Paths, "state">): string {
  return `${state}/watch/screens.json`;
}

function readLooks(file: string): Map<string, SeenScreen> {
  const value = readJsonIfThere(file);
  const looks = Object.entries(isObject(value) ? value : {}).filter(([, look]) =>
    isObject(look) && typeof look.hash === "string" && typeof look.since === "number"
  );
  return new Map(looks as [string, SeenScreen][]);
}

/**
 * A spinner and a clock move although nothing happens:
 *   ✻ Inferring… (35s · ↓ 120 tokens)
 *     ⎿  Running… (125s)
 */
function lookOf(capture: string): string {
  const lines = capture.split("\n").map((line) => line.trimEnd())
    .filter((line) => line !== "" && !/^[·✢✳✶✻✽*] /.test(line))
    .map((line) => line.replace(/\d+(\.\d+)?/g, "0").replace(/^(\s*)[●○◐◓◑◒⏺]/, "$1"));
  return hash(lines.join("\n"));
}
