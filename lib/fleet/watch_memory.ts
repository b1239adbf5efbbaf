/** What the watch remembers between two runs, beside its marks. */

import { readJsonIfThere, writeAtomic } from "../files.ts";
import { isObject } from "../json.ts";
import type { Paths } from "../paths.ts";

const HOUR_MS = 3_600_000;
const MOST_AN_HOUR = 3;
const KEPT_MS = 30 * 24 * HOUR_MS;

export class WatchMemory {
  readonly #firstLooks: Map<string, number>;
  readonly #recoveries: Map<string, number[]>;

  constructor(private readonly paths: Pick<Paths, "state">) {
    const { first_looks, recoveries } = readFile(this.#file);
    this.#firstLooks = new Map(numbersIn(first_looks));
    this.#recoveries = new Map(listsIn(recoveries));
  }

  get #file(): string {
    return `${this.paths.state}/watch/memory.json`;
  }

  firstLook(claudeId: string): number | undefined {
    return this.#firstLooks.get(claudeId);
  }

  /** The conversations that exist now. */
  noteLooks(claudeIds: string[], now: number): void {
    const unknown = claudeIds.filter((id) => id !== "" && !this.#firstLooks.has(id));
    if (unknown.length === 0) return;
    for (const id of unknown) this.#firstLooks.set(id, now);
    for (const [id, at] of this.#firstLooks) {
      if (now - at > KEPT_MS && !claudeIds.includes(id)) this.#firstLooks.delete(id);
    }
    this.#save();
  }

  /** When the session was started again within the last hour. The clock may be set back. */
  recoveriesOf(session: string, now: number): number[] {
    return (this.#recoveries.get(session) ?? []).filter((at) => Math.abs(now - at) < HOUR_MS);
  }

  mayRecover(session: string, now: number): boolean {
    return this.recoveriesOf(session, now).length < MOST_AN_HOUR;
  }

  noteRecovery(session: string, now: number): void {
    this.#recoveries.set(session, [...this.recoveriesOf(session, now), now]);
    this.#save();
  }

  #save(): void {
    const first_looks = Object.fromEntries(this.#firstLooks);
    const recoveries = Object.fromEntries(this.#recoveries);
    try {
      writeAtomic(this.#file, JSON.stringify({ first_looks, recoveries }));
    } catch {
      // The disk is full: this run of the watch still has it in memory.
    }
  }
}

function readFile(path: string): Record<string, unknown> {
  const value = readJsonIfThere(path);
  return isObject(value) ? value : {};
}

function numbersIn(value: unknown): [string, number][] {
  const entries = Object.entries(isObject(value) ? value : {});
  return entries.filter((entry): entry is [string, number] => typeof entry[1] === "number");
}

function listsIn(value: unknown): [string, number[]][] {
  return Object.entries(isObject(value) ? value : {}).flatMap(([name, list]) =>
    Array.isArray(list) ? [[name, list.filter((at) => typeof at === "number")]] : []
  );
}
