/** What the watch has told: a file each, so that a restarted watch tells nothing twice. */

import { namesIn, readJsonIfThere, removeIfThere, writeAtomic } from "../files.ts";
import { isObject } from "../json.ts";
import { newWakeId } from "../new_wake.ts";
import { hash, type Paths } from "../paths.ts";

export interface FindingMark {
  key: string;
  /** Chosen before the wake is written: a second try is the same wake. */
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

  /** Before the wake is written; the one of an earlier try where there is one. */
  begin(key: string, now: number): FindingMark {
    const known = this.#marks.get(key);
    if (known !== undefined) return known;
    const mark = { key, wake_id: newWakeId(now), at: now, told: false };
    this.#write(mark);
    return mark;
  }

  /** When its wake is in the outbox. */
  finish(mark: FindingMark): void {
    this.#write({ ...mark, told: true });
  }

  /** It is to be told after all. */
  reopen(mark: FindingMark): void {
    this.#write({ ...mark, told: false });
  }

  /** What can come and go is told anew the next time. */
  endOver(isOver: (key: string) => boolean): void {
    for (const key of this.#marks.keys()) if (isOver(key)) this.#remove(key);
  }

  #remove(key: string): void {
    removeIfThere(this.#file(key));
    this.#marks.delete(key);
  }

  /** Old ones of what no longer lasts. */
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
