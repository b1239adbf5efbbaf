/** What the watch has reported: one file each, so a restarted watch reports nothing twice. */

import { namesIn, readJsonIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { isObject } from "../json.ts";
import { newWakeId } from "../new_wake.ts";
import { hash, type Paths } from "../paths.ts";

export interface FindingMark {
  key: string;
  /** Chosen before the wake is written, so that a second try sends the same wake. */
  wake_id: string;
  at: number;
  /** False between the mark and its wake. */
  told: boolean;
}

const DAY_MS = 86_400_000;

export class FindingMarks {
  readonly #marks = new Map<string, FindingMark>();

  constructor(private readonly paths: Pick<Paths, "state">) {
    for (const name of namesIn(this.#dir).filter((name) => name.endsWith(".json"))) {
      const mark = readMark(`${this.#dir}/${name}`);
      if (mark !== undefined) this.#marks.set(mark.key, mark);
    }
  }

  get #dir(): string {
    return `${this.paths.state}/watch/told`;
  }

  #file(key: string): string {
    return `${this.#dir}/${hash(key)}.json`;
  }

  isTold(key: string): boolean {
    return this.#marks.get(key)?.told ?? false;
  }

  /** Call before the wake is written. Returns the mark of an earlier try if there is one. */
  begin(key: string, now: number): FindingMark {
    const known = this.#marks.get(key);
    if (known !== undefined) return known;
    const mark = { key, wake_id: newWakeId(now), at: now, told: false };
    this.#write(mark);
    return mark;
  }

  /** Call when the wake is in the outbox. */
  finish(mark: FindingMark): void {
    this.#write({ ...mark, told: true });
  }

  /** The finding must be reported after all. */
  reopen(mark: FindingMark): void {
    this.#write({ ...mark, told: false });
  }

  /** A finding that can come and go is reported again the next time. */
  endOver(isOver: (key: string) => boolean): void {
    for (const key of this.#marks.keys()) if (isOver(key)) this.#remove(key);
  }

  #remove(key: string): void {
    removeIfThere(this.#file(key));
    this.#marks.delete(key);
  }

  /** Removes old marks of findings that are over. */
  prune(lasting: ReadonlySet<string>, now: number): void {
    for (const [key, { at }] of this.#marks) {
      if (lasting.has(key) || now - at < 30 * DAY_MS) continue;
      this.#remove(key);
    }
  }

  #write(mark: FindingMark): void {
    writeAtomic(this.#file(mark.key), JSON.stringify(mark), { durable: true });
    this.#marks.set(mark.key, mark);
  }
}

function readMark(path: string): FindingMark | undefined {
  const value = readJsonIfThere(path);
  const isMark = isObject(value) && typeof value.key === "string" &&
    typeof value.wake_id === "string" && typeof value.at === "number";
  return isMark ? value as unknown as FindingMark : undefined;
}
