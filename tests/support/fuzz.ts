/** Damages recordings. The same seed always does the same damage. */

import { cpuMs, TOO_LONG_MS } from "./cpu_time.ts";

export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 ≤ n < below */
  next(below: number): number {
    // Mulberry32: small, and good enough to choose what to break.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.next(from.length)]!;
  }
}

const NASTY = [
  "",
  "\0",
  "\u001b[2m",
  "\u2028",
  "\ud800",
  "\ufeff",
  '"',
  "\\",
  "{",
  "}",
  "[",
  "]",
  ",",
  "//",
  "/*",
  "*/",
  "null",
  "true",
  "-1e999",
  "1".repeat(400),
  "[".repeat(3000),
  '{"a":'.repeat(2000),
  "\n",
  "\r\n",
  "─".repeat(60),
  "❯ 1. Yes",
  "esc to interrupt",
  "? for shortcuts",
  "constructor",
  "__proto__",
];

/** One to four changes: cut, doubled, swapped, overwritten, joined with a piece of another. */
export function spoil(text: string, dice: Dice, others: readonly string[]): string {
  let spoiled = text;
  for (let changes = 1 + dice.next(4); changes > 0; changes--) {
    const from = dice.next(spoiled.length + 1);
    const to = Math.min(spoiled.length, from + dice.next(dice.pick([2, 20, 400])));
    const [before, piece, after] = [
      spoiled.slice(0, from),
      spoiled.slice(from, to),
      spoiled.slice(to),
    ];
    switch (dice.next(7)) {
      case 0:
        spoiled = before;
        break;
      case 1:
        spoiled = before + after;
        break;
      case 2:
        spoiled = before + piece + piece + after;
        break;
      case 3:
        spoiled = before + dice.pick(NASTY) + after;
        break;
      case 4:
        spoiled = after + before;
        break;
      case 5: {
        const other = dice.pick(others);
        const at = dice.next(other.length + 1);
        spoiled = before + other.slice(at, at + 300) + after;
        break;
      }
      default:
        spoiled = before + dice.pick(NASTY) + piece + after;
    }
  }
  return spoiled;
}

/** The value with one part removed, renamed, or of another type. */
export function spoilValue(value: unknown, dice: Dice): unknown {
  const stranger = () =>
    dice.pick<unknown>([null, true, -1, 1e308, "", "x", [], {}, [null], { constructor: 1 }]);
  if (dice.next(4) === 0 || typeof value !== "object" || value === null) return stranger();
  if (Array.isArray(value)) {
    const copy: unknown[] = [...value];
    if (copy.length === 0) return [stranger()];
    const at = dice.next(copy.length);
    copy[at] = spoilValue(copy[at], dice);
    return copy;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return stranger();
  const at = dice.next(entries.length);
  const [name, inner] = entries[at]!;
  if (dice.next(5) === 0) entries.splice(at, 1);
  else entries[at] = [name, spoilValue(inner, dice)];
  return Object.fromEntries(entries);
}

/** The texts of a folder of recordings. */
export function recordings(folder: string): string[] {
  const dir = new URL(`../fixtures/${folder}/`, import.meta.url).pathname;
  return Array.from(Deno.readDirSync(dir)).filter((entry) => entry.isFile)
    .map((entry) => entry.name).sort()
    .map((name) => Deno.readTextFileSync(`${dir}${name}`));
}

/**
 * Runs `check` on many seeds. A failure names its seed.
 * GSD_FUZZ_TIMES=20 tries twenty times as many.
 */
export function forSeeds(count: number, check: (dice: Dice, seed: number) => void): void {
  const only = Deno.env.get("GSD_FUZZ_SEED");
  const first = only === undefined ? 0 : Number(only);
  const times = Number(Deno.env.get("GSD_FUZZ_TIMES") ?? 1);
  for (let seed = first; seed < (only === undefined ? count * times : first + 1); seed++) {
    try {
      const took = cpuMs(() => check(new Dice(seed), seed));
      if (took > TOO_LONG_MS) throw new Error(`It took ${Math.round(took)} ms`);
    } catch (error) {
      const told = error instanceof Error ? error : new Error(String(error));
      told.message = `With GSD_FUZZ_SEED=${seed}: ${told.message}`;
      throw told;
    }
  }
}

/** What Claude Code sent to its hooks. */
export const EVENTS = recordings("events").filter((text) => text.length < 20_000);

export function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
