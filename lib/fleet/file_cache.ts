/** Files and folders that are looked at again and again, and read only when they have changed. */

import { namesIn, readTextIfThere } from "../files.ts";

interface Kept {
  stamp: string;
  value: unknown;
}

/** A file that changes within this time after its stamp was taken may keep the stamp. */
const YOUNG_MS = 50;

export class FileCache {
  readonly #kept = new Map<string, Kept>();
  readonly #asked = new Set<string>();

  /** What `read` made of the file; undefined when it is not there. Throws what `read` throws. */
  of<T>(path: string, read: (path: string) => T): T | undefined {
    this.#asked.add(path);
    const stamp = stampOf(path);
    if (stamp === undefined) {
      this.#kept.delete(path);
      return undefined;
    }
    const kept = this.#kept.get(path);
    if (kept?.stamp === stamp.text) return kept.value as T;
    const value = read(path);
    if (Date.now() - stamp.at > YOUNG_MS) this.#kept.set(path, { stamp: stamp.text, value });
    return value;
  }

  text<T>(path: string, parse: (text: string) => T): T | undefined {
    return this.of(path, () => parse(readTextIfThere(path) ?? ""));
  }

  /** Call after a look: drops what was not asked for since the last call. */
  keepAsked(): void {
    for (const path of this.#kept.keys()) if (!this.#asked.has(path)) this.#kept.delete(path);
    this.#asked.clear();
  }

  /** The names in a folder, sorted. */
  names(dir: string): string[] {
    return this.of(dir, namesIn) ?? [];
  }
}

function stampOf(path: string): { text: string; at: number } | undefined {
  try {
    const { mtime, size, ino } = Deno.statSync(path);
    const at = mtime?.getTime() ?? 0;
    return { text: `${at} ${size} ${ino}`, at };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
