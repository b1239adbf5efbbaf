/** Records as the lines of `gsd-code log`: those that are wanted, a day at a time. */

import { type Colours, colours } from "../cli/colours.ts";
import type { Speaker } from "../cli/speaker.ts";
import { textOf } from "../events.ts";
import { happeningOf } from "./happenings.ts";
import { Known } from "./known.ts";
import type { Happening, StoryLine } from "./story_line.ts";
import { type Columns, columnsFor, logLine } from "./log_lines.ts";
import { dayOf } from "./since.ts";

export interface PrinterWorld extends Pick<Speaker, "say"> {
  /** Of the terminal; undefined where the lines go elsewhere. */
  width(): number | undefined;
  /** Those of the terminal by default. */
  colours?: Colours;
}

export interface Wanted {
  json: boolean;
  kinds: string[] | undefined;
  grep: string | undefined;
}

/** Prints records as lines; a new day has a line of its own. */
export class Printer {
  #day = "";
  #columns: Columns | undefined;
  readonly #known = new Known();
  /** Why each wake was last not delivered: the same reason again is not shown. */
  readonly #failures = new Map<string, string>();
  readonly #colours: Colours;

  constructor(private readonly world: PrinterWorld, private readonly wanted: Wanted) {
    this.#colours = world.colours ?? colours();
  }

  print(records: StoryLine[]): number {
    this.#known.foresee(records);
    const told = records.flatMap((record) => this.#told(record));
    if (this.wanted.json) {
      for (const { record } of told) this.world.say(JSON.stringify(record));
      return told.length;
    }
    const width = this.world.width();
    this.#columns ??= told.length === 0 ? undefined : columnsFor(told, width);
    for (const one of told) {
      this.#newDay(one.at);
      const columns = { ...this.#columns!, ...(width === undefined ? {} : { line: width }) };
      this.world.say(logLine(one, columns, this.#colours));
    }
    return told.length;
  }

  #told(record: StoryLine): Happening[] {
    const { kinds, grep, json } = this.wanted;
    // Records that say nothing new are shown only with --json, or when their kind is asked for.
    const isNamed = kinds?.includes(textOf(record, "kind")) ?? false;
    const said = happeningOf(record, this.#known) ??
      (json || isNamed ? bare(record) : undefined);
    if (said === undefined) return [];
    if (kinds !== undefined && !isNamed && !kinds.includes(said.what)) return [];
    if (!json && !isNamed && this.#isSameFailure(record)) return [];
    if (grep === undefined) return [said];
    const line = [said.session, said.who, said.what, said.text, said.note].join(" ");
    return line.toLowerCase().includes(grep.toLowerCase()) ? [said] : [];
  }

  #isSameFailure(record: StoryLine): boolean {
    if (record.kind !== "failed") return false;
    const [wakeId, reason] = [textOf(record, "wake_id"), textOf(record, "reason")];
    const isSame = this.#failures.get(wakeId) === reason;
    this.#failures.set(wakeId, reason);
    return isSame;
  }

  #newDay(at: Date): void {
    const day = dayOf(at);
    if (day !== this.#day) this.world.say(this.#colours.dim(`-- ${day}`));
    this.#day = day;
  }
}

function bare(record: StoryLine): Happening {
  const [session, kind, by] = ["session", "kind", "by"].map((name) => textOf(record, name));
  const text = textOf(record, "reason") || textOf(record, "text");
  const at = new Date(textOf(record, "at"));
  return {
    at,
    session: session!,
    who: by || "–",
    what: kind!,
    text,
    note: "",
    tone: "quiet",
    record,
  };
}
